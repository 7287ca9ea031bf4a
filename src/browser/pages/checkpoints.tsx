import { useState } from 'preact/hooks'
import { CHECKPOINT_TRIGGERS, type StoredCheckpoint } from '../../kernel/checkpoint.ts'
import type { Rule } from '../../kernel/rule.ts'
import { go, link, setParams, type PageProps } from '../nav/router.ts'
import { get } from '../data/call.ts'
import { compareCheckpoints, type SectionDiff } from '../data/compare-checkpoints.ts'
import { type CheckpointRow, formatTrigger, toRow } from '../data/contract.ts'
import { usePages } from '../data/use-pages.ts'
import { useQuery } from '../data/use-query.ts'
import { Badge, CopyButton, EmptyState, Loaded, LongText, PageHead, Panel, Time } from '../parts/basics.tsx'
import { formatProject, plural } from '../parts/format.ts'
import { VirtualList } from '../parts/virtual-list.tsx'

function List({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  if (items.length === 0) return null
  return (
    <Panel title={`${title} (${items.length})`}>
      <ul class="plain-list">
        {items.slice(0, 60).map((item, at) => (
          <li key={at}>{item}</li>
        ))}
      </ul>
    </Panel>
  )
}

function Detail({ id }: { readonly id: string }) {
  const query = useQuery(
    async (signal) => (await get<{ checkpoint: StoredCheckpoint }>('/api/checkpoint/:id', { id }, signal)).checkpoint,
    [id],
  )
  return (
    <>
      <p class="crumbs">
        <a href={link(['checkpoints'])}>Checkpoints</a>
      </p>
      <Loaded query={query}>
        {({ checkpoint, hash }) => (
          <>
            <PageHead
              title={checkpoint.name ?? checkpoint.summary}
              lead={
                <>
                  {formatTrigger(checkpoint.trigger)}, <Time at={checkpoint.createdAt} />,{' '}
                  {formatProject(checkpoint.place.project)}
                  {checkpoint.place.branch !== undefined && `, branch ${checkpoint.place.branch}`}
                </>
              }
            >
              <a
                class="button"
                href={link(['sessions', checkpoint.sessionKey], {
                  harness: checkpoint.harness,
                  event: checkpoint.eventSeq,
                })}
              >
                Open its session
              </a>
              {checkpoint.parentId !== undefined && (
                <a
                  class="button"
                  href={link(['checkpoints', 'compare'], { from: checkpoint.parentId, to: checkpoint.id })}
                >
                  Compare with the one before
                </a>
              )}
              {checkpoint.name !== undefined && (
                <CopyButton text={`holdfast checkpoints resume ${checkpoint.name}`} label="Copy: resume it" />
              )}
              <CopyButton text={checkpoint.digest} label="Copy: restore it in a chat" />
            </PageHead>
            <Panel>
              <dl class="facts">
                {checkpoint.nextAction !== undefined && (
                  <>
                    <dt>Next</dt>
                    <dd>{checkpoint.nextAction}</dd>
                  </>
                )}
                {checkpoint.waitingFor !== undefined && (
                  <>
                    <dt>Waits for</dt>
                    <dd>{checkpoint.waitingFor}</dd>
                  </>
                )}
                <dt>Id</dt>
                <dd class="mono">{checkpoint.id}</dd>
                <dt>SHA-256</dt>
                <dd class="mono">{hash}</dd>
                <dt>Newest event</dt>
                <dd>#{checkpoint.eventSeq}</dd>
              </dl>
            </Panel>
            <div class="grid">
              <List title="Requests" items={checkpoint.work.asks.map(({ text }) => text)} />
              <List title="Todos" items={checkpoint.work.todos.map(({ status, text }) => `${status}: ${text}`)} />
              <List
                title="Checks"
                items={(checkpoint.work.checks ?? []).map(({ verdict, command }) => `${verdict}: ${command}`)}
              />
              <List title="Decisions" items={checkpoint.work.decisions.map(({ decision }) => decision)} />
              <List title="Files" items={checkpoint.work.files.map(({ action, path }) => `${action}: ${path}`)} />
              <List title="Errors" items={checkpoint.work.errors.map(({ text }) => text)} />
            </div>
            <Panel title="Digest" note="The Markdown that Holdfast renders for this checkpoint.">
              <LongText text={checkpoint.digest} first={8_000} />
            </Panel>
          </>
        )}
      </Loaded>
    </>
  )
}

function DiffSections({ diff }: { readonly diff: readonly SectionDiff[] }) {
  const sections = diff.filter(({ added, removed, changed }) => added.length + removed.length + changed.length > 0)
  if (sections.length === 0) return <EmptyState title="The two checkpoints do not differ in what is compared" />
  return (
    <>
      {sections.map(({ section, added, removed, changed }) => (
        <Panel key={section} title={section}>
          <ul class="diff">
            {removed.map((item, at) => (
              <li key={`r${at}`} class="removed">
                <span class="sign">removed</span> {item}
              </li>
            ))}
            {added.map((item, at) => (
              <li key={`a${at}`} class="added">
                <span class="sign">added</span> {item}
              </li>
            ))}
            {changed.map(({ item, from, to }, at) => (
              <li key={`c${at}`} class="changed">
                <span class="sign">changed</span> {item}: <del>{from}</del> → <ins>{to}</ins>
              </li>
            ))}
          </ul>
        </Panel>
      ))}
    </>
  )
}

function Compare({ from, to }: { readonly from: string; readonly to: string }) {
  const query = useQuery(
    async (signal) => {
      const read = (id: string) => get<{ checkpoint: StoredCheckpoint }>('/api/checkpoint/:id', { id }, signal)
      const [older, newer] = await Promise.all([read(from), read(to)])
      const cwd = newer.checkpoint.checkpoint.place.worktree
      // A folder that was removed has no rules that could be read.
      const { rules } = await get<{ rules: readonly Rule[] }>(
        '/api/rules',
        { cwd, includeRetired: true },
        signal,
      ).catch(() => ({
        rules: [],
      }))
      const sections = compareCheckpoints(older.checkpoint.checkpoint, newer.checkpoint.checkpoint, rules)
      return { heads: [toRow(older.checkpoint), toRow(newer.checkpoint)], sections }
    },
    [from, to],
  )
  return (
    <>
      <p class="crumbs">
        <a href={link(['checkpoints'])}>Checkpoints</a>
      </p>
      <PageHead
        title="Two checkpoints compared"
        lead="What changed in the goal, the rules, the todos, the checks, the files, the decisions, the errors and the next step."
      >
        <a class="button" href={link(['checkpoints', 'compare'], { from: to, to: from })}>
          Swap
        </a>
      </PageHead>
      <Loaded query={query}>
        {(diff) => (
          <>
            <div class="grid">
              {diff.heads.map((head, at) => (
                <Panel key={at} title={at === 0 ? 'From' : 'To'}>
                  <a href={link(['checkpoints', head.id])}>{head.name ?? head.summary}</a>
                  <p class="quiet-text">
                    {formatTrigger(head.trigger)}, <Time at={head.createdAt} />
                  </p>
                </Panel>
              ))}
            </div>
            <DiffSections diff={diff.sections} />
          </>
        )}
      </Loaded>
    </>
  )
}

const PAGE_LIMIT = 100

function CheckpointList({ place, cwd }: PageProps) {
  const trigger = place.params.get('trigger') ?? ''
  const sessionKey = place.params.get('session') ?? ''
  const [marked, setMarked] = useState<readonly string[]>([])
  const list = usePages<CheckpointRow>(
    async (cursor, signal) => {
      const input = { cwd, sessionKey, trigger, beforeSeq: cursor, limit: PAGE_LIMIT }
      const { heads } = await get<{ heads: readonly CheckpointRow[] }>('/api/checkpoint-heads', input, signal)
      return { rows: heads, next: heads.length < PAGE_LIMIT ? undefined : String(heads.at(-1)?.seq) }
    },
    [cwd, trigger, sessionKey],
    ({ kind }) => kind === 'checkpoint',
  )
  const mark = (id: string) =>
    setMarked(marked.includes(id) ? marked.filter((one) => one !== id) : [...marked.slice(-1), id])
  const [first, second] = marked
  const order = list.rows.filter(({ id }) => marked.includes(id)).map(({ id }) => id)
  return (
    <>
      <PageHead title="Checkpoints" lead="Immutable records of the state of the work. Mark two of them to compare.">
        <button
          type="button"
          class="primary"
          disabled={first === undefined || second === undefined}
          onClick={() => go(link(['checkpoints', 'compare'], { from: order[1], to: order[0] }))}
        >
          Compare {marked.length === 2 ? 'the two' : `(${marked.length} of 2 marked)`}
        </button>
      </PageHead>
      <div class="filters">
        <label>
          Made because{' '}
          <select value={trigger} onChange={(event) => setParams({ trigger: event.currentTarget.value })}>
            <option value="">any reason</option>
            {CHECKPOINT_TRIGGERS.map((name) => (
              <option key={name} value={name}>
                {formatTrigger(name)}
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
      <section class="panel flush">
        <VirtualList
          list={list}
          rowHeight={62}
          label="Checkpoints"
          getKey={({ id }) => id}
          render={(head) => (
            <div class="marked-row">
              <input
                type="checkbox"
                aria-label={`Mark ${head.summary} for comparison`}
                checked={marked.includes(head.id)}
                onChange={() => mark(head.id)}
              />
              <a class="row-link" data-nav href={link(['checkpoints', head.id])}>
                <div class="row-main">
                  <span class="row-title">{head.name ?? (head.summary === '' ? head.id : head.summary)}</span>
                  <span class="row-end">
                    <Time at={head.createdAt} />
                  </span>
                </div>
                <div class="row-sub">
                  <Badge tone={head.name === undefined ? 'quiet' : 'info'}>{formatTrigger(head.trigger)}</Badge>
                  <span class="cut">{formatProject(head.project)}</span>
                  <span>{head.harness}</span>
                  {head.branch !== undefined && <span class="cut optional">{head.branch}</span>}
                  <span class="optional">{plural(head.promptCount, 'prompt')}</span>
                </div>
              </a>
            </div>
          )}
          empty={
            <EmptyState title={trigger === '' && sessionKey === '' ? 'No checkpoint yet' : 'No checkpoint matches'}>
              <p>
                The first comes after ten prompts, fifteen minutes of work, a compaction, or at the end of a session.{' '}
                <code>holdfast checkpoints save NAME</code> saves one at once.
              </p>
            </EmptyState>
          }
        />
      </section>
    </>
  )
}

export function Page({ place, cwd }: PageProps) {
  const [, id] = place.segments
  if (id === 'compare') return <Compare from={place.params.get('from') ?? ''} to={place.params.get('to') ?? ''} />
  return id === undefined ? <CheckpointList place={place} cwd={cwd} /> : <Detail id={id} />
}
