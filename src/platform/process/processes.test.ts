import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { parseProcStat } from './proc-stat.ts'
import { systemProcesses } from './processes.ts'

test('a running process is alive, by pid alone and with its start time, and dead with another start time', () => {
  const startedAt = systemProcesses.startedAt(process.pid)
  expect(startedAt).toEqual(expect.any(String))
  expect(systemProcesses.isAlive({ pid: process.pid })).toBe(true)
  expect(systemProcesses.isAlive({ pid: process.pid, startedAt: startedAt ?? '' })).toBe(true)
  expect(systemProcesses.isAlive({ pid: process.pid, startedAt: 'another boot:1' })).toBe(false)
})

test('a process that ended is dead', async () => {
  const child = spawn('sleep', ['600'])
  const ref = { pid: child.pid ?? 0, startedAt: systemProcesses.startedAt(child.pid ?? 0) ?? '' }
  expect(systemProcesses.isAlive(ref)).toBe(true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(systemProcesses.isAlive(ref)).toBe(false)
  expect(systemProcesses.startedAt(ref.pid)).toBeUndefined()
})

test("another user's process is alive", () => {
  expect(systemProcesses.isAlive({ pid: 1 })).toBe(true)
})

test.each([0, -1, 1.5, Number.NaN, 2 ** 40])('%d is not a process', (pid) => {
  expect(systemProcesses.isAlive({ pid })).toBe(false)
  expect(systemProcesses.startedAt(pid)).toBeUndefined()
})

test('a command name with spaces and parentheses does not shift the fields', () => {
  const rest = `S ${Array.from({ length: 18 }, (_, n) => n).join(' ')} 4242 99`
  expect(parseProcStat(`7 (a) (b c)) ${rest}`)).toMatchObject({ state: 'S', startTicks: '4242' })
  expect(parseProcStat('garbage')).toBeUndefined()
})
