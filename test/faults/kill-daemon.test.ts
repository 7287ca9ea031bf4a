import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Product } from '../support/product.ts'
import { Daemon } from './support/daemon.ts'
import { faultsIn, type LogRow, readKeptLog, type Sent } from './support/log-check.ts'
import { type Random, seededRandom } from './support/random.ts'
import { startWriters } from './support/writers.ts'

const KILLS = 60
const WRITERS = 6

interface Ordeal {
  readonly product: Product
  readonly kills: number
  readonly random: Random
  readonly script?: string
}

/** Starts the daemon and kills it, again and again, under writers that never rest. */
async function killUnderLoad({ product, kills, random, script }: Ordeal): Promise<Sent> {
  const { home, dir, env } = product
  // Checkpoints are composed all the while, so that a kill meets those too.
  const busy = { ...env, HOLDFAST_CONTINUITY_DEBOUNCE_MS: '0', HOLDFAST_CONTINUITY_PROMPT_INTERVAL: '5' }
  const writers = startWriters({ home, cwd: dir, count: WRITERS, random })
  try {
    for (let round = 0; round < kills; round += 1) {
      const daemon = new Daemon(busy, script)
      // One in six dies while it is still coming up.
      if (random.chance(1 / 6)) await sleep(random.int(0, 400))
      else {
        await daemon.ready()
        await sleep(random.int(0, 400))
      }
      expect(await daemon.kill()).toBe('SIGKILL')
    }
    const last = await new Daemon(busy, script).ready()
    await writers.stop()
    await last.kill()
  } finally {
    await writers.stop()
  }
  return writers.sent
}

test(`kill -9 of the daemon at ${KILLS} random moments: nothing acknowledged is lost, doubled or out of order`, async () => {
  const random = seededRandom('kill -9 under load')
  await using product = new Product()
  const startedMs = performance.now()
  const sent = await killUnderLoad({ product, kills: KILLS, random })
  const { rows, findings } = await readKeptLog(product.home)
  const { acknowledged, attempted } = sent
  console.log(
    `${KILLS} kills, ${acknowledged.size} events acknowledged, ${attempted.size} sent, ${rows.length} kept,`,
    `${Math.round((performance.now() - startedMs) / 1_000)} s`,
  )
  expect(faultsIn(rows, sent)).toEqual([])
  expect(findings).toEqual([])
  expect(acknowledged.size).toBeGreaterThan(KILLS)
})

function wholeRows(log: string): readonly LogRow[] {
  return log.split('\n').flatMap((line): readonly LogRow[] => {
    try {
      return [JSON.parse(line)]
    } catch {
      // The kill came in the middle of it: as lost as one that was not begun.
      return []
    }
  })
}

test('control: a daemon that says "kept" before it has written is found out', async () => {
  const random = seededRandom('control of kill -9')
  const script = join(import.meta.dirname, 'support', 'forgetful-daemon.mjs')
  let lost = 0
  // More than once, since on a busy machine no writer may have had its turn just before a kill.
  for (let attempt = 0; attempt < 8 && lost === 0; attempt += 1) {
    await using product = new Product()
    const sent = await killUnderLoad({ product, kills: 8, random, script })
    const rows = wholeRows(readFileSync(join(product.home, 'log.jsonl'), 'utf8'))
    lost = faultsIn(rows, sent).filter((fault) => fault.endsWith('is lost')).length
  }
  expect(lost).toBeGreaterThan(0)
})

test('control: the check finds every kind of fault in a log', () => {
  const row = (seq: number, id: string, session = 's'): LogRow => ({ seq, id, session })
  const ids = ['a', 'b', 'c']
  const sent: Sent = { acknowledged: new Map(ids.map((id, index) => [id, index + 1])), attempted: new Set(ids) }
  expect(faultsIn([row(1, 'a'), row(2, 'b'), row(3, 'c')], sent)).toEqual([])
  expect(faultsIn([row(1, 'a'), row(2, 'b')], sent)).toEqual(['c was acknowledged and is lost'])
  expect(faultsIn([row(1, 'a'), row(2, 'b'), row(3, 'c'), row(4, 'c')], sent)).toContain('c is there twice')
  expect(faultsIn([row(1, 'a'), row(3, 'c')], sent)).toContain('seq 3 stands where 2 should')
  expect(faultsIn([row(1, 'a'), row(2, 'b'), row(3, 'c'), row(4, 'd')], sent)).toEqual(['d was never sent'])
  expect(faultsIn([row(1, 'b'), row(2, 'a'), row(3, 'c')], sent)).toContain('a was acknowledged as 1 and is 2')
  const swapped = { ...sent, acknowledged: new Map([['b', 2] as const, ['a', 1] as const]) }
  expect(faultsIn([row(1, 'a'), row(2, 'b'), row(3, 'c')], swapped)).toEqual(["a is out of its session's order"])
})
