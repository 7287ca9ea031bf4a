import { once } from 'node:events'
import { sql } from 'kysely'
import { HoldfastError } from '../../src/kernel/errors.ts'
import { EventId } from '../../src/kernel/id.ts'
import type { AppendResult, Store } from '../../src/kernel/ports/ports.ts'
import { createSqlStore } from '../../src/storage/queries/sql-store.ts'
import { openDatabase } from '../../src/storage/sqlite/connection/driver.ts'
import { openSqliteEngine } from '../../src/storage/sqlite/engine.ts'
import { aPrompt, CADENCE } from './store-examples.ts'

// A process of its own for what a test cannot do to itself: being traced, being killed, giving up root.

let written = 0
/** Unique ids: those of the examples start over in every process, and a known id is a no-op. */
function write(store: Store): Promise<readonly AppendResult[]> {
  written += 1
  return store.append([{ event: aPrompt('child', { id: EventId(`child-${process.pid}-${written}`) }) }], CADENCE)
}

async function appendMany(file: string, count: number, synchronous: string): Promise<void> {
  const engine = await openSqliteEngine({ file })
  if (synchronous !== 'full') await engine.read((db) => sql`pragma synchronous = normal`.execute(db))
  const store = createSqlStore(engine)
  for (let index = 0; index < count; index += 1) await write(store)
  // Gone without closing: a close would sync once more.
  process.exit(0)
}

/** Acknowledges each event on stdout once it is durable, until it is killed. */
async function appendForever(file: string): Promise<never> {
  const store = createSqlStore(await openSqliteEngine({ file }))
  for (;;) {
    const batch = await Promise.all(Array.from({ length: 8 }, () => write(store)))
    for (const [appended] of batch) process.stdout.write(`${appended?.seq}\n`)
  }
}

async function outcomeOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt
    return 'written'
  } catch (thrown) {
    return thrown instanceof HoldfastError ? `${thrown.code}: ${thrown.hint}` : String(thrown)
  }
}

/** Says what works without permission to write, and again after a line on stdin. */
async function useReadOnly(file: string): Promise<void> {
  // Loaded while we may still read everything.
  openDatabase(':memory:').close()
  if (process.getuid?.() === 0) {
    process.setgid?.(65_534)
    process.setuid?.(65_534)
  }
  const store = createSqlStore(await openSqliteEngine({ file }))
  const report = async () => {
    const outcome = await outcomeOf(write(store))
    process.stdout.write(
      `${JSON.stringify({ written: outcome, events: (await store.listEvents({ limit: 100 })).length })}\n`,
    )
  }
  await report()
  await once(process.stdin, 'data')
  await report()
  process.exit(0)
}

const [mode, file = '', count = '0', synchronous = 'full'] = process.argv.slice(2)
if (mode === 'append') await appendMany(file, Number(count), synchronous)
else if (mode === 'append-forever') await appendForever(file)
else await useReadOnly(file)
