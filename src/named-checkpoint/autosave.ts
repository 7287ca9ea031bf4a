import type { AutosaveConfig, Config } from '../kernel/config.ts'
import type { Checkpoint, CheckpointTrigger } from '../kernel/checkpoint.ts'
import { type ContextMeter, EMPTY_METER, updateMeter } from '../kernel/context-meter.ts'
import { isOnThisMachine } from '../kernel/ports/liveness.ts'
import { getErrorMessage } from '../kernel/errors.ts'
import type { SessionEvent, EventOf, ToolCall } from '../kernel/event.ts'
import type { SessionId } from '../kernel/id.ts'
import type { Machine } from '../kernel/location.ts'
import type { Clock, Log, Store } from '../kernel/ports/ports.ts'
import type { Session } from '../kernel/session.ts'
import { clipPrompt } from '../kernel/text/text.ts'
import type { CheckpointFiles } from './checkpoint-files.ts'
import { KeyedTaskQueue } from '../kernel/structures/task-queue.ts'

/** What triggers an autosave. */
type SignalKind = 'context' | 'close-words' | 'idle' | 'long-operation' | 'compaction' | 'session-end'

interface Signal {
  readonly kind: SignalKind
  /** For the log, for example `context 78%`. */
  readonly reason: string
}

/** A longer prompt is about something else. */
const MAX_CLOSING_CHARS = 80
const MAX_READ_CHARS = 4_000

const CLOSING =
  /\b(?:good ?night|bye(?:[- ]?bye)?|good ?bye|see you (?:tomorrow|later|soon)|(?:continue|resume|pick (?:this|it) up|finish (?:this|it)) (?:again )?(?:later|tomorrow|next time)|(?:done|enough|that'?s (?:it|all)) for (?:today|now)|call it a (?:day|night)|logging off|going to (?:bed|sleep)|(?:let'?s )?pause (?:here|for now)|stop (?:here )?for now)\b|晚安|睡觉了|休息了|明天见|下次继续/i

/** Farewells only if they are the whole prompt. */
const CLOSING_ALONE = /^[\s/!.,…]*(?:exit|quit|log ?out|later|tomorrow|pause|bye|退出|关闭)[\s!.,…]*$/i

const RUNNING_OUT =
  /<summary>|\bcontext limit\b|\b(?:context|conversation) (?:was |is |has been )?truncated\b|\brunning (?:low on|out of) context\b/i

/** Commands that usually take more than half a minute: builds, installs, deployments, data jobs. */
const LONG =
  /\b(?:docker (?:build|compose (?:up|build))|(?:npm|pnpm|yarn|bun) (?:ci|install|run build|build)|(?:cargo|go|swift|dotnet) build|cargo (?:test|install)|(?:make|cmake --build|ninja|bazel build)\b(?! ?-?-?(?:help|version|n\b))|mvn|gradlew?|(?:next|vite|webpack|tsc -b|turbo run) build|pip3? install|apt(?:-get)? (?:install|upgrade)|brew install|terraform (?:apply|destroy)|kubectl (?:apply|rollout)|helm (?:install|upgrade)|ansible-playbook|pg_(?:dump|restore)|rsync|playwright (?:install|test)|deploy)\b/i

function findClosingWords(prompt: string): string | undefined {
  const said = prompt.trim()
  if (said.length > MAX_CLOSING_CHARS) return undefined
  return (CLOSING.exec(said) ?? CLOSING_ALONE.exec(said))?.[0].trim()
}

const RUNS_OUT: Signal = { kind: 'context', reason: 'the context runs out' }

function readSignal(event: EventOf<'prompt-submitted' | 'turn-ended'>): Signal | undefined {
  if (event.kind === 'turn-ended')
    return RUNNING_OUT.test(event.lastMessage?.slice(-MAX_READ_CHARS) ?? '') ? RUNS_OUT : undefined
  const words = findClosingWords(event.prompt)
  if (words !== undefined) return { kind: 'close-words', reason: `the user said ${words}` }
  return RUNNING_OUT.test(event.prompt.slice(0, MAX_READ_CHARS)) ? RUNS_OUT : undefined
}

function isLongCommand({ kind, command = '' }: ToolCall): boolean {
  return kind === 'shell' && LONG.test(command.slice(0, MAX_READ_CHARS))
}

