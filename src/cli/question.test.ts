import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resolveHome } from '../platform/base/home.ts'
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

test('leaving a question ends the command and is not reported as a bug', async () => {
  const { exitCode, stderr } = await typing('', 'init', '--harness', 'codex')
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'holdfast: Cancelled at the question; nothing more was done.\n',
  })
})

test('of several harnesses, leaving the first question leaves them all', async () => {
  mkdirSync(join(root, '.gemini'))
  const { exitCode, stdout, stderr } = await typing('1 2\n', 'init')
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'holdfast: Cancelled at the question; nothing more was done.\n',
  })
  expect(stdout).not.toContain('is connected')
})

test('with --json nobody is asked: stdout holds one document', async () => {
  const { exitCode, stdout } = await typing('y\n', 'init', '--harness', 'codex', '--json')
  expect(exitCode).toBe(2)
  expect(JSON.parse(stdout)).toEqual({
    error: {
      code: 'invalid-input',
      message: 'No terminal for a question.',
      hint: 'Use `--yes` to continue without a question.',
    },
  })
})

test('what the disk refuses is said as that, with the way out', () => {
  const told: string[] = []
  const io = { out: () => undefined, err: (text: string) => void told.push(text), stdin: process.stdin }
  const output = {
    io: { ...io, isInteractive: false, hasColor: false },
    home: resolveHome({ HOME: root }),
    asJson: false,
  }
  const readAs = (path: string) => {
    try {
      return readFileSync(path)
    } catch (thrown) {
      return reportFailure(thrown, { ...output, showStack: false })
    }
  }
  expect(readAs(root)).toBe(1)
  expect(readAs(join(process.argv[1] ?? '', 'x'))).toBe(1)
  expect(told).toEqual([
    'holdfast: EISDIR: illegal operation on a directory, read.\n',
    'It is a folder; give the path of a file.\n',
    `holdfast: ENOTDIR: not a directory, open '${join(process.argv[1] ?? '', 'x')}'.\n`,
    'A part of the path is a file, not a folder; use another path.\n',
  ])
})

test('an unexpected error is reported as a bug', () => {
  const told: string[] = []
  const io = { out: () => undefined, err: (text: string) => void told.push(text), stdin: process.stdin }
  const output = {
    io: { ...io, isInteractive: false, hasColor: false },
    home: resolveHome({ HOME: root }),
    asJson: false,
  }
  expect(reportFailure(new Error('broken'), { ...output, showStack: false })).toBe(1)
  expect(told.join('')).toContain('Unexpected: broken.\nThis is a bug in Holdfast')
})
