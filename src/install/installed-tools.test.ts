import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resolveHome } from '../platform/base/home.ts'
import { createInstalledTools } from './installation.ts'
import { type Installation, writeManifest } from './manifest.ts'
import type { EditKind } from './contract/settings-edit.ts'

let root: string
let home: ReturnType<typeof resolveHome>
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-tools-'))
  home = resolveHome({ HOLDFAST_HOME: root })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function installed(roles: readonly EditKind[], cwd?: string): Installation {
  return {
    harness: 'codex',
    scope: cwd === undefined ? 'user' : 'project',
    version: '0.1.0',
    ...(cwd !== undefined && { cwd }),
    leftOut: roles.includes('mcp') ? [] : ['mcp'],
    files: roles.map((role) => ({
      path: `/home/dev/.codex/${role}`,
      role,
      piece: role,
      shape: 'entry',
      isCreated: true,
      createdFolders: [],
      insertions: [],
      created: [],
      hashBefore: '',
      hashAfter: '',
    })),
  }
}

test.each<[string, readonly Installation[], boolean | undefined]>([
  ['nothing was installed', [], undefined],
  ['only another harness was', [{ ...installed(['hooks', 'mcp']), harness: 'cursor' }], undefined],
  ['they were installed', [installed(['hooks', 'mcp'])], true],
  ['they were left out', [installed(['hooks', 'skills'])], false],
  ['they were left out in this project', [installed(['hooks'], '/w/app')], false],
  ['they were left out in the folder above', [installed(['hooks'], '/w')], false],
  ['they were left out in a folder of it', [installed(['hooks'], '/w/app/web')], false],
  ['they were left out in a project next to it', [installed(['hooks'], '/w/ap')], undefined],
  ['only a project next to it has them', [installed(['hooks']), installed(['hooks', 'mcp'], '/w/app2')], false],
  ['the user has them and the project left them out', [installed(['mcp']), installed(['hooks'], '/w/app')], true],
])('%s', (_, installations, expected) => {
  writeManifest(home, installations)
  expect(createInstalledTools(home)('codex', '/w/app')).toBe(expected)
})

test('what is installed or removed later counts at once, and an unreadable manifest says nothing', () => {
  const hasTools = createInstalledTools(home)
  const now = () => hasTools('codex', '/w/app')
  expect(now()).toBeUndefined()
  writeManifest(home, [installed(['hooks'])])
  expect(now()).toBe(false)
  writeManifest(home, [installed(['hooks', 'mcp'])])
  expect(now()).toBe(true)
  writeFileSync(home.manifestFile, '{')
  expect(now()).toBeUndefined()
  rmSync(home.manifestFile)
  mkdirSync(home.manifestFile)
  expect(now()).toBeUndefined()
})