/** The autosave signal of an event; undefined for nearly all events. */
export function findSignal(event: SessionEvent): Signal | undefined {
  if (event.subagent !== undefined) return undefined
  if (event.kind === 'prompt-submitted' || event.kind === 'turn-ended') return readSignal(event)
  if (event.kind === 'compaction-started') return { kind: 'compaction', reason: 'before a compaction' }
  if (event.kind === 'session-ended') return { kind: 'session-end', reason: 'the session ends' }
  if (event.kind === 'tool-started' && isLongCommand(event.tool))
    return { kind: 'long-operation', reason: 'before a long command' }
  return undefined
}

const SESSIONS_PER_TICK = 500
/** Older events, from the spool, are no longer relevant. */
const STALE_EVENT_MS = 10 * 60_000
/** Forks and refreshes are for governed tasks only. */
const NEVER = Number.POSITIVE_INFINITY

/** Signals that also store a checkpoint. At the others the store takes its own. */
const STORES_CHECKPOINT: ReadonlySet<SignalKind> = new Set<SignalKind>(['context', 'close-words'])

export interface AutosaveOptions {
  readonly files: Pick<CheckpointFiles, 'autosave' | 'startBuffer' | 'appendBuffer'>
  readonly store: Pick<Store, 'listSessions' | 'listCheckpoints'>
  readonly checkpoint: (sessionId: SessionId, trigger: CheckpointTrigger) => Promise<unknown>
  /** In tokens; undefined if unknown. */
  readonly getContextWindow: (session: Session) => number | undefined
  readonly configFor: (worktree: string | undefined) => Promise<Config>
  readonly clock: Pick<Clock, 'now'>
  readonly machine: Machine
  readonly log: Log
}

export interface Autosave {
  /** Called after an event was recorded. Returns at once and saves in the background. */
  onEvent(event: SessionEvent, session: Session): void
  /** Checks the context and the idle time of open sessions. */
  tick(): Promise<void>
  /** Resolves when no save is running. */
  drain(): Promise<void>
}

/** Per session, in memory. After a restart a threshold may fire once more, which the autosave rules limit. */
interface AutosaveState {
  meter: ContextMeter
  isBuffering: boolean
  /** The last event at the last idle save. */
  idleSavedSeq: number
}

