import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { findProgramIn, pathOutsideProjects, programFolders, programPath, programSearchPath } from './programs.ts'

/** A home with a project in it, and folders of programs inside and outside of the project. */
function aMachine(root: string) {
  const home = join(root, 'home')
  const project = join(home, 'app')
  const folders = {
    own: join(home, '.local', 'bin'),
    elsewhere: join(root, 'opt', 'bin'),
    project: join(project, 'bin'),
    packages: join(home, 'other', 'node_modules', '.bin'),
    open: join(root, 'open'),
    linked: join(root, 'linked'),
  }
  for (const folder of [folders.own, folders.elsewhere, folders.project, folders.packages, folders.open])
    mkdirSync(folder, { recursive: true })
  mkdirSync(join(project, '.git'))
  mkdirSync(join(project, 'src'))
  chmodSync(folders.open, 0o777)
  symlinkSync(folders.project, folders.linked)
  return { home, project, folders }
}

describe('programs', () => {
  test('a folder of the project, of packages, of others, or relative is not searched', () => {
    using dir = tempDir()
    const { home, project, folders } = aMachine(dir.path)
    const PATH = ['.', '', 'bin', 'node_modules/.bin', ...Object.values(folders), join(dir.path, 'gone')].join(
      delimiter,
    )
    const search = { env: { HOME: home, PATH }, cwd: join(project, 'src') }
    expect(pathOutsideProjects(search)).toBe([folders.own, folders.elsewhere].join(delimiter))
  })

  test('a home that is itself in git keeps the programs in it', () => {
    using dir = tempDir()
    const { home, folders } = aMachine(dir.path)
    mkdirSync(join(home, '.git'))
    const search = { env: { HOME: home, PATH: folders.own }, cwd: home }
    expect(pathOutsideProjects(search)).toBe(folders.own)
    // Git itself is not taken from a checkout.
    expect(programFolders(search)).not.toContain(folders.own)
  })

  test('system folders come before PATH', () => {
    using dir = tempDir()
    const { home, folders } = aMachine(dir.path)
    writeFileSync(join(folders.elsewhere, 'git'), '#!/bin/sh\n')
    chmodSync(join(folders.elsewhere, 'git'), 0o755)
    writeFileSync(join(folders.elsewhere, 'only-here'), '#!/bin/sh\n')
    chmodSync(join(folders.elsewhere, 'only-here'), 0o755)
    writeFileSync(join(folders.own, 'not-executable'), '')
    const found = programFolders({ env: { HOME: home, PATH: [folders.elsewhere, folders.own].join(delimiter) } })
    expect(findProgramIn(found, 'sh')).toMatch(/^\/(?:usr\/)?(?:local\/)?bin\/sh$/)
    expect(found.indexOf('/usr/bin')).toBeLessThan(found.indexOf(folders.elsewhere))
    expect(findProgramIn(found, 'only-here')).toBe(join(folders.elsewhere, 'only-here'))
    expect(findProgramIn(found, 'not-executable')).toBeUndefined()
  })

  test('git has an absolute path, and its PATH has only absolute folders', () => {
    expect(programPath('git')).toMatch(/^\//)
    expect(programPath('no-such-program')).toBeUndefined()
    expect(
      programSearchPath()
        .split(delimiter)
        .every((folder) => folder.startsWith('/')),
    ).toBe(true)
  })
})
