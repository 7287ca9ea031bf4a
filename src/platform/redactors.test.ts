import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../test/support/temp-dir.ts'
import { createRedactors } from './redactors.ts'

const SECRET = 'k3Yq9vTz7mWx2Lp8'
const OTHER = 'Rf5Jc1Hn6Bd4Gs9Q'

function manualClock(): { monotonicMs(): number; pass(ms: number): void } {
  let now = 0
  return {
    monotonicMs: () => now,
    pass(ms) {
      now += ms
    },
  }
}

describe('the redactor of a worktree', () => {
  test('knows env values only in worktrees where that is enabled', async () => {
    using dir = tempDir()
    for (const name of ['on', 'off']) {
      mkdirSync(join(dir.path, name))
      writeFileSync(join(dir.path, name, '.env'), `SERVICE=${SECRET}\n`)
    }
    const redactors = createRedactors({ clock: manualClock(), enabled: (worktree) => worktree.endsWith('on') })
    const [on, off] = [
      await redactors.forWorktree(join(dir.path, 'on')),
      await redactors.forWorktree(join(dir.path, 'off')),
    ]
    expect([on.redact(SECRET), off.redact(SECRET)]).toEqual(['[REDACTED:env-value]', SECRET])
  })

  test('knows the values of its env files, and of no other worktree', async () => {
    using dir = tempDir()
    mkdirSync(join(dir.path, 'other'))
    writeFileSync(join(dir.path, '.env'), `SERVICE=${SECRET}\nMODE=production\n`)
    writeFileSync(join(dir.path, '.env.local'), `SERVICE=${OTHER}\n`)
    const redactors = createRedactors({ clock: manualClock() })
    const here = await redactors.forWorktree(dir.path)
    const elsewhere = await redactors.forWorktree(join(dir.path, 'other'))
    const text = `got ${SECRET} and ${OTHER} in production`
    expect(here.redact(text)).toBe('got [REDACTED:env-value] and [REDACTED:env-value] in production')
    expect(elsewhere.redact(text)).toBe(text)
  })

  test('knows those of the session’s package and of the folders above it', async () => {
    using dir = tempDir()
    const cwd = join(dir.path, 'packages', 'api')
    mkdirSync(cwd, { recursive: true })
    writeFileSync(join(dir.path, '.env'), `SERVICE=${OTHER}\n`)
    writeFileSync(join(cwd, '.env'), `SERVICE=${SECRET}\n`)
    const redactors = createRedactors({ clock: manualClock() })
    const text = `got ${SECRET} and ${OTHER}`
    const both = 'got [REDACTED:env-value] and [REDACTED:env-value]'
    expect((await redactors.forWorktree(dir.path, cwd)).redact(text)).toBe(both)
    expect((await redactors.forWorktree(dir.path)).redact(text)).toBe(`got ${SECRET} and [REDACTED:env-value]`)
    const outside = await redactors.forWorktree(cwd, dir.path)
    expect(outside.redact(text)).toBe(`got [REDACTED:env-value] and ${OTHER}`)
  })

  test('does not treat the values of an example as secrets', async () => {
    using dir = tempDir()
    writeFileSync(join(dir.path, '.env.example'), `SERVICE=${SECRET}\n`)
    const redactor = await createRedactors({ clock: manualClock() }).forWorktree(dir.path)
    expect(redactor.redact(`got ${SECRET}`)).toBe(`got ${SECRET}`)
  })

  test('follows a change, once a second at most', async () => {
    using dir = tempDir()
    const clock = manualClock()
    const redactors = createRedactors({ clock })
    const before = await redactors.forWorktree(dir.path)
    writeFileSync(join(dir.path, '.env'), `SERVICE=${SECRET}\n`)
    expect(await redactors.forWorktree(dir.path)).toBe(before)
    clock.pass(1_000)
    const after = await redactors.forWorktree(dir.path)
    expect(after.redact(`got ${SECRET}`)).toBe('got [REDACTED:env-value]')
    clock.pass(1_000)
    expect(await redactors.forWorktree(dir.path)).toBe(after)
  })

  test('does not follow a link out of the worktree', async () => {
    using dir = tempDir()
    const worktree = join(dir.path, 'worktree')
    mkdirSync(worktree)
    writeFileSync(join(dir.path, 'outside'), `SERVICE=${SECRET}\n`)
    symlinkSync(join(dir.path, 'outside'), join(worktree, '.env'))
    mkdirSync(join(worktree, '.env.d'))
    const redactor = await createRedactors({ clock: manualClock() }).forWorktree(worktree)
    expect(redactor.redact(`got ${SECRET}`)).toBe(`got ${SECRET}`)
  })

  test('is the plain one without a worktree, with a missing one, and when env files must not be read', async () => {
    using dir = tempDir()
    writeFileSync(join(dir.path, '.env'), `SERVICE=${SECRET}\n`)
    const redactors = createRedactors({ clock: manualClock() })
    const plain = await redactors.forWorktree(undefined)
    expect(await redactors.forWorktree(join(dir.path, 'gone'))).toBe(plain)
    const off = await createRedactors({ enabled: false, clock: manualClock() }).forWorktree(dir.path)
    expect(off.redact(`got ${SECRET}`)).toBe(`got ${SECRET}`)
  })
})
