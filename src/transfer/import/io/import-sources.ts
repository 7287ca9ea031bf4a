// Stores transcripts that were found, whichever harness wrote them. A new import source is added in
// src/harness/<id>/transcript.ts.
import type { TransferUseCases } from '../../use-cases.ts'
import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import type { HistoryAnswer, HistoryBatch } from '../import-history.ts'
import type { TranscriptFacts, TranscriptSource } from '../../../harness/contract/transcript-format.ts'
import { isPacked, isUnpackedSize } from './line-chunks.ts'
import { type PositionedItem, readSource, type TranscriptPart } from './read-source.ts'

/** Small: the daemon redacts a batch in one go, and a hook may be waiting. */
const BATCH_ITEMS = 16
const BATCH_CHARS = 64_000
const MAX_WAITING = 5_000

/** A file that was written to this recently may still be in use. */
const IN_USE_MS = 2 * 60_000

/**
 * imported: everything is stored now. unchanged: was stored before. known: hooks reported it. in-use: still being
 * written. empty: contains no work. off: checkpoints are disabled in its project. unfinished: the daemon went away.
 */
export type ImportOutcome = 'imported' | 'unchanged' | 'known' | 'in-use' | 'empty' | 'off' | 'unfinished' | 'failed'

export interface ImportedSource {
  readonly source: TranscriptSource
  readonly outcome: ImportOutcome
  /** New events; of a source that was not read to its end, those up to there. */
  readonly events: number
  readonly reason?: string
}

export interface ImportReport {
  readonly results: readonly ImportedSource[]
  /** Why it ended before its last source. */
  readonly stopped?: HoldfastError
}

type HistoryStore = Pick<TransferUseCases, 'importHistory'>

/** Batches of a part, each small enough to send and with a position of its own. */
function splitBatches(items: readonly PositionedItem[]): readonly (readonly PositionedItem[])[] {
  const batches: PositionedItem[][] = [[]]
  let chars = 0
  for (const positioned of items) {
    const size = JSON.stringify(positioned.item).length
    const last = batches.at(-1) ?? []
    const isFull = last.length >= BATCH_ITEMS || (last.length > 0 && chars + size > BATCH_CHARS)
    // Killed between two items of one position, the next run would skip the second.
    if (isFull && last.at(-1)?.at !== positioned.at) {
      batches.push([positioned])
      chars = size
    } else {
      last.push(positioned)
      chars += size
    }
  }
  return batches
}

class SessionImport {
  private answer: HistoryAnswer | undefined
  private before = 0
  events = 0
  /** Statements before the first event wait for it. */
  private waiting: readonly PositionedItem[] = []

  constructor(
    private readonly source: TranscriptSource,
    private readonly store: HistoryStore,
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
    this.answer = await this.store.importHistory(batch)
    this.events += this.answer.kept
  }

  /** Whether reading should continue. */
  async add({ facts, items, isInBytes, upTo: stretchEnd }: TranscriptPart): Promise<boolean> {
    // A file that never names its session must not be read into memory.
    this.waiting = [...this.waiting, ...items].slice(-MAX_WAITING)
    const ask = this.batch(facts, { upTo: 0, items: [], isLast: false })
    if (ask === undefined || !this.waiting.some(({ item }) => item.type === 'event')) return true
    if (this.answer === undefined) {
      await this.send(ask)
      this.before = this.upToSoFar()
      if (this.isSettled(isInBytes)) return false
    }
    const batches = splitBatches(this.waiting.filter(({ at }) => at > this.before))
    this.waiting = []
    for (const [index, batch] of batches.entries()) {
      const upTo = index === batches.length - 1 ? stretchEnd : batch.at(-1)?.at
      if (upTo !== undefined && batch.length > 0)
        await this.send({ ...ask, items: batch.map(({ item }) => item), upTo })
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

/** Returns why the source could not be read to its end. */
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
  // Also where the source is truncated: it may never be repaired, and without a checkpoint its events are not used.
  await session.end(facts, upTo)
  return brokenBy
}

async function importOne(source: TranscriptSource, store: HistoryStore): Promise<ImportReport> {
  const session = new SessionImport(source, store)
  try {
    const reason = await readInto(session, source)
    if (reason !== undefined) return { results: [{ source, outcome: 'failed', events: session.events, reason }] }
  } catch (thrown) {
    const { events } = session
    if (thrown instanceof HoldfastError && thrown.code === 'daemon-unavailable')
      return { results: [{ source, outcome: 'unfinished', events }], stopped: thrown }
    return { results: [{ source, outcome: 'failed', events, reason: getErrorMessage(thrown) }] }
  }
  const { events } = session
  const outcome = OUTCOME[session.standing ?? 'absent']
  return { results: [{ source, events, outcome: outcome === 'imported' && events === 0 ? 'unchanged' : outcome }] }
}

export interface ImportSourcePorts {
  readonly store: HistoryStore
  readonly now: () => number
  /** Called after each source, for a progress bar. */
  readonly onDone: (done: number, total: number) => void
}

/** One after the other. A file that cannot be read is reported and the others continue; a daemon that went away ends it. */
export async function importSources(
  sources: readonly TranscriptSource[],
  { store, now, onDone }: ImportSourcePorts,
): Promise<ImportReport> {
  const results: ImportedSource[] = []
  for (const source of sources) {
    onDone(results.length, sources.length)
    // A time in the future means a wrong clock, not a file in use.
    if (Math.abs(now() - source.modifiedMs) < IN_USE_MS) {
      results.push({ source, outcome: 'in-use', events: 0 })
      continue
    }
    const one = await importOne(source, store)
    results.push(...one.results)
    if (one.stopped !== undefined) return { results, stopped: one.stopped }
  }
  onDone(sources.length, sources.length)
  return { results }
}
