import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { homeOf } from '../platform/base/home.ts'
import { reportFailure } from './shared/failure.ts'
import { runCli } from './run.ts'

let root: string
const entry = process.argv[1]
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hf-question-'))
  mkdirSync(join(root, '.codex'))
  // The command line finds the rest of its package beside this.
  mkdirSync(join(root, 'package', 'bin'), { recursive: true })
  process.argv[1] = join(root, 'package', 'bin', 'holdfast')
  writeFileSync(process.argv[1], '')
  symlinkSync(join(import.meta.dirname, '..', '..', 'skills'), join(root, 'package', 'skills'))
})
afterEach(() => {
  process.argv[1] = entry ?? ''
  rmSync(root, { recursive: true, force: true })
})

/** The command line in front of a person who types this and goes away. */
async function typing(typed: string, ...words: readonly string[]) {
  let stdout = ''
  let stderr = ''
  const stdin = new PassThrough()
  stdin.end(typed)
  const exitCode = await runCli(words, {
    env: { HOME: root, PATH: '' },
    cwd: root,
    io: {
      out: (text) => {
        stdout += text
      },
      err: (text) => {
        stderr += text
      },
      stdin,
      isInteractive: true,
      hasColor: false,
    },
  })
  return { exitCode, stdout, stderr }
}

test('a question that a person leaves ends the command, and is no defect of ours', async () => {
  const { exitCode, stderr } = await typing('', 'init', '--harness', 'codex')
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'holdfast: Stopped at the question: nothing more was done.\n',
  })
})

test('of several harnesses, leaving the first question leaves them all', async () => {
  mkdirSync(join(root, '.gemini'))
  const { exitCode, stdout, stderr } = await typing('1 2\n', 'init')
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'holdfast: Stopped at the question: nothing more was done.\n',
  })
  expect(stdout).not.toContain('is connected')
})

test('with --json nobody is asked: stdout holds one document', async () => {
  const { exitCode, stdout } = await typing('y\n', 'init', '--harness', 'codex', '--json')
  expect(exitCode).toBe(2)
  expect(JSON.parse(stdout)).toEqual({
    error: {
      code: 'invalid-input',
      message: 'Nobody can be asked here.',
      hint: 'Say `--yes` to go ahead without a question.',
    },
  })
})

test('what the disk refuses is said as that, with the way out', () => {
  const told: string[] = []
  const io = { out: () => undefined, err: (text: string) => void told.push(text), stdin: process.stdin }
  const door = { io: { ...io, isInteractive: false, hasColor: false }, home: homeOf({ HOME: root }), asJson: false }
  const readAs = (path: string) => {
    try {
      return readFileSync(path)
    } catch (thrown) {
      return reportFailure(thrown, { ...door, showStack: false })
    }
  }
  expect(readAs(root)).toBe(1)
  expect(readAs(join(process.argv[1] ?? '', 'x'))).toBe(1)
  expect(told).toEqual([
    'holdfast: EISDIR: illegal operation on a directory, read.\n',
    'It is a folder; give the path of a file.\n',
    `holdfast: ENOTDIR: not a directory, open '${join(process.argv[1] ?? '', 'x')}'.\n`,
    'A file stands where a folder is needed; name another place.\n',
  ])
})

test('an error that nobody expected is still told as a defect', () => {
  const told: string[] = []
  const io = { out: () => undefined, err: (text: string) => void told.push(text), stdin: process.stdin }
  const door = { io: { ...io, isInteractive: false, hasColor: false }, home: homeOf({ HOME: root }), asJson: false }
  expect(reportFailure(new Error('broken'), { ...door, showStack: false })).toBe(1)
  expect(told.join('')).toContain('Unexpected: broken.\nThis is a defect in Holdfast')
})
