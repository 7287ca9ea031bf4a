import { GATE_INFO, GATES } from '../../tasks/model/gate.ts'
import type { ChainVerification, TaskView, TimelineEntry } from '../../tasks/tasks.ts'
import { link, type PageProps } from '../nav/router.ts'
import { get } from '../data/call.ts'
import { formatTrigger, type ProjectRow } from '../data/contract.ts'
import { useQuery } from '../data/use-query.ts'
import { Badge, EmptyState, Loaded, PageHead, Panel, Time } from '../parts/basics.tsx'
import { formatNumber, lastSegment, plural } from '../parts/format.ts'

interface BoardTask {
  readonly worktree: string
  readonly task: TaskView
}

/** The tasks of the selected folder, else of every worktree that is known. */
async function readBoard(cwd: string | undefined, signal: AbortSignal): Promise<readonly BoardTask[]> {
  const { projects } = await get<{ projects: readonly ProjectRow[] }>('/api/projects', {}, signal)
  const folders = cwd === undefined ? projects.flatMap(({ worktrees }) => worktrees).slice(0, 30) : [cwd]
  const lists = await Promise.all(
    folders.map(async (worktree) => {
      // A folder that was removed has no tasks.
      const reply = await get<{ tasks: readonly TaskView[] }>('/api/tasks', { cwd: worktree }, signal).catch(() => ({
        tasks: [],
      }))
      return reply.tasks.map((task) => ({ worktree, task }))
    }),
  )
  return lists.flat()
}

function Gates({ task, isNamed }: { readonly task: TaskView; readonly isNamed: boolean }) {
  return (
    <ol class="gates" aria-label="Gates">
      {GATES.filter((gate) => task.gates_held.includes(gate) || task.gates_open.includes(gate)).map((gate) => {
        const isHeld = task.gates_held.includes(gate)
        const isCurrent = task.status.current_gate === gate
        return (
          <li
            key={gate}
            class={`gate ${isHeld ? 'held' : ''} ${isCurrent ? 'current' : ''}`}
            title={`${gate} ${GATE_INFO[gate].name}: ${isHeld ? 'held, proven by the chain' : 'open'}`}
          >
            {gate}
            {isNamed && <span class="gate-name">{GATE_INFO[gate].name}</span>}
            <span class="hidden">{isHeld ? ' held' : ' open'}</span>
          </li>
        )
      })}
    </ol>
  )
}

function ActiveSession({ session }: { readonly session: NonNullable<TaskView['active_session']> }) {
  const [harness, key] = session.harness_session?.split('/') ?? []
  return (
    <p class="quiet-text">
      {session.agent_id} works on it since <Time at={session.started_at} />
      {session.context_tokens !== null && `, ${formatNumber(session.context_tokens)} tokens in its context`}
      {key !== undefined && (
        <>
          {', '}
          <a href={link(['sessions', key], { harness })}>its session</a>
        </>
      )}
    </p>
  )
}

function TaskCard({ worktree, task, isAlone = false }: BoardTask & { readonly isAlone?: boolean }) {
  const { definition, status } = task
  const retries = Object.entries(status.attempts)
  const { active_session: session } = task
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>
          {isAlone ? (
            'Gates'
          ) : (
            <a data-nav href={link(['tasks', definition.task_slug], { cwd: worktree })}>
              {definition.title === '' ? definition.task_slug : definition.title}
            </a>
          )}
        </h2>
        <Badge tone={status.status === 'complete' ? 'good' : status.blockers.length > 0 ? 'bad' : 'info'}>
          {status.status}
        </Badge>
      </header>
      <p class="quiet-text">
        {lastSegment(worktree)}, flow {definition.flow}, <Time at={status.last_activity} />
      </p>
      <Gates task={task} isNamed={isAlone} />
      {status.blockers.map((blocker) => (
        <p key={blocker} class="notice">
          Blocked: {blocker}
        </p>
      ))}
      {session !== null && <ActiveSession session={session} />}
      {retries.length > 0 && (
        <p class="quiet-text">Retries: {retries.map(([step, count]) => `${step} × ${count}`).join(', ')}</p>
      )}
    </section>
  )
}

function describe(entry: TimelineEntry): string {
  if (entry.kind === 'session') return `${entry.session_id}: ${entry.change}`
  if (entry.kind === 'checkpoint') return `${formatTrigger(entry.type)}, at ${entry.gate}: ${entry.summary}`
  if (entry.kind === 'gate') return `${entry.from ?? 'none'} → ${entry.gate}`
  return `${entry.incident}: ${entry.detail}`
}

