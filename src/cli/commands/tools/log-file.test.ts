import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lastLines, newLines, showLogLine } from './log-file.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'))
  path = join(folder, 'daemon.log')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a log that is not there has no lines', async () => {
  expect(await lastLines(path, 10)).toEqual({ lines: [], endOffset: 0 })
})

test('the last lines, without one that is still being written', async () => {
  writeFileSync(path, 'one\ntwo\nthree\nfou')
  expect(await lastLines(path, 2)).toEqual({ lines: ['two', 'three'], endOffset: 14 })
  expect(await lastLines(path, 0)).toEqual({ lines: [], endOffset: 14 })
})

test('following goes on where the last lines ended, also over a rotation', async () => {
  writeFileSync(path, 'one\ntwo\nthr')
  const { endOffset } = await lastLines(path, 10)
  const lines = newLines(path, endOffset)
  appendFileSync(path, 'ee\n')
  expect(await lines.next()).toEqual({ value: 'three', done: false })
  renameSync(path, `${path}.1`)
  writeFileSync(path, 'new\n')
  expect(await lines.next()).toEqual({ value: 'new', done: false })
})

test('a person reads time, level, message and fields; what is not of the logger stays as it is', () => {
  const entry = {
    at: '2026-11-19T05:02:58.180Z',
    level: 'warn',
    message: 'clock jumped',
    by: 3,
    why: 'a sleep',
    id: 'x',
  }
  expect(showLogLine(JSON.stringify(entry))).toBe('2026-11-19 05:02:58  warn   clock jumped  by=3  why="a sleep"  id=x')
  for (const line of ['Error: out of memory', '{"at":', '[]', '7']) expect(showLogLine(line)).toBe(line)
})
