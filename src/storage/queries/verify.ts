import { setImmediate } from 'node:timers/promises'
import type { StoreFinding } from '../../core/ports.ts'
import { GENESIS_HASH } from '../body.ts'
import type { Engine } from '../engine.ts'
import { isSoundCheckpoint } from './checkpoints.ts'
import { isSoundEvent } from './events.ts'

const PAGE_ROWS = 500

/** In one statement, so that an append between two reads is not taken for a loss. */
async function checkHead(engine: Engine): Promise<readonly StoreFinding[]> {
  const tail = await engine.read((db) =>
    db
      .selectFrom('log_head as head')
      .leftJoin('events as last', (join) =>
        join.on('last.seq', '=', (from) => from.selectFrom('events').select(({ fn }) => fn.max('seq').as('seq'))),
      )
      .select(['head.seq', 'head.hash', 'last.seq as lastSeq', 'last.hash as lastHash'])
      .where('head.id', '=', 1)
      .executeTakeFirst(),
  )
  if (tail === undefined) return [{ what: 'event-gap', detail: 'Where the log ends is not recorded.' }]
  if (tail.seq === (tail.lastSeq ?? 0) && tail.hash === (tail.lastHash ?? GENESIS_HASH)) return []
  const detail = `The log should end at ${tail.seq}, and its last event is ${tail.lastSeq ?? 0}.`
  return [{ what: 'event-gap', detail }]
}

async function checkEvents(engine: Engine): Promise<readonly StoreFinding[]> {
  const findings: StoreFinding[] = []
  let previous = { seq: 0, hash: GENESIS_HASH }
  for (;;) {
    const rows = await engine.read((db) =>
      db
        .selectFrom('events')
        .select(['seq', 'id', 'prev_hash', 'hash', 'body'])
        .where('seq', '>', previous.seq)
        .orderBy('seq')
        .limit(PAGE_ROWS)
        .execute(),
    )
    for (const row of rows) {
      const isNext = row.seq === previous.seq + 1
      if (!isNext) {
        findings.push({ what: 'event-gap', detail: `Events ${previous.seq + 1} to ${row.seq - 1} are missing.` })
      }
      if (!isSoundEvent(row)) {
        findings.push({ what: 'event-hash', detail: `Event ${row.seq} (${row.id}) is not what was written.` })
      } else if (isNext && row.prev_hash !== previous.hash) {
        findings.push({
          what: 'event-hash',
          detail: `Event ${row.seq} (${row.id}) does not follow event ${previous.seq}.`,
        })
      }
      previous = { seq: row.seq, hash: row.hash }
    }
    if (rows.length < PAGE_ROWS) break
    // Let writers in between pages.
    await setImmediate()
  }
  return [...findings, ...(await checkHead(engine))]
}

async function checkCheckpoints(engine: Engine): Promise<readonly StoreFinding[]> {
  const findings: StoreFinding[] = []
  let after = 0
  for (;;) {
    const rows = await engine.read((db) =>
      db
        .selectFrom('session_checkpoints')
        .select(['seq', 'id', 'hash', 'body'])
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(PAGE_ROWS)
        .execute(),
    )
    for (const row of rows) {
      if (isSoundCheckpoint(row)) continue
      findings.push({ what: 'checkpoint-hash', detail: `Checkpoint ${row.id} is not what was written.` })
    }
    after = rows.at(-1)?.seq ?? after
    if (rows.length < PAGE_ROWS) return findings
    await setImmediate()
  }
}

export async function verify(engine: Engine): Promise<readonly StoreFinding[]> {
  return [...(await engine.check()), ...(await checkEvents(engine)), ...(await checkCheckpoints(engine))]
}
