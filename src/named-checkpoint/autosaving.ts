import type { AutosaveConfig, Config } from '../kernel/config.ts'
import type { Checkpoint, CheckpointTrigger } from '../kernel/checkpoint.ts'
import { type ContextMeter, EMPTY_METER, measure } from '../kernel/context-bands.ts'
import { isOnThisMachine } from '../kernel/ports/liveness.ts'
import { messageOf } from '../kernel/errors.ts'
import type { SessionEvent, EventOf, ToolCall } from '../kernel/event.ts'
import type { SessionId } from '../kernel/id.ts'
import type { Machine } from '../kernel/machine.ts'
import type { Clock, Log, Store } from '../kernel/ports/ports.ts'
import type { Session } from '../kernel/session.ts'
import { readPrompt } from '../kernel/text/text.ts'
import type { CheckpointFiles } from './checkpoint-files.ts'

/** S3's reasons to save without being asked. */
type SignalKind = 'context' | 'close-words' | 'idle' | 'long-operation' | 'compaction' | 'session-end'

interface Signal {
  readonly kind: SignalKind
  /** For the log: `context 78%`, `the user said goodnight`. */
  readonly reason: string
}

/** Longer ones are about something else that ends or exits. */
const MAX_CLOSING_CHARS = 80
const MAX_READ_CHARS = 4_000

const CLOSING =
  /\b(?:good ?night|bye(?:[- ]?bye)?|good ?bye|see you (?:tomorrow|later|soon)|(?:continue|resume|pick (?:this|it) up|finish (?:this|it)) (?:again )?(?:later|tomorrow|next time)|(?:done|enough|that'?s (?:it|all)) for (?:today|now)|call it a (?:day|night)|logging off|going to (?:bed|sleep)|(?:let'?s )?pause (?:here|for now)|stop (?:here )?for now)\b|晚安|睡觉了|休息了|明天见|下次继续/i

/** Said of many things; meant as a farewell only when it is all that is said. */
const CLOSING_ALONE = /^[\s/!.,…]*(?:exit|quit|log ?out|later|tomorrow|pause|bye|退出|关闭)[\s!.,…]*$/i

const RUNNING_OUT =
  /<summary>|\bcontext limit\b|\b(?:context|conversation) (?:was |is |has been )?truncated\b|\brunning (?:low on|out of) context\b/i

/** What usually takes longer than half a minute: builds, installs, deployments, jobs over data. */
const LONG =
  /\b(?:docker (?:build|compose (?:up|build))|(?:npm|pnpm|yarn|bun) (?:ci|install|run build|build)|(?:cargo|go|swift|dotnet) build|cargo (?:test|install)|(?:make|cmake --build|ninja|bazel build)\b(?! ?-?-?(?:help|version|n\b))|mvn|gradlew?|(?:next|vite|webpack|tsc -b|turbo run) build|pip3? install|apt(?:-get)? (?:install|upgrade)|brew install|terraform (?:apply|destroy)|kubectl (?:apply|rollout)|helm (?:install|upgrade)|ansible-playbook|pg_(?:dump|restore)|rsync|playwright (?:install|test)|deploy)\b/i

function closingWords(prompt: string): string | undefined {
  const said = prompt.trim()
  if (said.length > MAX_CLOSING_CHARS) return undefined
  return (CLOSING.exec(said) ?? CLOSING_ALONE.exec(said))?.[0].trim()
}

const RUNS_OUT: Signal = { kind: 'context', reason: 'the context runs out' }

function saidBy(event: EventOf<'prompt-submitted' | 'turn-ended'>): Signal | undefined {
  if (event.kind === 'turn-ended')
    return RUNNING_OUT.test(event.lastMessage?.slice(-MAX_READ_CHARS) ?? '') ? RUNS_OUT : undefined
  const words = closingWords(event.prompt)
  if (words !== undefined) return { kind: 'close-words', reason: `the user said ${words}` }
  return RUNNING_OUT.test(event.prompt.slice(0, MAX_READ_CHARS)) ? RUNS_OUT : undefined
}

function isLong({ kind, command = '' }: ToolCall): boolean {
  return kind === 'shell' && LONG.test(command.slice(0, MAX_READ_CHARS))
}

