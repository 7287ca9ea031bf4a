import { link, type PageProps } from '../nav/router.ts'
import { get } from '../data/call.ts'
import type { LiveRow } from '../data/contract.ts'
import { readLive } from '../data/read-live.ts'
import { useQuery } from '../data/use-query.ts'
import { Benefit } from '../parts/benefit.tsx'
import { Badge, Loaded, Meter, PageHead, Panel, Time } from '../parts/basics.tsx'
import { formatCompact, formatNumber, formatProject, plural, toRelative } from '../parts/format.ts'
import { toOneLine } from '../parts/inert-text.ts'

const LEAD = 'Live sessions of every harness: what each one is doing, and which files it edits.'

const STATES = {
  working: { tone: 'good', label: 'working' },
  waiting: { tone: 'info', label: 'waiting for you' },
  compacting: { tone: 'warn', label: 'compacting' },
} as const

function Context({ session }: { readonly session: LiveRow }) {
  const { contextTokens, contextWindowTokens } = session
  if (contextTokens === undefined) return <span class="quiet-text">unknown</span>
  if (contextWindowTokens === undefined) return <span>{formatCompact(contextTokens)} tokens</span>
  const share = Math.round((100 * contextTokens) / contextWindowTokens)
  const label = `${formatNumber(contextTokens)} of ${formatNumber(contextWindowTokens)} tokens (${share} %)`
  return (
    <span class="context">
      <Meter value={contextTokens} max={contextWindowTokens} label={label} /> {share} %
    </span>
  )
}

function Conflicts({ session }: { readonly session: LiveRow }) {
  if (session.conflicts.length === 0) return null
  const files = new Map<string, LiveRow['conflicts'][number][]>()
  for (const conflict of session.conflicts) files.set(conflict.path, [...(files.get(conflict.path) ?? []), conflict])
  return (
    <div class="notice" role="alert">
      {[...files].map(([path, others]) => (
        <div key={path}>
          <strong class="mono">{toRelative(path, session.worktree)}</strong> is also edited by{' '}
          {others.map(({ sessionKey, harness, request, isSameWorktree }, at) => (
            <span key={sessionKey}>
              {at > 0 && ', '}
              <a href={link(['sessions', sessionKey], { harness })}>
                {request === undefined ? `${harness} ${sessionKey.slice(0, 8)}` : `“${toOneLine(request, 60)}”`}
              </a>{' '}
              {isSameWorktree ? 'in the same folder' : 'in another worktree'}
            </span>
          ))}
        </div>
      ))}
    </div>
  )
}

function LiveCard({ session }: { readonly session: LiveRow }) {
  const { tone, label } = STATES[session.state]
  const title = formatProject(session.project ?? session.worktree ?? 'unknown project')
  return (
    <section class="panel live-card">
      <p class="live-where">
        <Badge tone={tone}>{label}</Badge> <strong>{title}</strong>
        {session.branch !== undefined && `, branch ${session.branch}`}, {session.harness}
        {session.harnessVersion !== undefined && ` ${session.harnessVersion}`}
        {session.model !== undefined && `, ${session.model}`}
      </p>
      <h2>
        <a data-nav href={link(['sessions', session.sessionKey], { harness: session.harness })}>
          {session.request === undefined ? 'No request yet' : toOneLine(session.request, 140)}
        </a>
      </h2>
      <Conflicts session={session} />
      <dl class="facts">
        <dt>{session.state === 'waiting' ? 'It said' : 'Doing'}</dt>
        <dd>
          {session.doing === undefined ? <span class="quiet-text">nothing yet</span> : toOneLine(session.doing, 140)}
        </dd>
        <dt>Context</dt>
        <dd>
          <Context session={session} />
        </dd>
        <dt>Editing</dt>
        <dd>
          {session.files.length === 0 ? (
            <span class="quiet-text">no file</span>
          ) : (
            <ul class="files">
              {session.files.slice(0, 6).map(({ path, edits }) => (
                <li key={path} class="mono cut" title={`${path}: ${plural(edits, 'edit')}`}>
                  {toRelative(path, session.worktree)}
                </li>
              ))}
              {session.files.length > 6 && <li class="quiet-text">and {session.files.length - 6} more</li>}
            </ul>
          )}
        </dd>
        <dt>Checkpoint</dt>
        <dd>
          {session.lastCheckpointAt === undefined ? (
            <span class="quiet-text">none yet</span>
          ) : (
            <a href={link(['checkpoints'], { session: session.sessionKey })}>
              <Time at={session.lastCheckpointAt} />
            </a>
          )}
        </dd>
        <dt>Last event</dt>
        <dd>
          <Time at={session.lastEventAt} />{' '}
          <span class="quiet-text">
            {plural(session.promptCount, 'prompt')}, {plural(session.toolCount, 'tool call')}
          </span>
        </dd>
      </dl>
    </section>
  )
}

