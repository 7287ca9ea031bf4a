import { existsSync, renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tempDir } from '../../test/support/temp-dir.ts'
import { resolveHome } from './base/home.ts'
import { createClockTrustFile } from './clock-trust-file.ts'

const TRUST = { seenAtMs: 1, observedMs: 0, neededMs: 3_600_000 }

test('is written into a new home, and a home that was moved away does not come back', () => {
  using dir = tempDir()
  dir.write('home/config.json', '{}')
  const home = resolveHome({ HOLDFAST_HOME: `${dir.path}/home` })
  const file = createClockTrustFile(home)
  file.write(TRUST)
  expect(existsSync(home.clockTrustFile)).toBe(true)
  renameSync(home.root, `${dir.path}/away`)
  expect(() => file.write(TRUST)).toThrow('ENOENT')
  expect(existsSync(home.root)).toBe(false)
})
