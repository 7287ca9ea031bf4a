import { getSessionId, type StartSource, type StoredEvent } from '../kernel/event.ts'
import type { ProjectId, SessionId } from '../kernel/id.ts'
import type { Injection } from '../kernel/injection.ts'
import { type StartOutcome, unchangedRereads } from '../kernel/start-outcome.ts'

/** Minimum on each side for a meaningful comparison. */
const ENOUGH_STARTS = 10

/** start: an empty context; resume: the old conversation; compact: its summary. */
export const CIRCUMSTANCES = ['start', 'resume', 'compact'] as const
export type Circumstance = (typeof CIRCUMSTANCES)[number]

export interface Spread {
  readonly n: number
  readonly median: number
  readonly lowest: number
  readonly highest: number
  /** 95 % confidence interval of the median; absent below six values, where no interval reaches 95 %. */
  readonly interval?: { readonly from: number; readonly to: number }
}

/** A figure is absent when no start had it; `n` is the number of starts that did. */
export interface StartSummary {
  readonly starts: number
  /** Unchanged files that were read again. */
  readonly filesReread?: Spread
  readonly commandsRepeated?: Spread
  readonly decisionsReopened?: Spread
  readonly reworkRatio?: Spread
  readonly novel_context_count?: Spread
  readonly callsToFirstEdit?: Spread
  readonly msToFirstEdit?: Spread
}

export interface Comparison {
  readonly circumstance: Circumstance
  /** With a recovery. */
  readonly warm: StartSummary
  /** Without a recovery: the first session of a project, one after the recovery window, or an imported one. */
  readonly cold: StartSummary
  readonly isEnough: boolean
  /** How reliable the figures are. */
  readonly caution: string
}

export interface ProjectStats {
  readonly projectId: ProjectId
  /** Worktree of the latest start. */
  readonly worktree: string
  readonly comparisons: readonly Comparison[]
}

const CIRCUMSTANCE_BY_SOURCE: Readonly<Record<StartSource, Circumstance>> = {
  startup: 'start',
  clear: 'start',
  resume: 'resume',
  fork: 'resume',
  compact: 'compact',
}

/**
 * The widest pair of order statistics is narrowed while the chance that the median lies outside stays below 5 %: each value
 * is below the median with chance one half, whatever the distribution.
 */
function findInterval(sorted: readonly number[]): Spread['interval'] {
  const n = sorted.length
  let chance = 2 ** -n
  let outside = 0
  let rank = 0
  while (rank < n / 2 && 2 * (outside + chance) <= 0.05) {
    outside += chance
    chance = (chance * (n - rank)) / (rank + 1)
    rank += 1
  }
  const [from, to] = [sorted[rank - 1], sorted[n - rank]]
  return rank === 0 || from === undefined || to === undefined ? undefined : { from, to }
}

function measureSpread(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined).toSorted((a, b) => a - b)
  const [lowest] = known
  const highest = known.at(-1)
  if (lowest === undefined || highest === undefined) return undefined
  const upper = known[Math.floor(known.length / 2)] ?? 0
  const lower = known[Math.ceil(known.length / 2) - 1] ?? 0
  const interval = findInterval(known)
  return { n: known.length, median: (lower + upper) / 2, lowest, highest, ...(interval !== undefined && { interval }) }
}

function summarizeStarts(outcomes: readonly StartOutcome[]): StartSummary {
  const spreads = {
    filesReread: measureSpread(outcomes.map(({ rework }) => rework && unchangedRereads(rework))),
    commandsRepeated: measureSpread(outcomes.map(({ rework }) => rework?.commandsRepeated.length)),
    decisionsReopened: measureSpread(outcomes.map(({ rework }) => rework?.decisionsReopened.length)),
    reworkRatio: measureSpread(outcomes.map(({ rework }) => rework?.ratio)),
    novel_context_count: measureSpread(outcomes.map(({ rework }) => rework?.novel_context_count)),
    callsToFirstEdit: measureSpread(outcomes.map(({ callsToFirstEdit }) => callsToFirstEdit)),
    msToFirstEdit: measureSpread(outcomes.map(({ msToFirstEdit }) => msToFirstEdit)),
  }
  const known = Object.fromEntries(Object.entries(spreads).filter(([, spread]) => spread !== undefined))
  return { starts: outcomes.length, ...known }
}

function describeCaution(warm: number, cold: number): string {
  const counted = `${warm} warm, ${cold} cold`
  if (cold === 0) return `Nothing to compare with: ${counted}.`
  if (Math.min(warm, cold) < ENOUGH_STARTS)
    return `Too few to compare (${counted}; at least ${ENOUGH_STARTS} of each are needed).`
  return `Observed, not an experiment (${counted}): starts were not assigned at random, and the work differed.`
}

/** A start without tool calls has nothing to measure. */
export function didSomething({ calls }: StartOutcome): boolean {
  return calls > 0
}

