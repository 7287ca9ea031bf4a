import { getErrorMessage } from '../../kernel/errors.ts'
import type { Config, AutosaveConfig } from '../../kernel/config.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import type { SessionId } from '../../kernel/id.ts'
import type { Session } from '../../kernel/session.ts'
import { openTask } from '../files/open-task.ts'
import { readSession } from '../files/task-files.ts'
import type { TaskLink } from '../files/task-links.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { applyMeasurement, type ContextMeasurement, resetMeter } from './context-budget.ts'
import type { ContextLimits } from '../../kernel/context-meter.ts'
import type { Governance } from '../files/governance-config.ts'
import { KeyedTaskQueue } from '../../kernel/structures/task-queue.ts'

/** The context window of an unknown model, in tokens. */
const DEFAULT_WINDOW = 200_000
const DEFAULT_SOFT_CAP = 80
const DEFAULT_REFRESH = 50_000

function numberIn(value: unknown, { min, max }: { min: number; max: number }): number | undefined {
  return typeof value === 'number' && value >= min && value <= max ? value : undefined
}

/** The project's `packOptions["session-continuity"]` first, then the configuration, then the model's known window. */
function readContextLimits(
  { options }: Pick<Governance, 'options'>,
  autosave: AutosaveConfig,
  knownWindow: number | undefined,
): ContextLimits {
  return {
    windowTokens:
      numberIn(options.contextWindow, { min: 1_000, max: 100_000_000 }) ??
      (autosave.contextWindowTokens || knownWindow || DEFAULT_WINDOW),
    percent: {
      buffer: autosave.bufferPercent,
      autosave: autosave.contextPercent,
      fork: numberIn(options.softCapPct, { min: 1, max: 100 }) ?? DEFAULT_SOFT_CAP,
    },
    refreshEveryTokens: numberIn(options.refreshEveryTokens, { min: 1_000, max: 100_000_000 }) ?? DEFAULT_REFRESH,
  }
}

/** Latin text and code have three to five characters per token. */
const CHARS_PER_TOKEN = 4
/** The harness's system prompt and tool definitions. */
const BASE_TOKENS = 15_000

function countChars(event: SessionEvent): number {
  if (event.kind === 'prompt-submitted') return event.prompt.length
  if (event.kind === 'turn-ended') return event.lastMessage?.length ?? 0
  if (event.kind === 'compaction-finished') return event.summary?.length ?? 0
  if (event.kind !== 'tool-finished') return 0
  const { command = '', query = '', fragment = '' } = event.tool
  return command.length + query.length + fragment.length + (event.outcome.output?.length ?? 0)
}

/**
 * Estimates the context of a harness that reports no usage, from the texts of its events since the context was last emptied.
 * Stored events are truncated, so this is a lower bound.
 */
export function estimateTokens(events: readonly SessionEvent[]): number {
  let chars = 0
  for (const event of events) {
    const isEmptied =
      event.kind === 'compaction-finished' || (event.kind === 'session-started' && event.source === 'clear')
    chars = (isEmptied ? 0 : chars) + countChars(event)
  }
  return BASE_TOKENS + Math.ceil(chars / CHARS_PER_TOKEN)
}

const ESTIMATED_EVENTS = 5_000

export interface ContextWatchOptions {
  readonly ports: TaskPorts
  readonly findTask: (sessionId: SessionId) => TaskLink | undefined
  readonly configFor: (worktree: string | undefined) => Promise<Config>
  /** Reads the transcript up to this event and returns the updated session. */
  readonly catchUp: (event: SessionEvent) => Promise<Session | undefined>
  /** In tokens; undefined if unknown. */
  readonly getContextWindow: (session: Session) => number | undefined
}

export interface ContextWatch {
  /** Called after an event of any session was stored. Does nothing for a session without a task. */
  onEvent(event: SessionEvent, session: Session): void
  drain(): Promise<void>
}

/** Measures the context of sessions linked to a task after each turn, tool call and compaction. */
export function createContextWatch(options: ContextWatchOptions): ContextWatch {
  const { ports } = options
  const queue = new KeyedTaskQueue<SessionId>()

  async function measureTokens(session: Session): Promise<ContextMeasurement> {
    if (session.contextTokens !== undefined) return { tokens: session.contextTokens, source: 'measured' }
    const events = await ports.continuity.listEvents({ sessionId: session.id, limit: ESTIMATED_EVENTS })
    return { tokens: estimateTokens(events.map(({ event }) => event)), source: 'estimated' }
  }

  async function handleEvent(event: SessionEvent, link: TaskLink, isEmptied: boolean): Promise<void> {
    const task = await openTask(ports, { cwd: link.root, slug: link.slug })
    const taskSession = readSession(task.folder, link.taskSession)
    if (taskSession?.state !== 'active') return
    if (isEmptied) return await resetMeter(task, taskSession)
    const session = await options.catchUp(event)
    if (session === undefined) return
    const { autosave } = await options.configFor(link.root)
    const limits = readContextLimits(task.governance, autosave, options.getContextWindow(session))
    await applyMeasurement(ports, task, taskSession, { ...(await measureTokens(session)), limits })
  }

  return {
    onEvent(event, session) {
      const link = options.findTask(session.id)
      if (link === undefined || event.subagent !== undefined) return
      const isEmptied =
        event.kind === 'compaction-finished' || (event.kind === 'session-started' && event.source === 'clear')
      if (!isEmptied && event.kind !== 'turn-ended' && event.kind !== 'tool-finished') return
      queue
        .run(session.id, () => handleEvent(event, link, isEmptied))
        .catch((error: unknown) => {
          ports.log.error('context not measured', { task: link.slug, error: getErrorMessage(error) })
        })
    },
    drain: () => queue.drain(),
  }
}
