import { type InjectionText, BEFORE_COMMAND, type Injection, createInjection } from '../../kernel/injection.ts'
import type { EventOf } from '../../kernel/event.ts'
import type { Memory } from '../../kernel/memory.ts'
import { isStale, toScopes } from './failed-approaches.ts'
import { type Loop, detectLoops } from './command-loop.ts'
import { getCallKeys } from './run-verdict.ts'
import { describeLoop, LOOP_HEADING, TRIED_BEFORE_HEADING, renderTriedBefore } from './wording.ts'
import { fence } from '../../kernel/text/fence.ts'
import type { Session } from '../../kernel/session.ts'
import type { AttemptWatch } from './attempt-watch.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import type { FailedApproaches, KnownFailures } from './failed-approaches.ts'

const BUDGET_CHARS = 900
const MAX_WARNINGS = 2
const LEDGER_LOOKBACK = 200
/** Parallel tool calls ask at the same time: only the first is warned. */
const OFFERED_FOR_MS = 2_000
const MAX_OFFERED = 500

type ToolEvent = EventOf<'tool-started'> | EventOf<'tool-finished'>

/** A warning that the command failed before, or keeps failing; usually undefined. */
export type BeforeTool = (session: Session, event: ToolEvent, maxChars: number) => Promise<InjectionText | undefined>

/** The session that saw the failure knows it, unless it was compacted since. */
function isNewTo(session: Session, { evidence }: Memory): boolean {
  return evidence?.sessions.at(-1) !== session.id || session.epoch > evidence.epoch
}

const NOTHING_KNOWN: KnownFailures = new Map()

function explainWarning({ evidence }: Memory): string {
  return `${evidence?.keys[0] ?? 'the command'} is about to run, and failed before`
}

/** A memory is replaced at every further failure, so the command is compared and not the id. A compaction makes it new again. */
function isRepeated({ epoch, reasons }: Injection, session: Session, memory: Memory): boolean {
  return epoch === session.epoch && reasons.some(({ reason }) => reason === explainWarning(memory))
}

export function createBeforeTool(
  deps: Pick<ContinuityPorts, 'store' | 'clock' | 'sha256' | 'configFor' | 'redactors'>,
  watch: Pick<AttemptWatch, 'findState'>,
  failures: Pick<FailedApproaches, 'forProject'>,
): BeforeTool {
  const offered = new Map<string, number>()

  function wasOffered({ id, epoch }: Session, source: string): boolean {
    const atMs = offered.get(`${id}#${epoch} ${source}`)
    return atMs !== undefined && deps.clock.monotonicMs() - atMs < OFFERED_FOR_MS
  }

  function offer({ id, epoch }: Session, sources: readonly string[]): void {
    for (const source of sources) offered.set(`${id}#${epoch} ${source}`, deps.clock.monotonicMs())
    for (const oldest of offered.keys()) {
      if (offered.size <= MAX_OFFERED) break
      offered.delete(oldest)
    }
  }

  async function selectNew<T>(
    session: Session,
    kind: 'memories' | 'notice',
    items: readonly { readonly source: string; readonly item: T }[],
    isShownBy: (injection: Injection, item: T) => boolean = () => false,
  ): Promise<readonly T[]> {
    const fresh = items.filter(({ source }) => !wasOffered(session, source))
    if (fresh.length === 0) return []
    // Before the first await: other calls of the same batch are already asking.
    offer(
      session,
      fresh.map(({ source }) => source),
    )
    const past = await deps.store.listInjections({ sessionId: session.id, kind, limit: LEDGER_LOOKBACK })
    const isShown = ({ source, item }: (typeof items)[number]) =>
      past.some((injection) => injection.sources.includes(source) || isShownBy(injection, item))
    return fresh.filter((one) => !isShown(one)).map(({ item }) => item)
  }

  async function redactLines(session: Session, lines: readonly string[]): Promise<readonly string[]> {
    const redactor = await deps.redactors.forWorktree(session.place?.worktree, session.cwd)
    return redactor.redactAll(lines)
  }

  async function warnAboutLoop(session: Session, loops: readonly Loop[], maxChars: number) {
    const source = (loop: Loop) => `loop ${loop.key}`
    const [loop] = await selectNew(
      session,
      'notice',
      loops.map((item) => ({ source: source(item), item })),
    )
    if (loop === undefined) return undefined
    const lines = await redactLines(session, [describeLoop(loop)])
    const budgetChars = Math.min(BUDGET_CHARS, maxChars)
    const { text } = fence({ heading: LOOP_HEADING, lines, budgetChars, sha256: deps.sha256 })
    if (text === '') return undefined
    return createInjection(deps, session, 'notice', {
      text,
      sources: [source(loop)],
      reasons: [
        { line: lines[0] ?? '', origin: 'loop-breaker', reason: `the same command failed ${loop.attempt.alike} times` },
      ],
    })
  }

  async function warnAboutFailures(session: Session, known: readonly Memory[], maxChars: number) {
    const fresh = await selectNew(
      session,
      'memories',
      known.map((item) => ({ source: item.id, item })),
      (injection, item) => isRepeated(injection, session, item),
    )
    const chosen = fresh.slice(0, MAX_WARNINGS)
    if (chosen.length === 0) return undefined
    const context = { now: deps.clock.now(), head: session.place?.head }
    const lines = await redactLines(
      session,
      chosen.map((memory) => renderTriedBefore(memory, context)),
    )
    const budgetChars = Math.min(BUDGET_CHARS, maxChars)
    const { text, lineCount } = fence({ heading: TRIED_BEFORE_HEADING, lines, budgetChars, sha256: deps.sha256 })
    if (lineCount === 0) return undefined
    const shown = chosen.slice(0, lineCount)
    return createInjection(deps, session, 'memories', {
      text,
      sources: shown.map(({ id }) => id),
      reasons: shown.map((memory, index) => ({
        line: lines[index] ?? '',
        section: BEFORE_COMMAND,
        origin: memory.id,
        reason: explainWarning(memory),
      })),
    })
  }

  return async (session, event, maxChars) => {
    const { place } = session
    const { kind } = event.tool
    if ((kind !== 'shell' && kind !== 'edit') || place === undefined || event.subagent !== undefined) return undefined
    if (event.kind === 'tool-finished' && event.outcome.refused !== undefined) return undefined
    const state = watch.findState(session.id)
    const failing = state?.attempts.some(({ alike }) => alike > 1) === true ? state : undefined
    // A harness that accepts no text before a tool gets it after the failure.
    const mayKnow = kind === 'shell' && (event.kind === 'tool-started' || !event.outcome.ok)
    const known = mayKnow ? await failures.forProject(place.projectId) : NOTHING_KNOWN
    if (failing === undefined && known.size === 0) return undefined
    const { continuity, memory, loops } = await deps.configFor(place.worktree)
    if (!continuity.enabled) return undefined
    const keys = getCallKeys(event.tool, { worktree: place.worktree, cwd: event.cwd })
    const detected = loops.warn && failing !== undefined ? detectLoops(failing, loops) : []
    const isHere = detected.filter(({ key }) => keys.includes(key))
    const loop = isHere.length === 0 ? undefined : await warnAboutLoop(session, isHere, maxChars)
    if (loop !== undefined || !memory.inject || !memory.failedApproaches) return loop
    const now = deps.clock.now()
    const matching = [...new Set(toScopes(keys, place.branch).flatMap((scope) => known.get(scope) ?? []))].filter(
      (one) => isNewTo(session, one) && !isStale(one.createdAt, now),
    )
    return matching.length === 0 ? undefined : warnAboutFailures(session, matching, maxChars)
  }
}
