import { link, setParams, type PageProps } from '../nav/router.ts'
import { get } from '../data/call.ts'
import type { ConsideredRow, InjectionRow } from '../data/contract.ts'
import type { LedgerReply } from '../data/read-events.ts'
import { usePages } from '../data/use-pages.ts'
import { useQuery } from '../data/use-query.ts'
import { Badge, EmptyState, Figure, PageHead, Panel, Time, type Tone } from '../parts/basics.tsx'
import { formatNumber, lastSegment, plural } from '../parts/format.ts'
import { VerdictBadge } from '../parts/handoff-lines.tsx'
import { toOneLine } from '../parts/inert-text.ts'
import { VirtualList } from '../parts/virtual-list.tsx'

const KINDS: Readonly<Record<string, string>> = {
  recovery: 'handoff',
  memories: 'memories',
  notice: 'notice',
  'compaction-advice': 'compaction hint',
  'digest-request': 'request for a digest',
}

const PAGE_LIMIT = 100
/** A value of the filter, beside the kinds. */
const SKIPPED = 'skipped'

interface ExplainReply {
  readonly explanation: { readonly session: { readonly key: string }; readonly prompts: readonly ConsideredRow[] }
}

function use(status: string | undefined): { readonly tone: Tone; readonly label: string } | undefined {
  if (status === 'used') return { tone: 'good', label: 'used' }
  if (status === 'not-used') return { tone: 'quiet', label: 'not used' }
  return status === undefined ? undefined : { tone: 'quiet', label: 'use unknown' }
}

function Details({ entry }: { readonly entry: InjectionRow }) {
  return (
    <Panel
      title={entry.isSkipped ? 'Nothing was injected' : `What was injected (${plural(entry.lines.length, 'line')})`}
      actions={
        <button type="button" class="small" onClick={() => setParams({ entry: undefined })}>
          Close
        </button>
      }
    >
      <dl class="facts">
        <dt>When</dt>
        <dd>
          <Time at={entry.at} />
        </dd>
        <dt>Session</dt>
        <dd>
          <a href={link(['sessions', entry.sessionKey], { harness: entry.harness })}>
            {entry.harness} {entry.sessionKey.slice(0, 8)}
          </a>
        </dd>
        <dt>{entry.isSkipped ? 'Rule' : 'Reason'}</dt>
        <dd>{entry.why}</dd>
        <dt>Cost</dt>
        <dd>
          {formatNumber(entry.chars)} characters, about {formatNumber(entry.estimatedTokens)} tokens
        </dd>
      </dl>
      {entry.lines.length > 0 && (
        <ol class="handoff">
          {entry.lines.map((line, at) => {
            const used = use(line.use?.status)
            return (
              <li key={at} class="ledger-line">
                <div class="line-text">{line.line}</div>
                <div class="quiet-text">
                  {line.reason} <VerdictBadge verdict={line.verdict} />{' '}
                  {used !== undefined && (
                    <Badge tone={used.tone}>
                      {used.label}
                      {line.use?.afterCalls !== undefined && ` after ${plural(line.use.afterCalls, 'call')}`}
                    </Badge>
                  )}
                </div>
              </li>
            )
          })}
        </ol>
      )}
    </Panel>
  )
}

/** Memories that were looked at before the latest prompts, and the rule by which each was injected or skipped. */
function Considered({ cwd, sessionKey }: { readonly cwd: string | undefined; readonly sessionKey: string }) {
  const query = useQuery(
    async (signal) => {
      // The daemon refuses to explain when there is no session yet.
      const { sessions } = await get<{ sessions: readonly unknown[] }>('/api/sessions', { cwd, limit: 1 }, signal)
      if (sessions.length === 0) return undefined
      return (await get<ExplainReply>('/api/explain', { cwd, sessionKey }, signal)).explanation
    },
    [cwd, sessionKey],
    { isStale: ({ kind }) => kind === 'receipt' || kind === 'session', everyMs: 5_000 },
  )
  // Without any session there is nothing to explain; the list below says what to do.
  const prompts = (query.value?.prompts ?? []).filter(({ memories }) => memories.length > 0)
  if (prompts.length === 0) return null
  return (
    <Panel
      title="Considered and skipped"
      note={`Memories that were compared with the latest prompts of session ${query.value?.session.key.slice(0, 8)}, and the rule that decided about each.`}
    >
      <ul class="plain-list">
        {prompts
          .slice(-8)
          .toReversed()
          .map((prompt) => (
            <li key={prompt.at}>
              <strong>{toOneLine(prompt.prompt, 120)}</strong> <Time at={prompt.at} />
              {prompt.memories.slice(0, 6).map((memory) => (
                <div key={memory.id} class="considered">
                  <Badge tone={memory.outcome === 'shown' ? 'good' : 'warn'}>
                    {memory.outcome === 'shown' ? 'injected' : 'skipped'}
                  </Badge>{' '}
                  <span>
                    <a href={link(['memories', memory.id], { cwd })}>{toOneLine(memory.content, 110)}</a>{' '}
                    <span class="quiet-text">{memory.reason}</span>
                  </span>
                </div>
              ))}
            </li>
          ))}
      </ul>
    </Panel>
  )
}

