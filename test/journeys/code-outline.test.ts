import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCodeInspector } from '../../src/codemap/code-inspector.ts'
import { systemClock } from '../../src/platform/base/clock.ts'
import { tempDir } from '../support/temp-dir.ts'

const dist = (name: string) => join(import.meta.dirname, '..', '..', 'dist', name)
/** Files that changed a moment ago are always read again. */
const LONG_AGO = new Date('2026-01-01T00:00:00Z')

test('an outline is built again only when a file changed, appeared or went away', async () => {
  using dir = tempDir()
  const root = join(dir.path, 'project')
  mkdirSync(root)
  const write = (name: string, text: string) => {
    writeFileSync(join(root, name), text)
    utimesSync(join(root, name), LONG_AGO, LONG_AGO)
  }
  write('a.ts', 'export function parseLine() {}\n')
  write('b.ts', 'export function printLine() {}\n')
  const inspector = createCodeInspector({
    cacheDir: join(dir.path, 'cache'),
    parser: { workerFile: dist('codemap-worker.js'), grammarsDir: dist('grammars') },
    clock: systemClock,
  })
  const names = ({ symbols }: Awaited<ReturnType<typeof inspector.outline>>) => symbols.map(({ name }) => name).sort()
  // The first reads the files, the second knows that they were read.
  await inspector.outline(root)
  const known = await inspector.outline(root)
  expect(names(known)).toEqual(['parseLine', 'printLine'])
  expect(await inspector.outline(root)).toBe(known)
  write('b.ts', 'export function printWholeLine() {}\n')
  const changed = await inspector.outline(root)
  expect(names(changed)).toEqual(['parseLine', 'printWholeLine'])
  write('c.ts', 'export class Reader {}\n')
  expect(names(await inspector.outline(root))).toEqual(['Reader', 'parseLine', 'printWholeLine'])
})
