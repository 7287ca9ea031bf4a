import type { Continuity } from '../core/continuity.ts'
import { HoldfastError, messageOf } from '../core/errors.ts'
import type { TranscriptItem } from '../core/event.ts'
import type { HistoryAnswer, HistoryBatch } from '../core/history/import.ts'
import type { TranscriptFacts } from '../transcript/record-reader.ts'
import { isPacked } from './line-chunks.ts'
import { readSource } from './read-source.ts'
import type { TranscriptSource } from './source.ts'

/** Small: the daemon redacts a batch in one go, and a hook may be waiting. */
const BATCH_ITEMS = 16
const BATCH_CHARS = 64_000

/** Written to this recently, somebody may still be at it. */
const IN_USE_MS = 2 * 60_000

/**
 * imported: kept now, all of it. unchanged: was kept before. known: hooks told of it. in-use: still being written.
 * empty: says nothing of any work. off: checkpoints are switched off in its project.
 */
export type Outcome = 'imported' | 'unchanged' | 'known' | 'in-use' | 'empty' | 'off' | 'failed'

export interface ImportedSource {
  readonly source: TranscriptSource
  readonly outcome: Outcome
  /** Events that were new. */
  readonly events: number
  readonly reason?: string
}

type Keeper = Pick<Continuity, 'importHistory'>

/** Pieces of a stretch, each small enough to send; the first of a session holds an event. */
function piecesOf(items: readonly TranscriptItem[]): readonly (readonly TranscriptItem[])[] {
  const pieces: TranscriptItem[][] = [[]]
  let chars = 0
  for (const item of items) {
    const size = JSON.stringify(item).length
    const last = pieces.at(-1) ?? []
    const isFull = last.length >= BATCH_ITEMS || (last.length > 0 && chars + size > BATCH_CHARS)
    if (isFull) {
      pieces.push([item])
      chars = size
    } else {
      last.push(item)
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
  private waiting: readonly TranscriptItem[] = []

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
  async add(facts: TranscriptFacts, items: readonly TranscriptItem[], from: number, upTo: number): Promise<boolean> {
    this.waiting = [...this.waiting, ...items]
    const ask = this.batch(facts, { upTo: 0, items: [], isLast: false })
    if (ask === undefined || !this.waiting.some((item) => item.type === 'event')) return true
    if (this.answer === undefined) {
      await this.send(ask)
      this.before = this.answer === undefined ? 0 : this.upToSoFar()
      if (this.isSettled()) return false
    }
    const pieces = piecesOf(this.waiting)
    this.waiting = []
    for (const [index, piece] of pieces.entries()) {
      const isLast = index === pieces.length - 1
      // Each piece has a place of its own between two ends of lines, the same in every run.
      const at = isLast ? upTo : Math.min(from + index + 1, upTo - 1)
      if (at > this.before) await this.send({ ...ask, items: piece, upTo: at })
      if (this.answer?.standing === 'known' || this.answer?.standing === 'off') return false
    }
    return true
  }

  private upToSoFar(): number {
    return this.answer?.upTo ?? 0
  }

  private isSettled(): boolean {
    const { standing, upTo } = this.answer ?? { standing: 'absent', upTo: 0 }
    if (standing === 'known' || standing === 'off') return true
    const isSeenWhole = isPacked(this.source.path) || (this.source.size > 0 && upTo >= this.source.size)
    return standing === 'over' && isSeenWhole
  }

  async end(facts: TranscriptFacts, upTo: number): Promise<void> {
    const last = this.batch(facts, { upTo, items: [], isLast: true })
    if (last !== undefined && this.answer !== undefined) await this.send(last)
  }
}

const OUTCOME = { absent: 'empty', open: 'imported', over: 'imported', known: 'known', off: 'off' } as const

async function importOne(source: TranscriptSource, keeper: Keeper): Promise<ImportedSource> {
  const session = new SessionImport(source, keeper)
  let facts: TranscriptFacts = {}
  let from = 0
  let isWhole = true
  for await (const stretch of readSource(source)) {
    facts = stretch.facts
    isWhole = await session.add(facts, stretch.items, from, stretch.upTo)
    if (!isWhole) break
    from = stretch.upTo
  }
  if (isWhole) await session.end(facts, from)
  const { events } = session
  const outcome = OUTCOME[session.standing ?? 'absent']
  return { source, events, outcome: outcome === 'imported' && events === 0 ? 'unchanged' : outcome }
}

export interface ImportRun {
  readonly keeper: Keeper
  readonly now: () => number
  /** Told after each, for a bar. */
  readonly onDone: (done: number, total: number) => void
}

/** One after the other. A file that cannot be read is reported and the others go on; a daemon that is away ends it. */
export async function importSources(
  sources: readonly TranscriptSource[],
  { keeper, now, onDone }: ImportRun,
): Promise<readonly ImportedSource[]> {
  const results: ImportedSource[] = []
  for (const source of sources) {
    onDone(results.length, sources.length)
    if (now() - source.modifiedMs < IN_USE_MS) {
      results.push({ source, outcome: 'in-use', events: 0 })
      continue
    }
    try {
      results.push(await importOne(source, keeper))
    } catch (thrown) {
      if (thrown instanceof HoldfastError && thrown.code === 'daemon-unavailable') throw thrown
      results.push({ source, outcome: 'failed', events: 0, reason: messageOf(thrown) })
    }
  }
  onDone(sources.length, sources.length)
  return results
}
