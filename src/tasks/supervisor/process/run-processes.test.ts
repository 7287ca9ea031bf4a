import { describe, expect, test } from 'vitest'
import { RunProcesses } from './run-processes.ts'
import { parsePsRow, parseStatRow, type ProcessRow } from './process-table.ts'
import { joinMarks } from './run-processes.ts'

const row = (pid: number, given: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  startedAt: '1',
  cpu: 0,
  ...given,
})

interface Setup {
  readonly rows: readonly ProcessRow[]
  readonly marks?: Readonly<Record<number, 'this' | 'none'>>
}

function setUp() {
  let scene: Setup = { rows: [] }
  const processes = new RunProcesses({
    runId: 'run-12345678',
    except: () => [1_000],
    list: () => scene.rows,
    readMark: (pid) => scene.marks?.[pid],
  })
  const seen = (next: Setup) => {
    scene = next
    return processes.list().map(({ pid }) => pid)
  }
  return { processes, seen }
}

describe('a process belongs to the run', () => {
  test('by its mark, in any session or group', () => {
    const { seen } = setUp()
    expect(seen({ rows: [row(10), row(11)], marks: { 10: 'this' } })).toEqual([10])
  })

  test('by a session or group whose leader the run started, even after the leader ended', () => {
    const { processes, seen } = setUp()
    processes.addLeader({ pid: 10, startedAt: '1' })
    const members = [row(11, { session: 10, group: 11 }), row(12, { session: 10, group: 10 })]
    expect(seen({ rows: [row(10), ...members] })).toEqual([10, 11, 12])
    expect(seen({ rows: members })).toEqual([11, 12])
  })

  test('as a child or grandchild of such a process', () => {
    const { processes, seen } = setUp()
    processes.addLeader({ pid: 10, startedAt: '1' })
    expect(seen({ rows: [row(12, { parent: 11 }), row(11, { parent: 10 }), row(10), row(13)] })).toEqual([10, 11, 12])
  })

  test('once seen, even after it left parent, session and environment', () => {
    const { processes, seen } = setUp()
    processes.addLeader({ pid: 10, startedAt: '1' })
    expect(seen({ rows: [row(10), row(11, { parent: 10 })] })).toEqual([10, 11])
    expect(seen({ rows: [row(11, { parent: 1, session: 11, group: 11 })] })).toEqual([11])
  })
})

describe('a process does not belong to the run', () => {
  test('when its pid was reused', () => {
    const { processes, seen } = setUp()
    processes.addLeader({ pid: 10, startedAt: '1' })
    expect(seen({ rows: [row(10, { startedAt: '2' }), row(11, { session: 10, startedAt: '3' })] })).toEqual([])
  })

  test('when it is marked as part of no run, such as the daemon', () => {
    const { processes, seen } = setUp()
    processes.addLeader({ pid: 10, startedAt: '1' })
    expect(seen({ rows: [row(10), row(11, { parent: 10 })], marks: { 11: 'none' } })).toEqual([10])
  })

  test('when it is the supervisor itself', () => {
    const { seen } = setUp()
    expect(seen({ rows: [row(1_000)], marks: { 1_000: 'this' } })).toEqual([])
  })
})

test('a run inside a run has both marks', () => {
  expect(joinMarks(undefined, 'a')).toBe('a')
  expect(joinMarks('', 'a')).toBe('a')
  expect(joinMarks('a', 'b')).toBe('a:b')
})

describe('the process table', () => {
  test('/proc', () => {
    const rest = (state: string) => `${state} 7 8 9 0 -1 0 0 0 0 0 30 12 0 0 20 0 1 0 4242 0`
    expect(parseStatRow(10, `10 (a) (b c)) ${rest('S')}`)).toEqual({
      pid: 10,
      parent: 7,
      group: 8,
      session: 9,
      startedAt: '4242',
      cpu: 42,
    })
    expect(parseStatRow(10, `10 (sh) ${rest('Z')}`)).toBeUndefined()
    expect(parseStatRow(10, 'garbage')).toBeUndefined()
  })

  test('ps', () => {
    const row = { pid: 10, parent: 1, group: 10, session: 0, startedAt: 'Mon Nov 16 10:11:12 2026' }
    const line = (time: string) => `   10     1    10 Ss   ${time} Mon Nov 16 10:11:12 2026    `
    expect(parsePsRow(line('  0:02.37'))).toEqual({ ...row, cpu: 237 })
    expect(parsePsRow(line('61:02.30'))).toEqual({ ...row, cpu: 366_230 })
    expect(parsePsRow(line('1-02:03:04'))).toEqual({ ...row, cpu: 9_378_400 })
    expect(parsePsRow('   10     1    10 Z    0:00.00 Mon Nov 16 10:11:12 2026')).toBeUndefined()
    expect(parsePsRow('')).toBeUndefined()
  })
})