function Row({ entry }: { readonly entry: InjectionRow }) {
  return (
    <>
      <div class="row-main">
        <Badge tone={entry.isSkipped ? 'warn' : 'info'}>
          {entry.isSkipped ? 'skipped' : (KINDS[entry.kind] ?? entry.kind)}
        </Badge>
        <span class="row-title">{entry.why}</span>
        <span class="row-end">
          <Time at={entry.at} />
        </span>
      </div>
      <div class="row-sub">
        <span class="cut">{entry.worktree === undefined ? 'unknown project' : lastSegment(entry.worktree)}</span>
        <span class="optional">{entry.harness}</span>
        {!entry.isSkipped && (
          <>
            <span>{formatNumber(entry.chars)} characters</span>
            <span class="optional">≈ {formatNumber(entry.estimatedTokens)} tokens</span>
            <span>
              {entry.lineCount === 0 ? 'use not measured' : `${entry.usedCount} of ${entry.lineCount} lines used`}
            </span>
          </>
        )}
      </div>
    </>
  )
}

const sum = (rows: readonly InjectionRow[], read: (row: InjectionRow) => number): number =>
  rows.reduce((total, row) => total + read(row), 0)

export function Page({ place, cwd }: PageProps) {
  const kind = place.params.get('kind') ?? ''
  const sessionKey = place.params.get('session') ?? ''
  const chosenSeq = Number(place.params.get('entry') ?? Number.NaN)
  const list = usePages<InjectionRow>(
    async (cursor, signal) => {
      const only = kind === SKIPPED ? {} : { kind }
      const input = { cwd, sessionKey, ...only, includeSkipped: true, beforeSeq: cursor, limit: PAGE_LIMIT }
      const { entries, next } = (await get<LedgerReply>('/api/ledger', input, signal)).ledger
      const rows = entries.filter(({ isSkipped }) => kind !== SKIPPED || isSkipped)
      return { rows, next: next === undefined ? undefined : String(next) }
    },
    [cwd, kind, sessionKey],
    ({ kind: frame }) => frame === 'receipt' || frame === 'session',
  )
  const listed = list.rows.find(({ seq }) => seq === chosenSeq)
  const other = useQuery(
    async (signal) => {
      if (Number.isNaN(chosenSeq)) return undefined
      const input = { includeSkipped: true, beforeSeq: chosenSeq + 1, limit: 1 }
      return (await get<LedgerReply>('/api/ledger', input, signal)).ledger.entries.find(({ seq }) => seq === chosenSeq)
    },
    [chosenSeq],
  )
  const chosen = listed ?? other.value
  const injected = list.rows.filter(({ isSkipped }) => !isSkipped)
  const tokens = sum(injected, ({ estimatedTokens }) => estimatedTokens)
  const [lineCount, usedCount] = [sum(injected, (row) => row.lineCount), sum(injected, (row) => row.usedCount)]
  const scope = list.hasMore ? 'of the rows read so far' : 'in all'
  return (
    <>
      <PageHead
        title="Injections"
        lead="Every text that Holdfast added to an agent's context, what it cost, and which of its lines the agent used. A start that got nothing is listed as skipped, with the rule that decided."
      />
      {list.rows.length > 0 && (
        <div class="figures">
          <Figure
            label="Injections"
            value={injected.length}
            note={`${plural(list.rows.length - injected.length, 'start')} skipped, ${scope}`}
          />
          <Figure
            label="Characters"
            value={sum(injected, ({ chars }) => chars)}
            note={`about ${formatNumber(tokens)} tokens`}
          />
          <Figure
            label="Lines that were used"
            value={lineCount === 0 ? 'not measured' : `${Math.round((100 * usedCount) / lineCount)} %`}
            note={
              lineCount === 0
                ? 'no line whose use can be observed'
                : `${formatNumber(usedCount)} of ${formatNumber(lineCount)} lines whose use can be observed`
            }
          />
        </div>
      )}
      <div class="filters">
        <label>
          Kind{' '}
          <select value={kind} onChange={(event) => setParams({ kind: event.currentTarget.value, entry: undefined })}>
            <option value="">all</option>
            <option value={SKIPPED}>skipped</option>
            {Object.entries(KINDS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {sessionKey !== '' && (
          <button type="button" class="small" onClick={() => setParams({ session: undefined })}>
            Only session {sessionKey.slice(0, 8)} ×
          </button>
        )}
      </div>
      {chosen !== undefined && <Details entry={chosen} />}
      <Considered cwd={cwd} sessionKey={sessionKey} />
      <section class="panel flush">
        <VirtualList
          list={list}
          rowHeight={62}
          label="Injections"
          getKey={({ seq }) => seq}
          href={({ seq }) => link(['injections'], { kind, session: sessionKey, entry: seq })}
          render={(entry) => <Row entry={entry} />}
          empty={
            <EmptyState title="Nothing was injected yet">
              <p>
                Holdfast injects a handoff when a session starts, resumes or was compacted, and memories before a prompt
                that they match. <a href={link(['start'])}>See what the next session would get</a>.
              </p>
            </EmptyState>
          }
        />
      </section>
    </>
  )
}
