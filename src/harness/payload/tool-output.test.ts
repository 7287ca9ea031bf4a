import { expect, test } from 'vitest'
import { readOutcome } from './tool-output.ts'

test('of a file that was read only the names are left, not its content', () => {
  const text = '1\timport { openStore } from "./store.ts"\n2\tconst mainStore = openStore(homeDir)\n'
  expect(readOutcome('read', { ok: true, text })).toEqual({ ok: true, names: ['openStore', 'mainStore', 'homeDir'] })
})

test('a search keeps its beginning and every file it named', () => {
  const lines = Array.from({ length: 30 }, (_, n) => `src/part-${n}/file.ts:${n}: found it here, in this very line`)
  const { output, paths } = readOutcome('search', { ok: true, text: lines.join('\n') })
  expect(output?.length).toBeLessThan(1_100)
  expect(paths).toEqual(lines.map((_, n) => `src/part-${n}/file.ts`))
})

test('what an edit or a todo list answers is not looked at', () => {
  expect(readOutcome('edit', { ok: true, text: 'The file src/a.ts has been updated by someFunction.' })).toEqual({
    ok: true,
  })
})

test('no value is taken for a name from a line that speaks of a secret', () => {
  const text = 'const dbUrl = readConfig()\nDB_PASSWORD: correctHorseBattery\nexport API_KEY=someLongValue\n'
  expect(readOutcome('read', { ok: true, text }).names).toEqual(['dbUrl', 'readConfig', 'DB_PASSWORD'])
})

test('a search counts its hits per file, where more than one', () => {
  const text = 'src/a.ts:1: x\nsrc/a.ts:9: x\nsrc/b.ts:3: x\n'
  expect(readOutcome('search', { ok: true, text })).toEqual({
    ok: true,
    output: text,
    paths: ['src/a.ts', 'src/b.ts'],
    hits: { 'src/a.ts': 2 },
  })
})

test('colours are not part of what was said', () => {
  const text = '\u001b[0mCopyButton\u001b[0m \u001b[31msrc/a.ts\u001b[39m:3 failed'
  expect(readOutcome('shell', { ok: false, text })).toEqual({
    ok: false,
    output: 'CopyButton src/a.ts:3 failed',
    names: ['CopyButton'],
    paths: ['src/a.ts'],
  })
})

test('a document with open boxes is kept as what it lays out', () => {
  const text = '# Story 1\nProse.\n- [ ] make src/a.ts\n- [ ] test it\n'
  const plan = '# Story 1\nsrc/a.ts'
  expect(readOutcome('read', { ok: true, text })).toEqual({ ok: true, plan })
  expect(readOutcome('mcp', { ok: true, text }).plan).toBe(plan)
  expect([readOutcome('search', { ok: true, text }).plan, readOutcome('read', { ok: false, text }).plan]).toEqual([
    undefined,
    undefined,
  ])
})
