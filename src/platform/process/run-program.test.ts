import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isAlive, waitUntil } from '../../../test/support/product.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { isPassing } from './ancestor.ts'
import { runProgram } from './run-program.ts'

const base = { cwd: '/', env: { PATH: process.env['PATH'] }, timeoutMs: 60_000 }
const node = (script: string, ...args: readonly string[]) => [process.execPath, '-e', script, ...args]

test('arguments arrive as they are: no shell reads them', async () => {
  const nasty = '$(id); `id` && "x" | * \n'
  const ran = await runProgram({ ...base, command: node('process.stdout.write(process.argv[1])', nasty) })
  expect(ran).toEqual({ exitStatus: 0, output: nasty })
})

test('the end of both streams and the exit status are returned', async () => {
  const script = 'console.error("x".repeat(5000)); process.exitCode = 3'
  const ran = await runProgram({ ...base, command: node(script), keptChars: 10 })
  expect(ran).toEqual({ exitStatus: 3, output: `${'x'.repeat(9)}\n` })
})

test('a missing program is reported as not started', async () => {
  expect(await runProgram({ ...base, command: ['/no/such/program'] })).toMatchObject({ endedBy: 'not-started' })
})

test('all output is returned, even a large amount at the end', async () => {
  const script = 'process.stdout.write("x".repeat(3_000_000) + "end")'
  const { output } = await runProgram({ ...base, command: node(script), keptChars: 4_000_000 })
  expect([output.length, output.slice(-4)]).toEqual([3_000_003, 'xend'])
})

test('a line goes to the shell, and a background process does not delay the result', async () => {
  const ran = await runProgram({ ...base, command: 'sleep 600 & echo $! "a  b" | cat', timeoutMs: 300_000 })
  expect(ran).toEqual({ exitStatus: 0, output: expect.stringMatching(/^\d+ a {2}b\n$/) })
  await waitUntil(() => !isAlive(Number.parseInt(ran.output, 10)), 'what ran in the background is gone')
})

test.runIf(process.platform === 'linux')(
  'one that left the group and holds the streams does not hold it up either',
  async () => {
    const script = `const { spawn } = require('node:child_process')
    console.log(spawn(process.execPath, ['-e', 'setTimeout(() => {}, 300_000)'], { detached: true, stdio: 'inherit' }).pid)
    process.exit(0)`
    const { exitStatus, output } = await runProgram({ ...base, command: node(script), timeoutMs: 300_000 })
    process.kill(Number(output))
    expect(exitStatus).toBe(0)
  },
)

test('a timeout kills the program and children that ignore signals', async () => {
  using dir = tempDir()
  const child = `process.on("SIGTERM", () => {}); require("node:fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)`
  const script = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "inherit" }); setInterval(() => {}, 1000)`
  const ran = await runProgram({ ...base, cwd: dir.path, command: node(script), timeoutMs: 4_000 })
  expect(ran.endedBy).toBe('timeout')
  const pid = Number(readFileSync(join(dir.path, 'pid'), 'utf8'))
  await waitUntil(() => !isAlive(pid), 'the child is gone')
})

test('a wrapper for one command is skipped, a lasting process is not', () => {
  const passing = [
    ['sh', '-c', 'holdfast session start'],
    ['/bin/bash', '-lc', 'x'],
    ['npm exec holdfast'],
    ['node', '/usr/bin/npx', 'holdfast'],
    ['timeout', '5', 'x'],
    ['env', 'A=b', 'x'],
  ]
  const staying = [['-zsh'], ['bash', 'release.sh'], ['node', '/usr/bin/claude'], ['python3', 'agent.py'], ['claude']]
  expect(passing.filter((argv) => !isPassing(argv))).toEqual([])
  expect(staying.filter(isPassing)).toEqual([])
})
