import { type InjectionText, BEFORE_COMMAND, type Injection, createInjection } from '../../kernel/injection.ts'
import type { EventOf } from '../../kernel/event.ts'
import type { Memory } from '../../kernel/memory.ts'
import { isStale, scopesOf } from './evidence.ts'
import { type Loop, loopsOf } from './loops.ts'
import { keysOfCall } from './run-verdict.ts'
import { goingRound, GOING_ROUND, TRIED_BEFORE, triedBefore } from './wording.ts'
import { fence } from '../../kernel/text/fence.ts'
import type { Session } from '../../kernel/session.ts'
import type { AttemptWatch } from './attempt-watch.ts'
import type { ContinuityDeps } from '../../kernel/ports/runtime.ts'
import type { FailedApproaches, KnownFailures } from './failed-approaches.ts'

const BUDGET_CHARS = 900
const MAX_TOLD = 2
const LEDGER_LOOKBACK = 200
/** Calls that a harness makes at once ask at once: whoever was first is the one to be told. */
const OFFERED_FOR_MS = 2_000
const MAX_OFFERED = 500

type ToolEvent = EventOf<'tool-started'> | EventOf<'tool-finished'>

/** That the command was tried and failed before, or is being tried again and again; undefined as a rule. */
export type BeforeTool = (session: Session, event: ToolEvent, maxChars: number) => Promise<InjectionText | undefined>

/** The session that saw it fail knows, unless it was compacted since. */
function isNewsTo(session: Session, { evidence }: Memory): boolean {
  return evidence?.sessions.at(-1) !== session.id || session.epoch > evidence.epoch
}

const NOTHING_KNOWN: KnownFailures = new Map()

function whyTold({ evidence }: Memory): string {
  return `${evidence?.keys[0] ?? 'the command'} is about to run, and failed before`
}

/** A memory is replaced whenever somebody fails there once more: whoever was told of the command knows, until a compaction. */
function isSaidAgain({ epoch, reasons }: Injection, session: Session, memory: Memory): boolean {
  return epoch === session.epoch && reasons.some(({ reason }) => reason === whyTold(memory))
}

export function createBeforeTool(
  deps: Pick<ContinuityDeps, 'store' | 'clock' | 'sha256' | 'configFor' | 'redactors'>,
  watch: Pick<AttemptWatch, 'known'>,
  failures: Pick<FailedApproaches, 'of'>,
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

  async function notYetTold<T>(
    session: Session,
    kind: 'memories' | 'notice',
    items: readonly { readonly source: string; readonly item: T }[],
    isToldBy: (injection: Injection, item: T) => boolean = () => false,
  ): Promise<readonly T[]> {
    const fresh = items.filter(({ source }) => !wasOffered(session, source))
    if (fresh.length === 0) return []
    // Before anything is waited for: the others of the same batch are asking already.
    offer(
      session,
      fresh.map(({ source }) => source),
    )
    const past = await deps.store.listInjections({ sessionId: session.id, kind, limit: LEDGER_LOOKBACK })
    const isTold = ({ source, item }: (typeof items)[number]) =>
      past.some((injection) => injection.sources.includes(source) || isToldBy(injection, item))
    return fresh.filter((one) => !isTold(one)).map(({ item }) => item)
  }

  async function redactedLines(session: Session, lines: readonly string[]): Promise<readonly string[]> {
    const redactor = await deps.redactors.forWorktree(session.place?.worktree, session.cwd)
    return redactor.redactAll(lines)
  }

  async function tellLoop(session: Session, loops: readonly Loop[], maxChars: number) {
    const source = (loop: Loop) => `loop ${loop.key}`
    const [loop] = await notYetTold(
      session,
      'notice',
      loops.map((item) => ({ source: source(item), item })),
    )
    if (loop === undefined) return undefined
    const lines = await redactedLines(session, [goingRound(loop)])
    const budgetChars = Math.min(BUDGET_CHARS, maxChars)
    const { text } = fence({ heading: GOING_ROUND, lines, budgetChars, sha256: deps.sha256 })
    if (text === '') return undefined
    return createInjection(deps, session, 'notice', {
      text,
      sources: [source(loop)],
      reasons: [
        { line: lines[0] ?? '', origin: 'loop-breaker', reason: `the same command failed ${loop.attempt.alike} times` },
      ],
    })
  }

  async function tellFailures(session: Session, known: readonly Memory[], maxChars: number) {
    const fresh = await notYetTold(
      session,
      'memories',
      known.map((item) => ({ source: item.id, item })),
      (injection, item) => isSaidAgain(injection, session, item),
    )
    const chosen = fresh.slice(0, MAX_TOLD)
    if (chosen.length === 0) return undefined
    const telling = { now: deps.clock.now(), head: session.place?.head }
    const lines = await redactedLines(
      session,
      chosen.map((memory) => triedBefore(memory, telling)),
    )
    const budgetChars = Math.min(BUDGET_CHARS, maxChars)
    const { text, lineCount } = fence({ heading: TRIED_BEFORE, lines, budgetChars, sha256: deps.sha256 })
    if (lineCount === 0) return undefined
    const told = chosen.slice(0, lineCount)
    return createInjection(deps, session, 'memories', {
      text,
      sources: told.map(({ id }) => id),
      reasons: told.map((memory, index) => ({
        line: lines[index] ?? '',
        section: BEFORE_COMMAND,
        origin: memory.id,
        reason: whyTold(memory),
      })),
    })
  }

  return async (session, event, maxChars) => {
    const { place } = session
    const { kind } = event.tool
    if ((kind !== 'shell' && kind !== 'edit') || place === undefined || event.subagent !== undefined) return undefined
    const state = watch.known(session.id)
    const trouble = state?.attempts.some(({ alike }) => alike > 1) === true ? state : undefined
    // Where a harness takes no word before a tool, it is still worth saying after the failure.
    const mayKnow = kind === 'shell' && (event.kind === 'tool-started' || !event.outcome.ok)
    const known = mayKnow ? await failures.of(place.projectId) : NOTHING_KNOWN
    if (trouble === undefined && known.size === 0) return undefined
    const { continuity, memory, loops } = await deps.configFor(place.worktree)
    if (!continuity.enabled) return undefined
    const keys = keysOfCall(event.tool, { worktree: place.worktree, cwd: event.cwd })
    const round = loops.warn && trouble !== undefined ? loopsOf(trouble, loops) : []
    const isHere = round.filter(({ key }) => keys.includes(key))
    const loop = isHere.length === 0 ? undefined : await tellLoop(session, isHere, maxChars)
    if (loop !== undefined || !memory.inject || !memory.failedApproaches) return loop
    const now = deps.clock.now()
    const met = [...new Set(scopesOf(keys, place.branch).flatMap((scope) => known.get(scope) ?? []))].filter(
      (one) => isNewsTo(session, one) && !isStale(one.createdAt, now),
    )
    return met.length === 0 ? undefined : tellFailures(session, met, maxChars)
  }
}
