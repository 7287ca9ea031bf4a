import type { TransferUseCases } from '../../use-cases.ts'
import { HoldfastError, messageOf } from '../../../kernel/errors.ts'
import type { HistoryAnswer, HistoryBatch } from '../import-history.ts'
import type { TranscriptFacts } from '../../../harness/transcript/record-reader.ts'
import { isPacked, isUnpackedSize } from './line-chunks.ts'
import { type PlacedItem, readSource, type Stretch } from './read-source.ts'
import type { TranscriptSource } from './source.ts'

/** Small: the daemon redacts a batch in one go, and a hook may be waiting. */
const BATCH_ITEMS = 16
const BATCH_CHARS = 64_000
const MAX_WAITING = 5_000

/** Written to this recently, somebody may still be at it. */
const IN_USE_MS = 2 * 60_000

/**
 * imported: kept now, all of it. unchanged: was kept before. known: hooks told of it. in-use: still being written.
 * empty: says nothing of any work. off: checkpoints are switched off in its project. unfinished: the daemon went away.
 */
export type Outcome = 'imported' | 'unchanged' | 'known' | 'in-use' | 'empty' | 'off' | 'unfinished' | 'failed'

export interface ImportedSource {
  readonly source: TranscriptSource
  readonly outcome: Outcome
  /** Events that were new; of one that was not read to its end, those up to there. */
  readonly events: number
  readonly reason?: string
}

export interface ImportReport {
  readonly results: readonly ImportedSource[]
  /** Why it ended before its last source. */
  readonly stopped?: HoldfastError
}

type Keeper = Pick<TransferUseCases, 'importHistory'>

/** Pieces of a stretch, each small enough to send and with a place of its own. */
function piecesOf(items: readonly PlacedItem[]): readonly (readonly PlacedItem[])[] {
  const pieces: PlacedItem[][] = [[]]
  let chars = 0
  for (const placed of items) {
    const size = JSON.stringify(placed.item).length
    const last = pieces.at(-1) ?? []
    const isFull = last.length >= BATCH_ITEMS || (last.length > 0 && chars + size > BATCH_CHARS)
    // Killed between two of one place, the next run would take the second for kept.
    if (isFull && last.at(-1)?.at !== placed.at) {
      pieces.push([placed])
      chars = size
    } else {
      last.push(placed)
      chars += size
    }
  }
  return pieces
}

class SessionImport {
  private answer: HistoryAnswer | undefined
  private before = 0
  events = 0
  /** What was said before anything happened waits for the first event. */
  private waiting: readonly PlacedItem[] = []

  constructor(
    private readonly source: TranscriptSource,
    private readonly keeper: Keeper,
  ) {}

  get standing(): HistoryAnswer['standing'] | undefined {
    return this.answer?.standing
  }

  private batch(facts: TranscriptFacts, given: Pick<HistoryBatch, 'upTo' | 'items' | 'isLast'>) {
    const { sessionKey, cwd, gitBranch } = facts
    if (sessionKey === undefined) return undefined
    const { harness } = this.source
    return {
      harness,
      sessionKey,
      ...given,
      ...(cwd === undefined ? {} : { cwd }),
      ...(gitBranch === undefined ? {} : { gitBranch }),
    }
  }

  private async send(batch: HistoryBatch): Promise<void> {
    this.answer = await this.keeper.importHistory(batch)
    this.events += this.answer.kept
  }

  /** Whether there is anything to gain from reading on. */
  async add({ facts, items, isInBytes, upTo: stretchEnd }: Stretch): Promise<boolean> {
    // A file that never says whose it is must not be held whole for that.
    this.waiting = [...this.waiting, ...items].slice(-MAX_WAITING)
    const ask = this.batch(facts, { upTo: 0, items: [], isLast: false })
    if (ask === undefined || !this.waiting.some(({ item }) => item.type === 'event')) return true
    if (this.answer === undefined) {
      await this.send(ask)
      this.before = this.upToSoFar()
      if (this.isSettled(isInBytes)) return false
    }
    const pieces = piecesOf(this.waiting.filter(({ at }) => at > this.before))
    this.waiting = []
    for (const [index, piece] of pieces.entries()) {
      const upTo = index === pieces.length - 1 ? stretchEnd : piece.at(-1)?.at
      if (upTo !== undefined && piece.length > 0)
        await this.send({ ...ask, items: piece.map(({ item }) => item), upTo })
      if (this.answer?.standing === 'known' || this.answer?.standing === 'off') return false
    }
    return true
  }

  private upToSoFar(): number {
    return this.answer?.upTo ?? 0
  }

  private isSettled(isInBytes: boolean): boolean {
    const { standing, upTo } = this.answer ?? { standing: 'absent', upTo: 0 }
    if (standing === 'known' || standing === 'off') return true
    if (standing !== 'over' || !isInBytes) return false
    const { path, size } = this.source
    return isPacked(path) ? isUnpackedSize(path, upTo) : upTo >= size
  }

  async end(facts: TranscriptFacts, upTo: number): Promise<void> {
    const last = this.batch(facts, { upTo, items: [], isLast: true })
    if (last !== undefined && this.answer !== undefined) await this.send(last)
  }
}

const OUTCOME = { absent: 'empty', open: 'imported', over: 'imported', known: 'known', off: 'off' } as const

/** Says why, where the source could not be read to its end. */
async function readInto(session: SessionImport, source: TranscriptSource): Promise<string | undefined> {
  let facts: TranscriptFacts = {}
  let upTo = 0
  let brokenBy: string | undefined
  for await (const stretch of readSource(source)) {
    facts = stretch.facts
    if (!(await session.add(stretch))) return undefined
    upTo = stretch.upTo
    brokenBy = stretch.brokenBy
  }
  // Also where the source breaks off: nobody may ever mend it, and what is kept without a checkpoint is told to nobody.
  await session.end(facts, upTo)
  return brokenBy
}

async function importOne(source: TranscriptSource, keeper: Keeper): Promise<ImportReport> {
  const session = new SessionImport(source, keeper)
  try {
    const reason = await readInto(session, source)
    if (reason !== undefined) return { results: [{ source, outcome: 'failed', events: session.events, reason }] }
  } catch (thrown) {
    const { events } = session
    if (thrown instanceof HoldfastError && thrown.code === 'daemon-unavailable')
      return { results: [{ source, outcome: 'unfinished', events }], stopped: thrown }
    return { results: [{ source, outcome: 'failed', events, reason: messageOf(thrown) }] }
  }
  const { events } = session
  const outcome = OUTCOME[session.standing ?? 'absent']
  return { results: [{ source, events, outcome: outcome === 'imported' && events === 0 ? 'unchanged' : outcome }] }
}

export interface ImportRun {
  readonly keeper: Keeper
  readonly now: () => number
  /** Told after each, for a bar. */
  readonly onDone: (done: number, total: number) => void
}

/** One after the other. A file that cannot be read is reported and the others go on; a daemon that went away ends it. */
export async function importSources(
  sources: readonly TranscriptSource[],
  { keeper, now, onDone }: ImportRun,
): Promise<ImportReport> {
  const results: ImportedSource[] = []
  for (const source of sources) {
    onDone(results.length, sources.length)
    // A time that lies ahead says that a clock was wrong, not that somebody writes.
    if (Math.abs(now() - source.modifiedMs) < IN_USE_MS) {
      results.push({ source, outcome: 'in-use', events: 0 })
      continue
    }
    const one = await importOne(source, keeper)
    results.push(...one.results)
    if (one.stopped !== undefined) return { results, stopped: one.stopped }
  }
  onDone(sources.length, sources.length)
  return { results }
}
