import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDir } from '../../test/support/temp-dir.ts'
import { resolveHome } from '../platform/base/home.ts'
import { removeLauncherFile, writeLauncherFile } from '../platform/launcher-file.ts'
import { createWedgeWatch } from './wedged-daemon.ts'

function watched() {
  const dir = tempDir()
  const home = resolveHome({ HOLDFAST_HOME: join(dir.path, 'home') })
  mkdirSync(home.runDir, { recursive: true })
  const name = (pid: number) => writeLauncherFile(home, { port: 1, hookToken: 't', pid, nodePath: '/node' })
  name(process.pid)
  const at = { nowMs: 0, cpuTicks: 0 }
  const watch = createWedgeWatch({
    home,
    nowMs: () => at.nowMs,
    readStat: () => ({ state: 'S', startTicks: '1', cpuTicks: at.cpuTicks }),
  })
  return { home, name, at, watch, [Symbol.dispose]: () => dir[Symbol.dispose]() }
}

test('a daemon that neither answers nor computes is named after half a minute, and not before', () => {
  using world = watched()
  expect(world.watch.findWedged()).toBeUndefined()
  world.at.nowMs = 29_999
  expect(world.watch.findWedged()).toBeUndefined()
  world.at.nowMs = 30_000
  expect(world.watch.findWedged()).toBe(process.pid)
})

test('one that computes gets five minutes', () => {
  using world = watched()
  for (; world.at.nowMs < 300_000; world.at.nowMs += 10_000) {
    world.at.cpuTicks += 1
    expect(world.watch.findWedged()).toBeUndefined()
  }
  expect(world.watch.findWedged()).toBe(process.pid)
})

test('a daemon that replaces it is timed from its own start, and a missing one is never reported', () => {
  using world = watched()
  world.watch.findWedged()
  world.at.nowMs = 29_000
  world.name(process.ppid)
  expect(world.watch.findWedged()).toBeUndefined()
  world.at.nowMs = 31_000
  expect(world.watch.findWedged()).toBeUndefined()
  world.at.nowMs = 90_000
  removeLauncherFile(world.home)
  expect(world.watch.findWedged()).toBeUndefined()
})
