import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EditKind } from './contract/settings-edit.ts'
import { findMissingPrograms } from './missing-programs.ts'

test('programs that an entry calls are found however they are quoted, and only those that are gone and still named', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-missing-'))
  try {
    const settings = join(folder, 'settings.json')
    const text = (launcher: string) =>
      JSON.stringify({ command: `HOLDFAST_NODE=${process.execPath} /bin/sh ${launcher} claude-code Stop || :` })
    const entry = JSON.stringify({ command: '/gone/bin/node', args: ['/gone away/bin/holdfast', 'mcp'] })
    const find = (role: EditKind, inserted: string, now = inserted) => {
      writeFileSync(settings, now)
      const file = { path: settings, role, piece: role, shape: 'entry' as const, isCreated: true, createdFolders: [] }
      const written = {
        ...file,
        insertions: [{ offset: 0, text: inserted }],
        created: [],
        hashBefore: '',
        hashAfter: '',
      }
      const record = { harness: 'x', scope: 'user' as const, version: '1', leftOut: [], files: [written] }
      return findMissingPrograms([record]).map(({ program }) => program)
    }
    expect(find('hooks', text('/gone/dist/launcher.sh'))).toEqual(['/gone/dist/launcher.sh'])
    expect(find('hooks', text("'/gone away/dist/launcher.sh'"))).toEqual(['/gone away/dist/launcher.sh'])
    expect(find('mcp', entry)).toEqual(['/gone/bin/node', '/gone away/bin/holdfast'])
    expect(find('hooks', text('/gone/dist/launcher.sh'), '{}')).toEqual([])
    expect(find('hooks', text(settings))).toEqual([])
    const node = join(folder, 'node')
    const withVersion = (version: string) => writeFileSync(node, `#!/bin/sh\necho v${version}\n`, { mode: 0o755 })
    const mcp = JSON.stringify({ command: node, args: [settings, 'mcp'] })
    for (const [version, missing] of [
      ['18.20.8', [node]],
      ['20.18.3', [node]],
      ['20.19.0', []],
      ['22.2.0', [node]],
      ['22.12.0', []],
      ['26.0.1', []],
    ] as const) {
      withVersion(version)
      expect([version, find('mcp', mcp)]).toEqual([version, missing])
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
