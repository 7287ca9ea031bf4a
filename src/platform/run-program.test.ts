import { expect, test } from 'vitest'
import { tempDir } from '../../test/support/temp-dir.ts'
import { isPassing } from './ancestor.ts'
import { runProgram } from './run-program.ts'

const base = { cwd: '/', env: { PATH: process.env['PATH'] }, timeoutMs: 60_000 }
const node = (script: string, ...args: readonly string[]) => [process.execPath, '-e', script, ...args]

test('arguments arrive as they are: no shell reads them', async () => {
  const nasty = '$(id); `id` && "x" | * \n'
  const ran = await runProgram({ ...base, argv: node('process.stdout.write(process.argv[1])', nasty) })
  expect(ran).toEqual({ exitStatus: 0, output: nasty })
})

test('the end of both streams is kept, and the exit status told', async () => {
  const script = 'console.error("x".repeat(5000)); process.exitCode = 3'
  const ran = await runProgram({ ...base, argv: node(script), keptChars: 10 })
  expect(ran).toEqual({ exitStatus: 3, output: `${'x'.repeat(9)}\n` })
})

test('a program that is not there could not be started', async () => {
  expect(await runProgram({ ...base, argv: ['/no/such/program'] })).toMatchObject({ endedBy: 'not-started' })
})

test('a time limit ends the program and the children that ignore it', async () => {
  using dir = tempDir()
  const child = `process.on("SIGTERM", () => {}); require("node:fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)`
  const script = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "inherit" }); setInterval(() => {}, 1000)`
  const ran = await runProgram({ ...base, cwd: dir.path, argv: node(script), timeoutMs: 4_000 })
  expect(ran.endedBy).toBe('timeout')
})

test('what is started for one command only is passed over, and what stays is not', () => {
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
