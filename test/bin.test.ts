import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
let folder: string

/** bin/ in a folder of its own, where we decide what dist/ holds. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-bin-'))
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
})
afterEach(() => rmSync(folder, { recursive: true }))

function run(program: string, ...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('without a build it says what to run', () => {
  const { status, stderr } = run(join(folder, 'bin/holdfast'), 'status')
  expect(status).toBe(1)
  expect(stderr).toContain('npm run build')
})

test('without a build a hook still exits 0 and prints nothing on stdout', () => {
  const { status, stdout } = run(join(folder, 'bin/holdfast'), 'hook', 'claude-code', 'SessionStart')
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
})

test('`hook` runs the hook bundle with its own words and never loads the command line', () => {
  writeFileSync(join(folder, 'dist/hook.cjs'), 'console.log(process.argv.slice(2).join())')
  writeFileSync(join(folder, 'dist/cli.js'), 'console.log("command line")')
  expect(run(join(folder, 'bin/holdfast'), 'hook', 'claude-code', 'Stop').stdout).toBe('claude-code,Stop\n')
})

test('`mcp` alone runs the pipe; with anything after it, it is a question to the command line', () => {
  writeFileSync(join(folder, 'dist/mcp-pipe.cjs'), 'console.log("pipe")')
  writeFileSync(join(folder, 'dist/cli.js'), 'console.log(process.argv.slice(2).join())')
  expect(run(join(folder, 'bin/holdfast'), 'mcp').stdout).toBe('pipe\n')
  expect(run(join(folder, 'bin/holdfast'), 'mcp', '--help').stdout).toBe('mcp,--help\n')
})

test('anything else runs the command line, also through a link', () => {
  writeFileSync(join(folder, 'dist/cli.js'), 'console.log(process.argv.slice(2).join())')
  symlinkSync(join(folder, 'bin/holdfast'), join(folder, 'linked'))
  expect(run(join(folder, 'linked'), 'recall', 'x').stdout).toBe('recall,x\n')
})

test('a failure inside the build is not taken for a missing build', () => {
  writeFileSync(join(folder, 'dist/cli.js'), 'import "./gone.js"')
  const { status, stderr } = run(join(folder, 'bin/holdfast'), 'status')
  expect(status).toBe(1)
  expect(stderr).toContain('ERR_MODULE_NOT_FOUND')
  expect(stderr).not.toContain('npm run build')
})
