import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { StoreFinding } from '../../kernel/ports/ports.ts'
import type { Engine } from '../rows/sql-engine.ts'
import { isIntactCheckpoint, isIntactEvent, isIntactRow, describeKey, SHAPED_TABLES } from '../rows/row-integrity.ts'
import { ERASED_BODY } from '../rows/body.ts'
import { parseIntactSession } from '../rows/session-integrity.ts'
import { readAnchor } from './rows/log-head.ts'

const PAGE_ROWS = 500

/** In one statement, so that an append between two reads is not reported as a loss. */
async function checkEnds(engine: Engine): Promise<readonly StoreFinding[]> {
  const ends = await engine.read((db) =>
    db
      .selectFrom('log_head as head')
      .leftJoin('events as last', (join) =>
        join.on('last.seq', '=', (from) => from.selectFrom('events').select(({ fn }) => fn.max('seq').as('seq'))),
      )
      .select(['head.seq', 'head.hash', 'head.anchor_seq', 'head.anchor_hash'])
      .select(['last.seq as lastSeq', 'last.hash as lastHash'])
      .select((from) =>
        from
          .selectFrom('events')
          .select(({ fn }) => fn.min('seq').as('seq'))
          .as('firstSeq'),
      )
      .where('head.id', '=', 1)
      .executeTakeFirst(),
  )
  if (ends === undefined) return [{ what: 'event-gap', detail: 'The end of the log is not recorded.' }]
  const findings: StoreFinding[] = []
  if (ends.firstSeq !== null && ends.firstSeq <= ends.anchor_seq) {
    const detail = `The log should start after ${ends.anchor_seq}, and its first event is ${ends.firstSeq}.`
    findings.push({ what: 'event-gap', detail })
  }
  const last = ends.lastSeq ?? ends.anchor_seq
  if (ends.seq !== last || ends.hash !== (ends.lastHash ?? ends.anchor_hash)) {
    findings.push({ what: 'event-gap', detail: `The log should end at ${ends.seq}, and its last event is ${last}.` })
  }
  return findings
}

async function checkEvents(engine: Engine): Promise<readonly StoreFinding[]> {
  const findings: StoreFinding[] = []
  let previous = await engine.read(readAnchor)
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
      if (row.seq > previous.seq + 1) {
        // Perhaps not missing, but pruned meanwhile.
        const anchor = await engine.read(readAnchor)
        if (anchor.seq > previous.seq) previous = anchor
      }
      if (row.seq <= previous.seq) continue
      const isNext = row.seq === previous.seq + 1
      if (!isNext) {
        findings.push({ what: 'event-gap', detail: `Events ${previous.seq + 1} to ${row.seq - 1} are missing.` })
      }
      if (row.body !== ERASED_BODY && !isIntactEvent(row)) {
        findings.push({ what: 'event-hash', detail: `Event ${row.seq} (${row.id}) is damaged.` })
      } else if (isNext && row.prev_hash !== previous.hash) {
        findings.push({
          what: 'event-hash',
          detail: `Event ${row.seq} (${row.id}) does not follow event ${previous.seq}.`,
        })
      }
      previous = { seq: row.seq, hash: row.hash }
    }
    if (rows.length < PAGE_ROWS) break
    // Yield to writers between pages.
    await setImmediate()
  }
  return [...findings, ...(await checkEnds(engine))]
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
      if (isIntactCheckpoint(row)) continue
      findings.push({ what: 'checkpoint-hash', detail: `Checkpoint ${row.id} is damaged.` })
    }
    after = rows.at(-1)?.seq ?? after
    if (rows.length < PAGE_ROWS) return findings
    await setImmediate()
  }
}

/** Rows without a hash: checks their column types. Unordered pages, so a row that moves meanwhile may be skipped. */
async function checkRows(
  engine: Engine,
  table: string,
  damageOf: (row: object) => string | undefined,
): Promise<readonly StoreFinding[]> {
  const findings: StoreFinding[] = []
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const { rows } = await engine.read((db) =>
      sql<object>`select * from ${sql.table(table)} limit ${PAGE_ROWS} offset ${offset}`.execute(db),
    )
    for (const row of rows) {
      const key = damageOf(row)
      if (key !== undefined) findings.push({ what: 'row', detail: `Row ${key} of ${table} is damaged.` })
    }
    if (rows.length < PAGE_ROWS) return findings
    await setImmediate()
  }
}

async function checkAllRows(engine: Engine): Promise<readonly StoreFinding[]> {
  const findings: StoreFinding[] = []
  for (const table of SHAPED_TABLES) {
    findings.push(
      ...(await checkRows(engine, table, (row) => (isIntactRow(table, row) ? undefined : describeKey(table, row)))),
    )
  }
  const sessions = await checkRows(engine, 'sessions', (row) => {
    const { id, last_event_seq, body } = { id: undefined, last_event_seq: undefined, body: undefined, ...row }
    return parseIntactSession({ id, last_event_seq, body }) ? undefined : String(id)
  })
  return [...findings, ...sessions]
}

export async function verify(engine: Engine): Promise<readonly StoreFinding[]> {
  return [
    ...(await engine.check()),
    ...(await checkEvents(engine)),
    ...(await checkCheckpoints(engine)),
    ...(await checkAllRows(engine)),
  ]
}