/** Writes the autosave, where a project uses it or the user enabled it. */
export function createAutosave(ports: AutosaveOptions): Autosave {
  const fired = new Map<SessionId, AutosaveState>()
  /** Sequential per session, so that buffer entries stay in order. */
  const queue = new KeyedTaskQueue<SessionId>()

  function getState(id: SessionId): AutosaveState {
    const known = fired.get(id) ?? { meter: EMPTY_METER, isBuffering: false, idleSavedSeq: 0 }
    fired.set(id, known)
    return known
  }

  function runInBackground(id: SessionId, run: () => Promise<void>): void {
    queue.run(id, run).catch((error: unknown) => {
      // A link where the folder should be, a full disk: the store has its own checkpoints, and the next signal tries again.
      ports.log.warn('autosave failed', { session: id, error: getErrorMessage(error) })
    })
  }

  function getWindow(session: Session, config: AutosaveConfig): number | undefined {
    const window = config.contextWindowTokens || ports.getContextWindow(session)
    return window === undefined || window <= 0 ? undefined : window
  }

  function computePercent(session: Session, config: AutosaveConfig): number | undefined {
    const window = getWindow(session, config)
    if (window === undefined || session.contextTokens === undefined) return undefined
    return Math.floor((session.contextTokens * 100) / window)
  }

  /** A long command is the weakest trigger: it counts only if the context is filling up or the mode is `always`. */
  function isRelevant(signal: Signal, session: Session, config: AutosaveConfig): boolean {
    if (signal.kind !== 'long-operation' || config.mode === 'always') return true
    return (computePercent(session, config) ?? 0) >= config.bufferPercent
  }

  async function findNewest(sessionId: SessionId): Promise<Checkpoint | undefined> {
    return (await ports.store.listCheckpoints({ sessionId, limit: 1 }))[0]?.checkpoint
  }

  async function save(session: Session, worktree: string, signal: Signal): Promise<void> {
    const { autosave, continuity } = await ports.configFor(worktree)
    if (!continuity.enabled || !isRelevant(signal, session, autosave)) return
    if (STORES_CHECKPOINT.has(signal.kind)) await ports.checkpoint(session.id, 'autosave')
    if (autosave.mode === 'off') return
    const percent = signal.kind === 'context' ? undefined : computePercent(session, autosave)
    const verdict = await ports.files.autosave(worktree, {
      now: ports.clock.now(),
      reason: percent === undefined ? signal.reason : `${signal.reason}, context ${percent}%`,
      minIntervalMs: autosave.minIntervalMs,
      canUseObserved: autosave.mode === 'always',
      observe: () => findNewest(session.id),
    })
    ports.log.debug('autosave', {
      session: session.id,
      signal: signal.kind,
      ...(verdict.isDue ? { isWritten: true } : { because: verdict.because }),
    })
  }

  async function append(session: Session, worktree: string, event: SessionEvent): Promise<void> {
    const at = event.at
    if (event.kind === 'prompt-submitted')
      await ports.files.appendBuffer(worktree, session.key, { at, by: 'Human', text: clipPrompt(event) })
    if (event.kind === 'turn-ended' && event.lastMessage !== undefined)
      await ports.files.appendBuffer(worktree, session.key, { at, by: 'Agent (summary)', text: event.lastMessage })
  }

  function isStale(event: SessionEvent): boolean {
    return Date.parse(ports.clock.now()) - Date.parse(event.at) > STALE_EVENT_MS
  }

  async function startBuffer(session: Session, worktree: string, config: AutosaveConfig): Promise<void> {
    const state = getState(session.id)
    const mayCreate = config.mode === 'always'
    const input = { sessionKey: session.key, now: ports.clock.now(), mayCreate }
    state.isBuffering = config.mode !== 'off' && (await ports.files.startBuffer(worktree, input))
  }

  function checkContext(session: Session, worktree: string, config: AutosaveConfig): void {
    const windowTokens = getWindow(session, config)
    if (windowTokens === undefined || session.contextTokens === undefined) return
    const state = getState(session.id)
    const { meter, crossed } = updateMeter(state.meter, session.contextTokens, {
      windowTokens,
      percent: { buffer: config.bufferPercent, autosave: config.contextPercent, fork: NEVER },
      refreshEveryTokens: NEVER,
    })
    state.meter = meter
    if (!meter.fired.includes('buffer')) state.isBuffering = false
    if (crossed.includes('buffer')) runInBackground(session.id, () => startBuffer(session, worktree, config))
    if (!crossed.includes('autosave')) return
    const reason = `context ${computePercent(session, config)}%`
    runInBackground(session.id, () => save(session, worktree, { kind: 'context', reason }))
  }

  function checkIdle(session: Session, worktree: string, config: AutosaveConfig): void {
    const silentMs = Date.parse(ports.clock.now()) - Date.parse(session.lastEventAt)
    const state = getState(session.id)
    if (session.phase !== 'idle' || session.promptCount === 0) return
    if (silentMs < config.idleMs || state.idleSavedSeq === session.lastEventSeq) return
    state.idleSavedSeq = session.lastEventSeq
    const minutes = Math.floor(silentMs / 60_000)
    const reason = `idle for ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
    runInBackground(session.id, () => save(session, worktree, { kind: 'idle', reason }))
  }

  return {
    onEvent(event, session) {
      const worktree = session.place?.worktree
      if (worktree === undefined || event.subagent !== undefined) return
      const isMessage = event.kind === 'prompt-submitted' || event.kind === 'turn-ended'
      if (isMessage && fired.get(session.id)?.isBuffering === true)
        runInBackground(session.id, () => append(session, worktree, event))
      const signal = findSignal(event)
      if (signal !== undefined && !isStale(event)) runInBackground(session.id, () => save(session, worktree, signal))
    },

    async tick() {
      const open = await ports.store.listSessions({
        phases: ['idle', 'working', 'compacting'],
        limit: SESSIONS_PER_TICK,
      })
      for (const session of open) {
        const worktree = session.place?.worktree
        if (worktree === undefined || !isOnThisMachine(session, ports)) continue
        const { autosave } = await ports.configFor(worktree)
        checkContext(session, worktree, autosave)
        checkIdle(session, worktree, autosave)
      }
      const ids = new Set(open.map(({ id }) => id))
      for (const id of fired.keys()) if (!ids.has(id)) fired.delete(id)
    },

    drain: () => queue.drain(),
  }
}
