import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { watchProgram } from '../process/lifecycle.ts'

test('a program that was replaced or removed is not the one that runs', () => {
  using dir = tempDir()
  const file = join(dir.path, 'daemon.js')
  writeFileSync(file, 'old')
  const isCurrent = watchProgram(file)
  expect(isCurrent()).toBe(true)
  writeFileSync(file, 'newer')
  expect(isCurrent()).toBe(false)
  rmSync(file)
  expect(isCurrent()).toBe(false)
})
