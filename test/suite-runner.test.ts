import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const runner = pathToFileURL(join(import.meta.dirname, '../scripts/run-vitest.mjs')).href
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-suite-'))
  const config = { test: { root: folder, include: ['*.test.js'], globals: true } }
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}`)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** What `npm test` does after its set-up, over test files of our own. */
function runSuite(files: Readonly<Record<string, string>>, options: { readonly endingMs?: number } = {}) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const script = `
    const { closingLine, exitCodeOf, runVitest } = await import(${JSON.stringify(runner)})
    const config = ${JSON.stringify(join(folder, 'vitest.config.mjs'))}
    const counts = await runVitest({ config, args: [], ...${JSON.stringify(options)} })
    console.log(closingLine(counts))
    process.exitCode = exitCodeOf(counts)`
  const env = { ...process.env, HOLDFAST_HOME: '/the/users/own', TMPDIR: folder }
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env,
  })
  return { status, lastLine: stdout.trimEnd().split('\n').at(-1) }
}

describe('the closing line and the exit code', () => {
  test('are those of a good run', () => {
    expect(runSuite({ 'a.test.js': "test('one', () => {}); test('two', () => {})" })).toEqual({
      status: 0,
      lastLine: '2 passed, 0 failed',
    })
  })

  test('count what failed and what was skipped', () => {
    const text = "test('one', () => {}); test('two', () => { throw new Error('no') }); test.skip('three', () => {})"
    expect(runSuite({ 'a.test.js': text })).toEqual({ status: 1, lastLine: '1 passed, 1 failed, 1 skipped' })
  })

  test('count a file that does not load', () => {
    expect(runSuite({ 'a.test.js': "test('one', () => {})", 'b.test.js': 'this is not code' })).toEqual({
      status: 1,
      lastLine: '1 passed, 1 failed',
    })
  })

  test('count a suite whose set-up fails, since its tests never run', () => {
    const text = "describe('s', () => { beforeAll(() => { throw new Error('no') }); test('one', () => {}) })"
    expect(runSuite({ 'a.test.js': `${text}; test('two', () => {})` })).toEqual({
      status: 1,
      lastLine: '1 passed, 1 failed, 1 skipped',
    })
  })

  test('count a rejection that nobody handled', () => {
    const text = "test('one', () => { Promise.reject(new Error('lost')) })"
    expect(runSuite({ 'a.test.js': text })).toEqual({ status: 1, lastLine: '1 passed, 1 failed' })
  })

  test('are a failure when there is nothing to run', () => {
    expect(runSuite({})).toEqual({ status: 1, lastLine: '0 passed, 1 failed' })
  })
})

test.runIf(process.platform === 'linux')('a process that a test leaves behind is ended and counted', () => {
  const text = `
    import { spawn } from 'node:child_process'
    import { writeFileSync } from 'node:fs'
    test('one', () => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
      child.unref()
      writeFileSync(${JSON.stringify(join(folder, 'pid'))}, String(child.pid))
    })`
  expect(runSuite({ 'a.test.js': text }, { endingMs: 1_000 })).toEqual({ status: 1, lastLine: '1 passed, 1 failed' })
})

test("tests see a home and a temp folder of their own, which are gone afterwards, and nothing of the user's", () => {
  const text = `
    import { writeFileSync } from 'node:fs'
    test('one', () => {
      const { HOLDFAST_HOME, HOME, TMPDIR } = process.env
      writeFileSync(${JSON.stringify(join(folder, 'seen.json'))}, JSON.stringify({ HOLDFAST_HOME, HOME, TMPDIR }))
    })`
  expect(runSuite({ 'a.test.js': text }).status).toBe(0)
  const { HOLDFAST_HOME, HOME, TMPDIR } = JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'))
  expect(HOLDFAST_HOME).toBeUndefined()
  expect(HOME.startsWith(TMPDIR)).toBe(true)
  expect(existsSync(TMPDIR)).toBe(false)
})
