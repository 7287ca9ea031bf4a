import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { aBench, type Bench } from '../../../../test/support/continuity-setup.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { Continuity } from '../../../app/continuity.ts'
import type { HistoryBatch } from '../import-history.ts'
import { importSources } from './import-sources.ts'

const LONG_AGO = new Date('2026-01-01T00:00:00Z')
const COUNT = 40

const base = { sessionId: 's', cwd: '/project', timestamp: '2026-01-01T00:00:00.000Z' }
const ids = Array.from({ length: COUNT }, (_, n) => `toolu_${n}`)
const asked = { ...base, type: 'user', uuid: 'u', message: { role: 'user', content: 'Look at all of them.' } }
const calls = {
  ...base,
  type: 'assistant',
  uuid: 'a',
  message: { content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: { command: `ls ${id}` } })) },
}
const results = {
  ...base,
  type: 'user',
  uuid: 'r',
  message: { content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })) },
}
const linesOf = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** Imports a file and gives what was sent; ends with an error before the batch after the first `survives`. */
async function importing({ continuity }: Bench, path: string, survives = Infinity) {
  const sent: HistoryBatch[] = []
  const importHistory: Continuity['importHistory'] = async (batch) => {
    if (sent.length >= survives) throw new Error('killed')
    sent.push(batch)
    return continuity.importHistory(batch)
  }
  const source = { harness: 'claude-code', path, size: 1_000_000_000, modifiedMs: LONG_AGO.getTime() }
  const { results } = await importSources([source], {
    store: { importHistory },
    now: Date.now,
    onDone: () => undefined,
  })
  const [result] = results
  return { sent, result }
}

async function kinds({ store }: Bench): Promise<readonly string[]> {
  const events = await store.listEvents({ limit: 999 })
  return events.map(({ event }) => event.kind).filter((kind) => kind !== 'session-ended')
}

function put(dir: { readonly path: string }, name: string, content: string | Buffer): string {
  const path = join(dir.path, name)
  writeFileSync(path, content)
  utimesSync(path, LONG_AGO, LONG_AGO)
  return path
}

test('one record that says much is sent in small pieces, and killed between two of them nothing of it is lost', async () => {
  using dir = tempDir()
  const path = put(dir, 's.jsonl', linesOf([asked, calls, results]))
  const expected = ['prompt-submitted', ...ids.map(() => 'tool-finished')]
  await using whole = await aBench()
  const { sent } = await importing(whole, path)
  expect([Math.max(...sent.map(({ items }) => items.length)) <= 16, await kinds(whole)]).toEqual([true, expected])
  for (let survives = 1; survives < sent.length; survives += 1) {
    await using bench = await aBench()
    await importing(bench, path, survives)
    await importing(bench, path)
    expect(await kinds(bench)).toEqual(expected)
  }
})

test('what can only be said at the end of a file is sent whole: it all stands at one place', async () => {
  using dir = tempDir()
  await using bench = await aBench()
  const { result } = await importing(bench, put(dir, 's.jsonl', linesOf([asked, calls])))
  expect(result).toMatchObject({ outcome: 'imported', events: 1 + COUNT })
  expect(await kinds(bench)).toEqual(['prompt-submitted', ...ids.map(() => 'tool-started')])
})

test('a packed file that was imported is asked after, and not read again', async () => {
  using dir = tempDir()
  await using bench = await aBench()
  const path = put(dir, 's.jsonl.gz', gzipSync(linesOf([asked, calls, results])))
  await importing(bench, path)
  const { sent, result } = await importing(bench, path)
  expect([sent.map(({ items }) => items.length), result?.outcome]).toEqual([[0], 'unchanged'])
})

test('a packed file that was cut gets a checkpoint of what was kept, and goes on from there once it is whole', async () => {
  using dir = tempDir()
  await using bench = await aBench()
  const packed = gzipSync(linesOf([asked, calls, results]), { level: 0 })
  const path = put(dir, 's.jsonl.gz', packed.subarray(0, packed.length - 900))
  const cut = await importing(bench, path)
  expect(cut.result).toMatchObject({ outcome: 'failed', events: 1, reason: 'unexpected end of file' })
  expect(await bench.store.counts()).toMatchObject({ sessions: 1, checkpoints: 1 })
  expect((await importing(bench, path)).result).toMatchObject({ outcome: 'failed', events: 0 })
  expect(await bench.store.counts()).toMatchObject({ checkpoints: 1 })
  put(dir, 's.jsonl.gz', packed)
  expect((await importing(bench, path)).result).toMatchObject({ outcome: 'imported', events: COUNT })
  expect(await kinds(bench)).toEqual(['prompt-submitted', ...ids.map(() => 'tool-finished')])
  expect((await importing(bench, path)).result).toMatchObject({ outcome: 'unchanged' })
})

test('a file that was packed in parts is read whole', async () => {
  using dir = tempDir()
  await using bench = await aBench()
  const parts = [asked, calls, results].map((record) => gzipSync(linesOf([record])))
  const { result } = await importing(bench, put(dir, 's.jsonl.gz', Buffer.concat(parts)))
  expect(result).toMatchObject({ outcome: 'imported', events: 1 + COUNT })
})