/** What an event says about the end of a context, a session or a day. Undefined for nearly all of them. */
export function signalOf(event: SessionEvent): Signal | undefined {
  if (event.subagent !== undefined) return undefined
  if (event.kind === 'prompt-submitted' || event.kind === 'turn-ended') return saidBy(event)
  if (event.kind === 'compaction-started') return { kind: 'compaction', reason: 'before a compaction' }
  if (event.kind === 'session-ended') return { kind: 'session-end', reason: 'the session ends' }
  if (event.kind === 'tool-started' && isLong(event.tool))
    return { kind: 'long-operation', reason: 'before a long command' }
  return undefined
}

const SESSIONS_PER_TICK = 500
/** An event that waited in the spool for longer tells of a moment that is over. */
const STALE_EVENT_MS = 10 * 60_000
/** Forks and refreshes are for the sessions of governed tasks. */
const NEVER = Number.POSITIVE_INFINITY

/** Signals at which the store gets a checkpoint too; at the others it has its own. */
const KEEPS_CHECKPOINT: ReadonlySet<SignalKind> = new Set<SignalKind>(['context', 'close-words'])

export interface AutosavingDeps {
  readonly files: Pick<CheckpointFiles, 'autosave' | 'startBuffer' | 'appendBuffer'>
  readonly store: Pick<Store, 'listSessions' | 'listCheckpoints'>
  readonly checkpoint: (sessionId: SessionId, trigger: CheckpointTrigger) => Promise<unknown>
  /** How many tokens fit into the session's context; undefined where nobody knows. */
  readonly contextWindowOf: (session: Session) => number | undefined
  readonly configFor: (worktree: string | undefined) => Promise<Config>
  readonly clock: Pick<Clock, 'now'>
  readonly machine: Machine
  readonly log: Log
}

export interface Autosaving {
  /** Looks at what was just recorded. Returns at once: what follows from it is done behind the caller's back. */
  follow(event: SessionEvent, session: Session): void
  /** Context that filled up, and sessions that fell silent with work open. Cheap when there is nothing to do. */
  tick(): Promise<void>
  /** Resolves when nothing is under way. */
  drain(): Promise<void>
}

/** What has fired since the context was last emptied; kept in memory: after a restart a threshold may fire once more, and its guards hold. */
interface Fired {
  meter: ContextMeter
  isBuffering: boolean
  /** The event after which its silence was answered. */
  silentAfterSeq: number
}