function TaskDetails({ slug, cwd }: { readonly slug: string; readonly cwd: string }) {
  const query = useQuery(
    async (signal) => {
      const input = { slug, cwd }
      const [{ task }, { timeline }, { verification }] = await Promise.all([
        get<{ task: TaskView }>('/api/tasks/:slug', input, signal),
        get<{ timeline: readonly TimelineEntry[] }>('/api/tasks/:slug/timeline', input, signal),
        get<{ verification: ChainVerification }>('/api/tasks/:slug/verification', input, signal),
      ])
      return { task, timeline, verification }
    },
    [slug, cwd],
    { isStale: ({ kind }) => kind === 'event', everyMs: 5_000 },
  )
  return (
    <>
      <p class="crumbs">
        <a href={link(['tasks'])}>Tasks</a>
      </p>
      <Loaded query={query}>
        {({ task, timeline, verification }) => (
          <>
            <PageHead title={task.definition.title} lead={`${slug} in ${cwd}`} />
            <TaskCard worktree={cwd} task={task} isAlone />
            <div class="grid">
              <Panel title="Acceptance criteria">
                <ul class="plain-list">
                  {task.definition.acceptance_criteria.map((text) => (
                    <li key={text}>{text}</li>
                  ))}
                </ul>
              </Panel>
              <Panel title="Chain" note="Each checkpoint of the task holds the hash of the one before it.">
                <p>
                  <Badge tone={verification.findings.length === 0 ? 'good' : 'bad'}>
                    {verification.findings.length === 0 ? 'verified' : plural(verification.findings.length, 'finding')}
                  </Badge>{' '}
                  {plural(verification.checkpoints, 'checkpoint')}, {plural(verification.sessions, 'session')}
                </p>
                {verification.findings.map((finding, at) => (
                  <p key={at} class="notice">
                    {Object.values(finding).join(': ')}
                  </p>
                ))}
              </Panel>
            </div>
            <Panel title="What happened">
              <ul class="plain-list">
                {timeline.toReversed().map((entry, at) => (
                  <li key={at}>
                    <Badge tone={entry.kind === 'incident' ? 'bad' : 'quiet'}>{entry.kind}</Badge> {describe(entry)}{' '}
                    <span class="quiet-text">
                      <Time at={entry.at} />
                    </span>
                  </li>
                ))}
              </ul>
            </Panel>
          </>
        )}
      </Loaded>
    </>
  )
}

/** A task is in the first column that takes it. */
const COLUMNS: readonly (readonly [title: string, isIn: (task: TaskView) => boolean])[] = [
  ['Blocked', ({ status }) => status.blockers.length > 0],
  ['In progress', ({ status }) => status.status !== 'complete'],
  ['Done', () => true],
]

function Board({ cwd }: { readonly cwd: string | undefined }) {
  const query = useQuery((signal) => readBoard(cwd, signal), [cwd], {
    isStale: ({ kind }) => kind === 'event',
    everyMs: 5_000,
  })
  return (
    <>
      <PageHead
        title="Tasks"
        lead="Larger work in steps that must each be proven before the next (gates G0 to G10): what is proven, what is open, what blocks."
      />
      <Loaded query={query}>
        {(tasks) =>
          tasks.length === 0 ? (
            <EmptyState title="No governed task">
              <p>
                A task breaks larger work into gates with checkpoints that prove each one. Create one with{' '}
                <code>holdfast task new</code>.
              </p>
            </EmptyState>
          ) : (
            <div class="board">
              {COLUMNS.map(([title]) => {
                const column = tasks.filter(({ task }) => COLUMNS.find(([, has]) => has(task))?.[0] === title)
                return (
                  <section key={title} class="board-column" aria-label={title}>
                    <h2>
                      {title} <span class="quiet-text">{column.length}</span>
                    </h2>
                    {column.length === 0 && <p class="quiet-text">none</p>}
                    {column.map(({ worktree, task }) => (
                      <TaskCard key={`${worktree} ${task.definition.task_slug}`} worktree={worktree} task={task} />
                    ))}
                  </section>
                )
              })}
            </div>
          )
        }
      </Loaded>
    </>
  )
}

export function Page({ place, cwd }: PageProps) {
  const [, slug] = place.segments
  return slug === undefined || cwd === undefined ? <Board cwd={cwd} /> : <TaskDetails slug={slug} cwd={cwd} />
}
