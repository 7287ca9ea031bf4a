import { expect, test } from 'vitest'
import { readGuardianLines, writeGuardianLine } from './run-processes.ts'

const leader = { kind: 'leader', pid: 12, startedAt: 'Mon Nov 16 10:11:12 2026' } as const
const known = { kind: 'known', pid: 34, startedAt: '4242' } as const

test('lines split at any point are read whole, and invalid ones are skipped', () => {
  const text = `${writeGuardianLine(leader)}nonsense\n${writeGuardianLine(known)}`
  for (let cut = 0; cut <= text.length; cut += 1) {
    const first = readGuardianLines(text.slice(0, cut))
    const second = readGuardianLines(first.rest + text.slice(cut))
    expect([...first.lines, ...second.lines, second.rest]).toEqual([leader, known, ''])
  }
})