function compareByCircumstance(outcomes: readonly StartOutcome[]): readonly Comparison[] {
  return CIRCUMSTANCES.flatMap((circumstance) => {
    const matching = outcomes.filter(({ source }) => CIRCUMSTANCE_BY_SOURCE[source ?? 'startup'] === circumstance)
    if (matching.length === 0) return []
    const warm = matching.filter(({ isWarm }) => isWarm)
    const cold = matching.filter(({ isWarm }) => !isWarm)
    return [
      {
        circumstance,
        warm: summarizeStarts(warm),
        cold: summarizeStarts(cold),
        isEnough: Math.min(warm.length, cold.length) >= ENOUGH_STARTS,
        caution: describeCaution(warm.length, cold.length),
      },
    ]
  })
}

/** Compares warm and cold starts for each project by itself. Latest start first. */
export function compareStarts(outcomes: readonly StartOutcome[]): readonly ProjectStats[] {
  const projects = new Map<ProjectId, StartOutcome[]>()
  for (const outcome of outcomes.filter(didSomething)) {
    const known = projects.get(outcome.projectId)
    if (known === undefined) projects.set(outcome.projectId, [outcome])
    else known.push(outcome)
  }
  return [...projects].map(([projectId, starts]) => ({
    projectId,
    worktree: starts[0]?.worktree ?? '',
    comparisons: compareByCircumstance(starts),
  }))
}

export interface SectionVotes {
  readonly sessions: number
  readonly shown: number
  readonly used: number
}

/** How often lines of one section were shown and used, in all projects and in the requested one. */
export interface SectionUse {
  readonly section: string
  readonly everywhere: SectionVotes
  readonly here: SectionVotes
}

type LabelledStart = Pick<StartOutcome, 'sessionId' | 'labels'>

function countVotes(starts: readonly LabelledStart[], section: string): SectionVotes {
  const sessions = new Set<string>()
  let [shown, used] = [0, 0]
  for (const { sessionId, labels } of starts) {
    const label = labels.find((candidate) => candidate.section === section)
    // Only the first start of a session counts, so that one that is compacted twenty times has one vote.
    if (label === undefined || sessions.has(sessionId)) continue
    sessions.add(sessionId)
    shown += label.shown
    used += label.used
  }
  return { sessions: sessions.size, shown, used }
}

/** Sums the labels of starts by section, sorted by section. */
export function countSectionUse(
  here: readonly LabelledStart[],
  everywhere: readonly LabelledStart[],
): readonly SectionUse[] {
  const sections = [...here, ...everywhere].flatMap(({ labels }) => labels.map(({ section }) => section))
  return [...new Set(sections)]
    .toSorted()
    .map((section) => ({ section, everywhere: countVotes(everywhere, section), here: countVotes(here, section) }))
}

export interface DigestStats {
  /** How often an agent was asked for a digest. */
  readonly requests: number
  /** How many of these requests were followed by one, before the next request. */
  readonly followed: number
  /** Starts with a recovery from a session that had left a digest, of whichever author. */
  readonly startsWith: StartSummary
  readonly startsWithout: StartSummary
}

export interface DigestStatsInput {
  readonly requests: readonly Pick<Injection, 'sessionId' | 'at'>[]
  /** In log order. */
  readonly written: readonly StoredEvent[]
  readonly outcomes: readonly StartOutcome[]
}

interface WrittenDigest {
  readonly seq: number
  readonly at: string
  readonly isAgents: boolean
}

/** How often a request was followed, and how starts with a digest compare with starts without one. */
export function summarizeDigests({ requests, written, outcomes }: DigestStatsInput): DigestStats {
  const digests = new Map<SessionId, WrittenDigest[]>()
  for (const { seq, event } of written) {
    if (event.kind !== 'digest-written') continue
    const id = getSessionId(event)
    const one = { seq, at: event.at, isAgents: (event.author ?? 'agent') === 'agent' }
    digests.set(id, [...(digests.get(id) ?? []), one])
  }
  const followed = requests.filter(({ sessionId, at }) => {
    const next = requests.filter((other) => other.sessionId === sessionId && other.at > at).map((other) => other.at)
    const until = next.toSorted()[0]
    return (digests.get(sessionId) ?? []).some(
      (digest) => digest.isAgents && digest.at >= at && (until === undefined || digest.at < until),
    )
  })
  const hasDigest = ({ earlierSessions: [main], startSeq }: StartOutcome) =>
    main !== undefined && (digests.get(main) ?? []).some(({ seq }) => seq < startSeq)
  const warm = outcomes.filter((outcome) => outcome.isWarm && didSomething(outcome))
  return {
    requests: requests.length,
    followed: followed.length,
    startsWith: summarizeStarts(warm.filter(hasDigest)),
    startsWithout: summarizeStarts(warm.filter((outcome) => !hasDigest(outcome))),
  }
}