/** S3's autosave: on its signals, with its guards, where a project uses it or the user switched it on. */
export function createAutosaving(deps: AutosavingDeps): Autosaving {
  const fired = new Map<SessionId, Fired>()
  const underWay = new Set<Promise<void>>()
  /** One after the other for each session, so that entries of a buffer keep their order. */
  const queues = new Map<SessionId, Promise<void>>()

  function firedOf(id: SessionId): Fired {
    const known = fired.get(id) ?? { meter: EMPTY_METER, isBuffering: false, silentAfterSeq: 0 }
    fired.set(id, known)
    return known
  }

  function inBackground(id: SessionId, run: () => Promise<void>): void {
    const next: Promise<void> = (queues.get(id) ?? Promise.resolve())
      .then(run)
      .catch((error: unknown) => {
        // A link where the folder should be, a full disk: the store has its own checkpoints, and the next signal tries again.
        deps.log.warn('autosave failed', { session: id, error: messageOf(error) })
      })
      .finally(() => {
        underWay.delete(next)
        if (queues.get(id) === next) queues.delete(id)
      })
    queues.set(id, next)
    underWay.add(next)
  }

  function windowOf(session: Session, config: AutosaveConfig): number | undefined {
    const window = config.contextWindowTokens || deps.contextWindowOf(session)
    return window === undefined || window <= 0 ? undefined : window
  }

  function percentOf(session: Session, config: AutosaveConfig): number | undefined {
    const window = windowOf(session, config)
    if (window === undefined || session.contextTokens === undefined) return undefined
    return Math.floor((session.contextTokens * 100) / window)
  }

  /** A long command alone is S3's lowest signal, and optional: it counts when the context is filling up, or when asked for. */
  function isWanted(signal: Signal, session: Session, config: AutosaveConfig): boolean {
    if (signal.kind !== 'long-operation' || config.mode === 'always') return true
    return (percentOf(session, config) ?? 0) >= config.bufferPercent
  }

  async function newestOf(sessionId: SessionId): Promise<Checkpoint | undefined> {
    return (await deps.store.listCheckpoints({ sessionId, limit: 1 }))[0]?.checkpoint
  }

  async function save(session: Session, worktree: string, signal: Signal): Promise<void> {
    const { autosave, continuity } = await deps.configFor(worktree)
    if (!continuity.enabled || !isWanted(signal, session, autosave)) return
    if (KEEPS_CHECKPOINT.has(signal.kind)) await deps.checkpoint(session.id, 'autosave')
    if (autosave.mode === 'off') return
    const percent = signal.kind === 'context' ? undefined : percentOf(session, autosave)
    const verdict = await deps.files.autosave(worktree, {
      now: deps.clock.now(),
      reason: percent === undefined ? signal.reason : `${signal.reason}, context ${percent}%`,
      minIntervalMs: autosave.minIntervalMs,
      mayStandOnObserved: autosave.mode === 'always',
      observe: () => newestOf(session.id),
    })
    deps.log.debug('autosave', {
      session: session.id,
      signal: signal.kind,
      ...(verdict.isDue ? { isWritten: true } : { because: verdict.because }),
    })
  }

  async function append(session: Session, worktree: string, event: SessionEvent): Promise<void> {
    const at = event.at
    if (event.kind === 'prompt-submitted')
      await deps.files.appendBuffer(worktree, session.key, { at, by: 'Human', text: readPrompt(event) })
    if (event.kind === 'turn-ended' && event.lastMessage !== undefined)
      await deps.files.appendBuffer(worktree, session.key, { at, by: 'Agent (summary)', text: event.lastMessage })
  }

  function isTooOld(event: SessionEvent): boolean {
    return Date.parse(deps.clock.now()) - Date.parse(event.at) > STALE_EVENT_MS
  }

  async function startBuffer(session: Session, worktree: string, config: AutosaveConfig): Promise<void> {
    const state = firedOf(session.id)
    const mayCreate = config.mode === 'always'
    const input = { sessionKey: session.key, now: deps.clock.now(), mayCreate }
    state.isBuffering = config.mode !== 'off' && (await deps.files.startBuffer(worktree, input))
  }

  function attendContext(session: Session, worktree: string, config: AutosaveConfig): void {
    const windowTokens = windowOf(session, config)
    if (windowTokens === undefined || session.contextTokens === undefined) return
    const state = firedOf(session.id)
    const { meter, crossed } = measure(state.meter, session.contextTokens, {
      windowTokens,
      percent: { buffer: config.bufferPercent, autosave: config.contextPercent, fork: NEVER },
      refreshEveryTokens: NEVER,
    })
    state.meter = meter
    if (!meter.fired.includes('buffer')) state.isBuffering = false
    if (crossed.includes('buffer')) inBackground(session.id, () => startBuffer(session, worktree, config))
    if (!crossed.includes('autosave')) return
    const reason = `context ${percentOf(session, config)}%`
    inBackground(session.id, () => save(session, worktree, { kind: 'context', reason }))
  }

  function attendSilence(session: Session, worktree: string, config: AutosaveConfig): void {
    const silentMs = Date.parse(deps.clock.now()) - Date.parse(session.lastEventAt)
    const state = firedOf(session.id)
    if (session.phase !== 'idle' || session.promptCount === 0) return
    if (silentMs < config.idleMs || state.silentAfterSeq === session.lastEventSeq) return
    state.silentAfterSeq = session.lastEventSeq
    const reason = `idle for ${Math.floor(silentMs / 60_000)} minutes`
    inBackground(session.id, () => save(session, worktree, { kind: 'idle', reason }))
  }

  return {
    follow(event, session) {
      const worktree = session.place?.worktree
      if (worktree === undefined || event.subagent !== undefined) return
      const isSaid = event.kind === 'prompt-submitted' || event.kind === 'turn-ended'
      if (isSaid && fired.get(session.id)?.isBuffering === true)
        inBackground(session.id, () => append(session, worktree, event))
      const signal = signalOf(event)
      if (signal !== undefined && !isTooOld(event)) inBackground(session.id, () => save(session, worktree, signal))
    },

    async tick() {
      const open = await deps.store.listSessions({
        phases: ['idle', 'working', 'compacting'],
        limit: SESSIONS_PER_TICK,
      })
      for (const session of open) {
        const worktree = session.place?.worktree
        if (worktree === undefined || !isOnThisMachine(session, deps)) continue
        const { autosave } = await deps.configFor(worktree)
        attendContext(session, worktree, autosave)
        attendSilence(session, worktree, autosave)
      }
      const ids = new Set(open.map(({ id }) => id))
      for (const id of fired.keys()) if (!ids.has(id)) fired.delete(id)
    },

    async drain() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
