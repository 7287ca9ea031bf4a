import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { createRunDir } from './run-dir.ts'

const LONG_AGO = new Date('2026-01-01T00:00:00Z')

function runsIn(root: string) {
  const runs = join(root, 'runs')
  mkdirSync(runs)
  const processes = { isAlive: ({ pid }: { pid: number }) => pid === 1, startedAt: () => '1' }
  return {
    /** A folder as a run left it, or is about to fill it. */
    put: (name: string, owner?: string, isOld = false) => {
      mkdirSync(join(runs, name))
      if (owner !== undefined) writeFileSync(join(runs, name, 'owner.json'), owner)
      if (isOld) utimesSync(join(runs, name), LONG_AGO, LONG_AGO)
    },
    make: () => createRunDir({ home: { root }, runId: 'run-mine', pid: 1, processes }),
    names: () => readdirSync(runs).toSorted(),
  }
}

test('a run has its own folder, which is removed with it', () => {
  using dir = tempDir()
  const { make, names } = runsIn(dir.path)
  let path = ''
  {
    using mine = make()
    path = mine.path
    expect(names()).toEqual(['run-mine'])
  }
  expect(existsSync(path)).toBe(false)
})

test('folders of killed runs are removed; those of live or just starting runs stay', () => {
  using dir = tempDir()
  const { put, make, names } = runsIn(dir.path)
  put('run-alive', '{"pid":1}', true)
  put('run-dead', '{"pid":2}')
  put('run-being-made')
  put('run-half-made', undefined, true)
  put('run-half-written', '{"pid"', true)
  put('something else', undefined, true)
  using mine = make()
  expect(mine.path).toBe(join(dir.path, 'runs', 'run-mine'))
  expect(names()).toEqual(['run-alive', 'run-being-made', 'run-mine', 'something else'])
})
