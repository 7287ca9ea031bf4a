import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rememberingLog } from '../../test/support/recording-log.ts'
import { createPieces } from './pieces-ltm.ts'
import { openDatabase } from './sqlite/connection/driver.ts'

// As in Pieces OS: full-text tables whose shadow tables carry these names.
const SUMMARIES = String.raw`"kv_.workstream\Summaries::workstream\Summaries\Full\Text\Search\Index"`
const EVENTS = String.raw`"kv_.workstream\Events::workstream\Events\Full\Text\Search\Index"`
const EVENT_COLUMNS = [
  'readable',
  'app',
  'windowTitle',
  'url',
  'device',
  'kind',
  'context.native_clipboard.content.text',
  'a',
  'b',
  'c',
  'context.native_ocr.ocrText',
]

describe('Pieces', () => {
  let folder = ''
  let file = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-pieces-'))
    file = join(folder, 'db.sqlite3')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  function writePieces(summaries: readonly string[], windows: readonly (readonly [number, string])[] = []): void {
    const database = openDatabase(file)
    database.exec(`create virtual table ${SUMMARIES} using fts4(name)`)
    database.exec(`create virtual table ${EVENTS} using fts4(${EVENT_COLUMNS.map((name) => `"${name}"`).join(', ')})`)
    const addSummary = database.prepare(`insert into ${SUMMARIES} (name) values (?)`)
    for (const name of summaries) addSummary.run(name)
    const addEvent = database.prepare(
      `insert into ${EVENTS} (docid, "windowTitle", "readable", "context.native_ocr.ocrText") values (?, ?, ?, ?)`,
    )
    for (const [docid, title] of windows) addEvent.run(docid, title, 'noise web', 'web web OCR noise')
    database.close()
  }

  test('returns nothing without a database', async () => {
    const log = rememberingLog()
    const pieces = createPieces({ findFile: () => undefined, log })
    expect(await pieces.recent(['web'], 5)).toEqual([])
    expect(await createPieces({ findFile: () => file, log }).search('a', ['web'], 5)).toEqual([])
    expect(log.lines).toEqual([])
  })

  test('returns titles that name the project or a keyword, newest first', async () => {
    writePieces(['Web shop: login', 'Cooking', 'Fixed the WEBSITE build', 'api'])
    const pieces = createPieces({ findFile: () => file, log: rememberingLog() })
    expect(await pieces.recent(['web'], 5)).toEqual([
      { docid: 3, title: 'Fixed the WEBSITE build', source: 'summary' },
      { docid: 1, title: 'Web shop: login', source: 'summary' },
    ])
    expect(await pieces.recent(['web'], 1)).toHaveLength(1)
    expect(await pieces.search('login', ['web', 'api'], 5)).toEqual([
      { docid: 1, title: 'Web shop: login', source: 'summary' },
    ])
    expect(await pieces.search('cooking', ['web'], 5)).toEqual([])
  })

  test('adds groups of window titles, and never reads OCR text', async () => {
    const run = (from: number, title: string) => Array.from({ length: 8 }, (_, n) => [from + n, title] as const)
    writePieces([], [...run(1, 'main.ts - web'), ...run(500, 'router.ts - web'), ...run(900, 'mail'), [2_000, 'web']])
    const pieces = createPieces({ findFile: () => file, log: rememberingLog() })
    expect(await pieces.recent(['web'], 5)).toEqual([
      { docid: 507, title: '8 windows, the last: router.ts - web', source: 'window-titles' },
      { docid: 8, title: '8 windows, the last: main.ts - web', source: 'window-titles' },
    ])
  })

  test('leaves the file as it was, byte for byte', async () => {
    writePieces(['web'])
    const before = readFileSync(file)
    await createPieces({ findFile: () => file, log: rememberingLog() }).recent(['web'], 5)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('an invalid database is named as such and logged', async () => {
    writeFileSync(file, 'not a database, but long enough to be taken for one at first glance'.repeat(20))
    const log = rememberingLog()
    expect(await createPieces({ findFile: () => file, log }).recent(['web'], 5)).toEqual([
      { docid: 0, title: 'Pieces query error: file is not a database', source: 'error' },
    ])
    expect(log.lines).toHaveLength(1)
  })
})
