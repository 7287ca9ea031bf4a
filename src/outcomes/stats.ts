import type { StartSource } from '../kernel/event.ts'
import type { ProjectId } from '../kernel/id.ts'
import { type Receipt, unchangedRereads } from '../kernel/start-outcome.ts'

/** Fewer on either side and the difference between them says nothing. */
const ENOUGH_STARTS = 10

/** start: an empty context. resume: the conversation itself came back. compact: its summary did. */
export const CIRCUMSTANCES = ['start', 'resume', 'compact'] as const
export type Circumstance = (typeof CIRCUMSTANCES)[number]

export interface Spread {
  readonly n: number
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

/** Starts of one sort. A figure is absent where no start had it; its `n` says how many did. */
export interface StartSummary {
  readonly starts: number
  /** Read again although unchanged. */
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
  /** A recovery was told. */
  readonly warm: StartSummary
  /** Nothing was told: the first session of a project, one after the recovery window, or one from before Holdfast. */
  readonly cold: StartSummary
  readonly isEnough: boolean
  /** How far the figures may be trusted. */
  readonly caution: string
}

export interface ProjectStats {
  readonly projectId: ProjectId
  /** Of the latest start. */
  readonly worktree: string
  readonly comparisons: readonly Comparison[]
}

const CIRCUMSTANCE_OF: Readonly<Record<StartSource, Circumstance>> = {
  startup: 'start',
  clear: 'start',
  resume: 'resume',
  fork: 'resume',
  compact: 'compact',
}

function spreadOf(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined).toSorted((a, b) => a - b)
  const [lowest] = known
  const highest = known.at(-1)
  if (lowest === undefined || highest === undefined) return undefined
  const upper = known[Math.floor(known.length / 2)] ?? 0
  const lower = known[Math.ceil(known.length / 2) - 1] ?? 0
  return { n: known.length, median: (lower + upper) / 2, lowest, highest }
}

function summaryOf(receipts: readonly Receipt[]): StartSummary {
  const spreads = {
    filesReread: spreadOf(receipts.map(({ rework }) => rework && unchangedRereads(rework))),
    commandsRepeated: spreadOf(receipts.map(({ rework }) => rework?.commandsRepeated.length)),
    decisionsReopened: spreadOf(receipts.map(({ rework }) => rework?.decisionsReopened.length)),
    reworkRatio: spreadOf(receipts.map(({ rework }) => rework?.ratio)),
    novel_context_count: spreadOf(receipts.map(({ rework }) => rework?.novel_context_count)),
    callsToFirstEdit: spreadOf(receipts.map(({ callsToFirstEdit }) => callsToFirstEdit)),
    msToFirstEdit: spreadOf(receipts.map(({ msToFirstEdit }) => msToFirstEdit)),
  }
  const known = Object.fromEntries(Object.entries(spreads).filter(([, spread]) => spread !== undefined))
  return { starts: receipts.length, ...known }
}

function cautionOf(warm: number, cold: number): string {
  const counted = `${warm} warm, ${cold} cold`
  if (cold === 0) return `Nothing to compare with: ${counted}.`
  if (Math.min(warm, cold) < ENOUGH_STARTS)
    return `Too few to compare (${counted}; ${ENOUGH_STARTS} of each are the least).`
  return `Seen, not tested (${counted}): nobody drew lots over which starts were told something, and the work differed.`
}

/** A start after which no tool ran shows nothing. */
export function didSomething({ calls }: Receipt): boolean {
  return calls > 0
}

function comparisonsOf(receipts: readonly Receipt[]): readonly Comparison[] {
  return CIRCUMSTANCES.flatMap((circumstance) => {
    const these = receipts.filter(({ source }) => CIRCUMSTANCE_OF[source ?? 'startup'] === circumstance)
    if (these.length === 0) return []
    const warm = these.filter(({ isWarm }) => isWarm)
    const cold = these.filter(({ isWarm }) => !isWarm)
    return [
      {
        circumstance,
        warm: summaryOf(warm),
        cold: summaryOf(cold),
        isEnough: Math.min(warm.length, cold.length) >= ENOUGH_STARTS,
        caution: cautionOf(warm.length, cold.length),
      },
    ]
  })
}

/** Warm starts against cold ones, each project by itself: another project's cold starts are no baseline. Latest start first. */
export function compareStarts(receipts: readonly Receipt[]): readonly ProjectStats[] {
  const projects = new Map<ProjectId, Receipt[]>()
  for (const receipt of receipts.filter(didSomething)) {
    const known = projects.get(receipt.projectId)
    if (known === undefined) projects.set(receipt.projectId, [receipt])
    else known.push(receipt)
  }
  return [...projects].map(([projectId, those]) => ({
    projectId,
    worktree: those[0]?.worktree ?? '',
    comparisons: comparisonsOf(those),
  }))
}
