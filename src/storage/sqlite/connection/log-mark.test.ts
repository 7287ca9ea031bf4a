import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aPrompt, CADENCE } from '../../../../test/contracts/store-examples.ts'
import { rememberingLog } from '../../../../test/support/recording-log.ts'
import { openSqliteStore } from '../engine.ts'

let folder = ''
let file = ''
let quarantineDir = ''
let log = rememberingLog()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-mark-'))
  file = join(folder, 'holdfast.db')
  quarantineDir = join(folder, 'quarantine')
  log = rememberingLog()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = () => openSqliteStore({ file, quarantineDir, log })

async function append(count: number): Promise<number | undefined> {
  await using store = await open()
  const entries = Array.from({ length: count }, () => ({ event: aPrompt('a') }))
  return (await store.append(entries, CADENCE)).at(-1)?.seq
}

describe('the log mark', () => {
  test('is written next to the database, and reports nothing while all events exist', async () => {
    await append(3)
    expect(JSON.parse(readFileSync(`${file}.mark`, 'utf8'))).toMatchObject({ seq: 3 })
    expect(await append(2)).toBe(5)
    expect([log.lines, existsSync(quarantineDir)]).toEqual([[], false])
  })

  test('reports missing acknowledged events once, and their numbers are not reused', async () => {
    await append(3)
    copyFileSync(file, `${file}.then`)
    await append(4)
    copyFileSync(`${file}.then`, file)
    expect(await append(1)).toBe(8)
    expect(log.lines.map(({ level, fields }) => ({ level, fields }))).toEqual([
      { level: 'error', fields: { from: 4, to: 7 } },
    ])
    expect(readdirSync(quarantineDir)).toEqual(['missing-events-4-7.json'])
    await using store = await open()
    expect(await store.verify()).toEqual([{ what: 'event-gap', detail: 'Events 4 to 7 are missing.' }])
    expect(log.lines).toHaveLength(1)
  })

  test('is deleted with a removed database', async () => {
    await append(3)
    rmSync(file)
    expect(await append(1)).toBe(1)
    expect(log.lines).toEqual([])
  })

  test.each(['', 'garbage', '[]', '{"seq":"9","hash":""}'])('is ignored when it is %j', async (text) => {
    await append(3)
    writeFileSync(`${file}.mark`, text)
    expect(await append(1)).toBe(4)
    expect(log.lines).toEqual([])
  })
})
