import { GENESIS_HASH } from '../../rows/body.ts'
import type { SqliteDatabase } from '../connection/driver.ts'
import { unlessDamaged } from '../connection/errors.ts'

interface Mark {
  readonly seq: number
  readonly hash: string
}

interface Ends {
  readonly head: Mark
  readonly anchor: Mark
}

const START_OF_ALL: Mark = { seq: 0, hash: GENESIS_HASH }

function markAt(seq: unknown, hash?: unknown): Mark {
  return { seq: Number(seq ?? 0), hash: typeof hash === 'string' ? hash : GENESIS_HASH }
}

/** Undefined where there is no such row. */
function markOf(row: Record<string, unknown> | undefined): Mark | undefined {
  return row && markAt(row.seq, row.hash)
}

const later = (one: Mark, other: Mark): Mark => (other.seq > one.seq ? other : one)

/** As it was written; a database from before the anchor has a log that begins at the beginning. */
function recordedEnds(source: SqliteDatabase | undefined): Ends | undefined {
  const row = unlessDamaged(() => source?.prepare('select * from log_head where id = 1').get())
  return row && { head: markAt(row.seq, row.hash), anchor: markAt(row.anchor_seq, row.anchor_hash) }
}

/** The largest number that anything saved has heard of: its event may be pruned, or lost. */
function lastMentioned(target: SqliteDatabase): Mark {
  const row = target
    .prepare(
      `select max(coalesce((select max(last_event_seq) from sessions), 0),
                  coalesce((select max(event_seq) from session_checkpoints), 0),
                  coalesce((select max(event_seq) from work_snapshots), 0)) as seq`,
    )
    .get()
  return markOf(row) ?? START_OF_ALL
}

/** Where the log begins and ends: as recorded, else as far as what was saved tells. Numbers are never given twice. */
export function restoreEnds(source: SqliteDatabase | undefined, target: SqliteDatabase): void {
  const recorded = recordedEnds(source)
  // Pages that no tree leads to any more may still hold events from before the anchor.
  if (recorded) target.prepare('delete from events where seq <= ?').run(recorded.anchor.seq)
  const first = markOf(
    target.prepare('select seq - 1 as seq, prev_hash as hash from events order by seq limit 1').get(),
  )
  const last = markOf(target.prepare('select seq, hash from events order by seq desc limit 1').get())
  const end = last ?? START_OF_ALL
  // Of two that say the same number, the event knows its own hash better.
  const head = later(end, recorded?.head ?? lastMentioned(target))
  const anchor = recorded?.anchor ?? first ?? head
  target
    .prepare('update log_head set seq = ?, hash = ?, anchor_seq = ?, anchor_hash = ?')
    .run(head.seq, head.hash, anchor.seq, anchor.hash)
}
