import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { resolveHome } from '../../../platform/base/home.ts'
import { openDatabase } from '../../../storage/sqlite/connection/driver.ts'
import { findSources } from './find-sources.ts'

const portsIn = (root: string, env: NodeJS.ProcessEnv = {}) => ({
  env: { HOME: root, ...env },
  cwd: root,
  home: resolveHome({ HOLDFAST_HOME: join(root, 'holdfast') }),
  distDir: root,
  skillsDir: root,
  platform: process.platform,
  nodePath: 'node',
})

async function found(root: string, harness: string, env: NodeJS.ProcessEnv = {}) {
  const { sources } = await findSources({ harnesses: [harness], isNamed: true }, portsIn(root, env))
  return sources.map(({ path }) => path.slice(root.length + 1))
}

function putDatabase(path: string): void {
  const database = openDatabase(path)
  database.exec(`create table session (id text, parent_id text, directory text, version text, time_created int, time_updated int);
    insert into session values ('s', null, '/project', '1', 1, 2);`)
  database.close()
}

describe('sessions are looked for', () => {
  test('where OpenCode has its database, also one that was moved', async () => {
    using dir = tempDir()
    const places = ['.local/share/opencode/opencode.db', 'data/opencode/opencode.db', 'own.db']
    for (const place of places) putDatabase(dir.write(place, ''))
    const data = { XDG_DATA_HOME: join(dir.path, 'data') }
    const own = { ...data, OPENCODE_DB: join(dir.path, 'own.db') }
    expect([
      await found(dir.path, 'opencode'),
      await found(dir.path, 'opencode', data),
      await found(dir.path, 'opencode', own),
    ]).toEqual(places.map((place) => [place]))
  })

  test('among those that Codex has put away too, and the oldest come first', async () => {
    using dir = tempDir()
    const files = [
      '.codex/sessions/2026/01/01/b.jsonl',
      '.codex/sessions/2026/01/02/a.jsonl',
      '.codex/archived_sessions/c.jsonl',
    ]
    for (const [age, file] of files.entries()) {
      const at = new Date(Date.UTC(2026, 0, 9 - age))
      utimesSync(dir.write(file, '{}\n'), at, at)
    }
    expect(await found(dir.path, 'codex')).toEqual(files.toReversed())
  })

  test('where a variable says that a harness lives elsewhere', async () => {
    using dir = tempDir()
    dir.write('claude/projects/-p/s.jsonl', '{}\n')
    dir.write('codex/sessions/s.jsonl', '{}\n')
    expect([
      await found(dir.path, 'claude-code', { CLAUDE_CONFIG_DIR: join(dir.path, 'claude') }),
      await found(dir.path, 'codex', { CODEX_HOME: join(dir.path, 'codex') }),
    ]).toEqual([['claude/projects/-p/s.jsonl'], ['codex/sessions/s.jsonl']])
  })
})

test('files whose names are not those of transcripts are passed over, and listed', async () => {
  using dir = tempDir()
  for (const name of ['a.jsonl', 'notes.md', 'agent-7.jsonl', 'index.json']) dir.write(`backup/${name}`, '{}')
  const search = { harnesses: ['claude-code'], isNamed: true, from: 'backup' }
  const { sources, notTranscripts } = await findSources(search, portsIn(dir.path))
  const pathOf = (name: string) => join(dir.path, 'backup', name)
  expect(sources.map(({ path }) => path)).toEqual([pathOf('a.jsonl')])
  expect(notTranscripts).toEqual(['agent-7.jsonl', 'index.json', 'notes.md'].map(pathOf))
})