interface CountsReply {
  readonly counts: { events: number; sessions: number; checkpoints: number; memories: number }
}

function Stored({ counts }: CountsReply) {
  return (
    <p class="quiet-text" data-counts>
      Stored: {plural(counts.sessions, 'session')}, {plural(counts.events, 'event')},{' '}
      {plural(counts.checkpoints, 'checkpoint')}, {plural(counts.memories, 'memory', 'memories')}.
    </p>
  )
}

function FirstSteps() {
  return (
    <Panel
      title="Nothing is recorded yet"
      note="Holdfast records what your coding agents do. When one starts again, it gives it the state of the work: what was asked, decided, edited and left open. Everything stays on this machine."
    >
      <ol class="steps">
        <li>
          Run <code>holdfast init</code>: it connects your harness, shows each change of a file and asks first.
        </li>
        <li>Start the harness in a project. The session appears on this page with its first event.</li>
        <li>
          Or import the sessions from before Holdfast, and see what the next one would be given:{' '}
          <a class="button primary" href={link(['first-run'])}>
            Import history
          </a>
        </li>
      </ol>
      <p class="note">
        Nothing appears? <code>holdfast doctor</code> says what is missing.
      </p>
    </Panel>
  )
}

function NextSteps() {
  return (
    <div class="grid">
      <Panel title="What would the next session know?">
        <p>
          <a href={link(['start'])}>The handoff</a>, line by line, with the reason for each line.
        </p>
      </Panel>
      <Panel title="What did Holdfast add, and was it used?">
        <p>
          <a href={link(['injections'])}>Injections</a> and their cost, and{' '}
          <a href={link(['outcomes'])}>what they saved</a>.
        </p>
      </Panel>
      <Panel title="Is anything private stored?">
        <p>
          <a href={link(['privacy'])}>What was removed</a>, what is stored and until when, and how to delete it.
        </p>
      </Panel>
    </div>
  )
}

export function Page({ cwd }: PageProps) {
  const query = useQuery(async (signal) => ({ sessions: await readLive(signal) }), [], {
    isStale: ({ kind }) => kind !== 'position',
    everyMs: 150,
  })
  const stored = useQuery((signal) => get<CountsReply>('/api/counts', {}, signal), [], {
    isStale: ({ kind }) => kind !== 'position',
    everyMs: 2_000,
  })
  const counts = stored.value?.counts
  if (counts?.sessions === 0)
    return (
      <>
        <PageHead title="Now" lead={LEAD} />
        <FirstSteps />
        <NextSteps />
      </>
    )
  return (
    <>
      <PageHead title="Now" lead={LEAD} />
      <Loaded query={query}>
        {({ sessions }) => {
          const shown = sessions.filter(({ worktree }) => cwd === undefined || worktree === cwd)
          if (shown.length === 0)
            return (
              <Panel title={sessions.length === 0 ? 'No session is running' : 'No session is running in this project'}>
                <p class="quiet-text">
                  A session appears here with its first hook. If yours does not, run <code>holdfast doctor</code>, or
                  connect a harness with <code>holdfast init</code>. <a href={link(['sessions'])}>Earlier sessions</a>,
                  or <a href={link(['first-run'])}>import</a> the ones from before Holdfast.
                </p>
              </Panel>
            )
          return (
            <div class="cards">
              {shown.map((session) => (
                <LiveCard key={session.sessionId} session={session} />
              ))}
            </div>
          )
        }}
      </Loaded>
      <Benefit cwd={cwd} />
      <NextSteps />
      {counts !== undefined && <Stored counts={counts} />}
    </>
  )
}
