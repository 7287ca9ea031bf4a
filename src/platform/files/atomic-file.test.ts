import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSimFs } from '../../../test/support/sim-fs.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { type DurableFs, ensurePrivateDir, realDurableFs, SymlinkRefused, writeFileAtomic } from './atomic-file.ts'

describe('writing a file as a whole', () => {
  test('the file has the bytes and the mode, and nothing else is in the folder', () => {
    using dir = tempDir()
    const file = join(dir.path, 'x')
    writeFileAtomic(file, 'one')
    writeFileAtomic(file, Buffer.from('two'), { mode: 0o640 })
    expect(readFileSync(file, 'utf8')).toBe('two')
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(readdirSync(dir.path)).toEqual(['x'])
  })

  test('a link at the path is replaced, not followed', () => {
    using dir = tempDir()
    const victim = dir.write('victim', 'mine')
    symlinkSync(victim, join(dir.path, 'x'))
    writeFileAtomic(join(dir.path, 'x'), 'new')
    expect([readFileSync(victim, 'utf8'), readFileSync(join(dir.path, 'x'), 'utf8')]).toEqual(['mine', 'new'])
  })

  test.each(['write', 'fsync', 'rename'] as const)('a failing %s leaves the old file and no temporary file', (call) => {
    using dir = tempDir()
    const file = dir.write('x', 'old')
    const fs: DurableFs = {
      ...realDurableFs,
      [call]: () => {
        throw new Error('EIO')
      },
    }
    expect(() => writeFileAtomic(file, 'new', { fs })).toThrow('EIO')
    expect([readFileSync(file, 'utf8'), readdirSync(dir.path)]).toEqual(['old', ['x']])
  })

  const losesPower = (write: (fs: DurableFs, text: string) => void) =>
    fc.property(fc.nat(30), fc.integer(), fc.string(), fc.string({ minLength: 1 }), (crashAt, seed, before, after) => {
      const sim = createSimFs(seed)
      sim.put('/d/x', before)
      let isAcknowledged = true
      try {
        write(sim.crashingAfter(crashAt), after)
      } catch {
        isAcknowledged = false
      }
      const found = sim.afterPowerLoss().get('/d/x')
      return isAcknowledged ? found === after : found === after || found === before
    })

  test('after a power loss at any call the file is the old one or the new one, and the new one once acknowledged', () => {
    fc.assert(
      losesPower((fs, text) => writeFileAtomic('/d/x', text, { fs })),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['without fsync of the file', { fsync: () => undefined }],
    ['without fsync of the folder', { fsyncDir: () => undefined }],
  ])('control: %s the same test fails', (_what, missing) => {
    const broken = losesPower((fs, text) => writeFileAtomic('/d/x', text, { fs: { ...fs, ...missing } }))
    expect(fc.check(broken, { numRuns: 2_000 }).failed).toBe(true)
  })
})

describe('private folders', () => {
  test('made with missing parents, and closed to others even if they were open before', () => {
    using dir = tempDir()
    const root = join(dir.path, 'a', 'root')
    ensurePrivateDir(join(root, 'b', 'c'), root)
    expect(statSync(join(root, 'b')).mode & 0o777).toBe(0o700)
    chmodSync(join(root, 'b', 'c'), 0o755)
    ensurePrivateDir(join(root, 'b', 'c'), root)
    expect(statSync(join(root, 'b', 'c')).mode & 0o777).toBe(0o700)
  })

  test.skipIf(!existsSync('/proc/self'))(
    'a place where nothing can be made is an error, not an endless attempt',
    () => {
      expect(() => ensurePrivateDir('/proc/holdfast/spool', '/proc/holdfast')).toThrow('ENOENT')
      expect(() => ensurePrivateDir('/dev/null/holdfast')).toThrow('ENOTDIR')
    },
  )

  test('a link below the root is refused, the root itself may be one, a conflicting file is named', () => {
    using dir = tempDir()
    mkdirSync(join(dir.path, 'elsewhere'))
    symlinkSync(join(dir.path, 'elsewhere'), join(dir.path, 'root'))
    ensurePrivateDir(join(dir.path, 'root', 'fine'), join(dir.path, 'root'))
    symlinkSync(dir.path, join(dir.path, 'elsewhere', 'spool'))
    expect(() => ensurePrivateDir(join(dir.path, 'root', 'spool', 'dead'), join(dir.path, 'root'))).toThrow(
      SymlinkRefused,
    )
    writeFileSync(join(dir.path, 'elsewhere', 'file'), '')
    expect(() => ensurePrivateDir(join(dir.path, 'root', 'file'), join(dir.path, 'root'))).toThrow(
      'exists and is not a folder',
    )
    expect(() => ensurePrivateDir(dir.path, join(dir.path, 'root'))).toThrow('is not inside')
  })
})
