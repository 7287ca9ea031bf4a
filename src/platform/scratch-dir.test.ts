import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { tempDir } from '../../test/support/temp-dir.ts'
import { removeAbandonedScratch, removeFormerScratch, withScratchDir } from './scratch-dir.ts'

const CHILD = `
import { writeFileSync } from 'node:fs'
import { withScratchDir } from './scratch-dir.ts'
await withScratchDir(async (dir) => {
  writeFileSync(dir + '/copy', 'private')
  console.log(dir)
  await new Promise((resolve) => setTimeout(resolve, 600_000))
}, { root: process.argv[2] })
`

const bundles = tempDir()
const script = join(bundles.path, 'child.mjs')
beforeAll(async () => {
  await build({
    stdin: { contents: CHILD, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  })
  return () => bundles[Symbol.dispose]()
})

/** Another running process and its scratch folder. */
async function aWorker(home: string): Promise<{ readonly child: ChildProcess; readonly folder: string }> {
  const child = spawn(process.execPath, [script, home], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [folder]: readonly unknown[] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, folder: String(folder) }
}

describe('scratch', () => {
  test('is private, in the home, and removed afterwards, also when the work fails', async () => {
    using home = tempDir()
    const root = join(home.path, 'home')
    let folder = ''
    const work = withScratchDir(
      async (dir) => {
        folder = dir
        expect(dir.startsWith(join(root, 'scratch'))).toBe(true)
        expect([statSync(dir).mode & 0o777, statSync(join(root, 'scratch')).mode & 0o777]).toEqual([0o700, 0o700])
        throw new Error('it fails')
      },
      { root },
    )
    await expect(work).rejects.toThrow('it fails')
    expect(existsSync(folder)).toBe(false)
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('is removed with the process at %s', async (signal) => {
    using home = tempDir()
    const { child, folder } = await aWorker(home.path)
    expect(existsSync(join(folder, 'copy'))).toBe(true)
    child.kill(signal)
    expect((await once(child, 'exit'))[1]).toBe(signal)
    expect(existsSync(folder)).toBe(false)
  })

  test('of a killed process is removed by the next one, that of a running process is not', async () => {
    using home = tempDir()
    const [killed, alive] = [await aWorker(home.path), await aWorker(home.path)]
    try {
      killed.child.kill('SIGKILL')
      await once(killed.child, 'exit')
      expect(existsSync(killed.folder)).toBe(true)
      mkdirSync(join(home.path, 'scratch', 'not ours'))
      removeAbandonedScratch({ root: home.path })
      expect([existsSync(killed.folder), existsSync(alive.folder)]).toEqual([false, true])
      expect(readdirSync(join(home.path, 'scratch'))).toContain('not ours')
    } finally {
      alive.child.kill('SIGKILL')
    }
  })

  test('of earlier versions is removed from the temporary folder once it is old', () => {
    using dir = tempDir()
    const at = (name: string, isOld: boolean) => {
      mkdirSync(join(dir.path, name))
      writeFileSync(join(dir.path, name, 'copy'), 'private')
      if (isOld) utimesSync(join(dir.path, name), new Date(0), new Date(0))
    }
    at('holdfast-patch-aB3dE6', true)
    at('holdfast-handoff-aB3dE6', true)
    at('holdfast-patch-fresh1', false)
    at('somebody-patch-aB3dE6', true)
    removeFormerScratch(dir.path)
    expect(readdirSync(dir.path).toSorted()).toEqual(['holdfast-patch-fresh1', 'somebody-patch-aB3dE6'])
  })
})
