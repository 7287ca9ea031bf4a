import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claudeSession } from '../../../../test/support/claude-lines.ts'
import { aBench, type Bench } from '../../../../test/support/continuity-setup.ts'
import type { Continuity } from '../../../app/continuity.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { createContinuity } from '../../../app/create-continuity.ts'
import { createRedactor } from '../../../redaction/redactor.ts'
import { resolveHome } from '../../../platform/base/home.ts'
import { openDatabase } from '../../../storage/sqlite/connection/driver.ts'
import { importableHarnesses } from '../../../harness/registry.ts'
import { findSources } from './find-sources.ts'
import { importSources } from './import-sources.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hf-import-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const LONG_AGO = new Date('2026-01-01T00:00:00Z')

function put(path: string, content: string | Buffer): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  utimesSync(file, LONG_AGO, LONG_AGO)
  return file
}

function ports() {
  const env = { HOME: root }
  const home = resolveHome({ HOLDFAST_HOME: join(root, 'holdfast') })
  return { env, cwd: root, home, distDir: root, skillsDir: root, platform: process.platform, nodePath: 'node' }
}

async function run(keeper: Pick<Continuity, 'importHistory'>, from?: string) {
  const search = { harnesses: importableHarnesses, isNamed: false, ...(from === undefined ? {} : { from }) }
  const { sources, foreign, unreadable } = await findSources(search, ports())
  const { results, stopped } = await importSources(sources, {
    store: keeper,
    now: () => Date.now(),
    onDone: () => undefined,
  })
  return {
    foreign,
    unreadable,
    ...(stopped === undefined ? {} : { stopped: stopped.code }),
    told: results.map(({ source, outcome, events }) => [source.harness, outcome, events]),
  }
}

async function stateOf({ store }: Bench) {
  const sessions = await store.listSessions({ limit: 50 })
  const works = await Promise.all(sessions.map(({ id }) => store.findWork(id)))
  return { counts: await store.counts(), works: works.map((work) => work?.state) }
}

describe('importing from the disk', () => {
  test('each harness’s own folder is read, once', async () => {
    put('.claude/projects/-project/one.jsonl', claudeSession('one'))
    put('.claude/projects/-project/agent-x.jsonl', claudeSession('sub'))
    put('.claude/projects/-project/one/subagents/agent-y.jsonl', claudeSession('sub'))
    put('.claude/projects/-project/one/subagents/flow/step.jsonl', claudeSession('sub'))
    const codex = [
      { type: 'session_meta', payload: { id: 'two', cwd: '/project', cli_version: '1' } },
      { type: 'event_msg', payload: { type: 'user_message', message: 'Look at the codex side of it.' } },
    ].map((line) => JSON.stringify({ timestamp: '2026-01-01T00:00:01.000Z', ...line }))
    put('.codex/sessions/2026/01/01/rollout-two.jsonl', `${codex.join('\n')}\n`)
    put('.gemini/tmp/word/.project_root', '/project')
    const gemini = [
      { sessionId: 'three', projectHash: 'x', startTime: '2026-01-01T00:00:00.000Z' },
      { id: 'm', type: 'user', timestamp: '2026-01-01T00:00:01.000Z', content: [{ text: 'And the gemini side.' }] },
    ].map((line) => JSON.stringify(line))
    put('.gemini/tmp/word/chats/session-3.jsonl', `${gemini.join('\n')}\n`)
    await using bench = await aBench()
    const first = await run(bench.continuity)
    expect(first.told.map(String).toSorted()).toEqual([
      'claude-code,imported,2',
      'codex,imported,1',
      'gemini-cli,imported,1',
    ])
    const sessions = await bench.store.listSessions({ limit: 9 })
    expect(sessions.map(({ key, phase, place }) => `${key} ${phase} ${place?.worktree}`).toSorted()).toEqual([
      'one ended /project',
      'three ended /project',
      'two ended /project',
    ])
    const before = await stateOf(bench)
    expect((await run(bench.continuity)).told.map(([, outcome]) => outcome)).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
    ])
    expect(await stateOf(bench)).toEqual(before)
  })

  test('OpenCode’s database is read session by session, without its subagents', async () => {
    const file = put('.local/share/opencode/opencode.db', '')
    const database = openDatabase(file)
    database.exec('pragma journal_mode = wal')
    database.exec(`create table session (id text, parent_id text, directory text, version text, time_created int, time_updated int);
      create table message (id text, session_id text, time_created int, data text);
      create table part (id text, message_id text, data text);
      insert into session values ('s', null, '/project', '1', 1, 2), ('sub', 's', '/project', '1', 1, 2);
      insert into message values ('m', 's', 1767225600000, '{"role":"user","time":{"created":1767225600000}}');
      insert into part values ('p', 'm', '{"type":"text","text":"Ask of the open one."}');`)
    database.close()
    await using bench = await aBench()
    expect((await run(bench.continuity)).told).toEqual([['opencode', 'imported', 1]])
    const [session] = await bench.store.listSessions({ limit: 2 })
    expect(session).toMatchObject({ key: 's', phase: 'ended', startedAt: '2026-01-01T00:00:00.000Z' })
    expect(readdirSync(dirname(file))).toEqual(['opencode.db'])
  })

  test('OpenCode’s database is read as it stands while OpenCode runs, with what is not in its main file yet', async () => {
    const file = put('.local/share/opencode/opencode.db', '')
    const running = openDatabase(file)
    running.exec(`pragma journal_mode = wal;
      create table session (id text, parent_id text, directory text, version text, time_created int, time_updated int);
      create table message (id text, session_id text, time_created int, data text);
      create table part (id text, message_id text, data text);
      insert into session values ('s', null, '/project', '1', 1, 2);`)
    try {
      const { sources } = await findSources({ harnesses: ['opencode'], isNamed: true }, ports())
      expect(sources.map(({ sessionId }) => sessionId)).toEqual(['s'])
    } finally {
      running.close()
    }
  })

  test('a folder may hold packed files of several harnesses, and others that are none', async () => {
    put('backup/a.jsonl.gz', gzipSync(claudeSession('packed')))
    put('backup/b.json', '{"name":"not a transcript"}')
    put('backup/c.jsonl.gz', 'not packed at all')
    await using bench = await aBench()
    const { told, foreign } = await run(bench.continuity, 'backup')
    expect(told).toEqual([['claude-code', 'imported', 2]])
    expect(foreign).toHaveLength(2)
    expect((await run(bench.continuity, 'backup')).told).toEqual([['claude-code', 'unchanged', 0]])
  })

  test('a document that is written on one long line is read like any other, and known by its beginning', async () => {
    const head = { sessionId: 'doc', projectHash: 'x', startTime: '2026-01-01T00:00:00.000Z' }
    const messages = Array.from({ length: 10 }, (_, n) => ({
      id: `m${n}`,
      type: 'user',
      timestamp: '2026-01-01T00:00:01.000Z',
      content: [{ text: `Ask number ${n}. ${'x'.repeat(1_000_000)}` }],
    }))
    put('backup/session-1.json', JSON.stringify({ ...head, messages }))
    put('backup/blank.json', ' \n\n')
    await using bench = await aBench()
    const { told, foreign } = await run(bench.continuity, 'backup')
    expect([told, foreign]).toEqual([[['gemini-cli', 'imported', 10]], [join(root, 'backup/blank.json')]])
  })

  test('one file may be given instead of a folder', async () => {
    put('backup/a.jsonl.gz', gzipSync(claudeSession('packed')))
    put('backup/b.jsonl', claudeSession('other'))
    await using bench = await aBench()
    expect(await run(bench.continuity, 'backup/a.jsonl.gz')).toEqual({
      foreign: [],
      unreadable: [],
      told: [['claude-code', 'imported', 2]],
    })
  })

  test('a database that is none, or of another shape, is named, and the rest is imported', async () => {
    put('.claude/projects/-project/one.jsonl', claudeSession('one'))
    const path = put('.local/share/opencode/opencode.db', 'This is not a database, though it is called one.')
    await using bench = await aBench()
    const { told, unreadable } = await run(bench.continuity)
    expect(told).toEqual([['claude-code', 'imported', 2]])
    expect(unreadable).toEqual([{ path, reason: 'file is not a database' }])
    put('.local/share/opencode/opencode.db', '')
    expect((await run(bench.continuity)).unreadable).toEqual([{ path, reason: 'no such table: session' }])
  })

  // Permission binds nobody who is root.
  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'a folder and a file that only others may read are named, and the rest is imported',
    async () => {
      const locked = [join(root, 'backup/locked'), put('backup/mine.jsonl', claudeSession('mine'))]
      put('backup/locked/two.jsonl', claudeSession('two'))
      put('backup/one.jsonl', claudeSession('one'))
      for (const path of locked) chmodSync(path, 0)
      try {
        await using bench = await aBench()
        const { told, foreign, unreadable } = await run(bench.continuity, 'backup')
        expect({ told, foreign }).toEqual({ told: [['claude-code', 'imported', 2]], foreign: [] })
        expect(unreadable.map(({ path }) => path)).toEqual(locked)
      } finally {
        for (const path of locked) chmodSync(path, 0o700)
      }
    },
  )

  test('killed after any batch, a second run ends where an undisturbed one does', async () => {
    put('.claude/projects/-project/long.jsonl', claudeSession('long', 100))
    await using whole = await aBench()
    const counting = (bench: Bench) => {
      const sent = { batches: 0 }
      const importHistory: Continuity['importHistory'] = (batch) => {
        sent.batches += 1
        return bench.continuity.importHistory(batch)
      }
      return { sent, importHistory }
    }
    const undisturbed = counting(whole)
    await run(undisturbed)
    const expected = await stateOf(whole)
    for (const survives of [1, 2, 4, 7]) {
      await using bench = await aBench()
      let calls = 0
      let kept = 0
      const killed = {
        importHistory: async (batch: Parameters<Continuity['importHistory']>[0]) => {
          calls += 1
          if (calls > survives) throw new Error('killed')
          const answer = await bench.continuity.importHistory(batch)
          kept += answer.kept
          return answer
        },
      }
      expect((await run(killed)).told).toEqual([['claude-code', 'failed', kept]])
      expect(kept > 0).toBe(survives > 1)
      const again = counting(bench)
      expect((await run(again)).told[0]?.[1]).toBe('imported')
      expect(await stateOf(bench)).toEqual(expected)
      // The first batch of each run only asks how far the last one came; what was kept then is not sent again.
      expect(again.sent.batches).toBe(undisturbed.sent.batches - (survives - 1))
    }
  })

  describe('what was added to a session since it was imported comes with the next import, all of it and once', () => {
    async function grows(write: (turns: number) => void) {
      await using whole = await aBench()
      write(90)
      await run(whole.continuity)
      await using bench = await aBench()
      for (const turns of [1, 40, 41, 90]) {
        write(turns)
        expect((await run(bench.continuity)).told.map(([, outcome]) => outcome)).toEqual(['imported'])
        expect((await run(bench.continuity)).told.map(([, outcome]) => outcome)).toEqual(['unchanged'])
      }
      const eventsIn = async ({ store }: Bench) =>
        (await store.listEvents({ limit: 999 }))
          .map(({ event }) => event)
          .filter(({ kind }) => kind !== 'session-ended')
          .map(({ id, kind }) => `${kind} ${id}`)
      expect(await eventsIn(bench)).toEqual(await eventsIn(whole))
      expect((await eventsIn(bench)).length).toBeGreaterThan(80)
      // In which part of an import something was said shows in no figure.
      const { works } = await stateOf(bench)
      expect(works).toEqual((await stateOf(whole)).works)
    }

    test('in lines', async () => {
      await grows((turns) => put('.claude/projects/-project/long.jsonl', claudeSession('long', turns)))
    })

    test('in one document', async () => {
      await grows((turns) => {
        const messages = Array.from({ length: turns }, (_, n) => ({
          id: `m${n}`,
          type: 'user',
          timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString(),
          content: [{ text: `Ask number ${n}.` }],
        }))
        put('.gemini/tmp/word/.project_root', '/project')
        const head = { sessionId: 'doc', projectHash: 'x', startTime: '2026-01-01T00:00:00.000Z' }
        put('.gemini/tmp/word/chats/session-1.json', JSON.stringify({ ...head, messages }))
      })
    })

    test('in a database', async () => {
      await grows((turns) => {
        const database = openDatabase(put('.local/share/opencode/opencode.db', ''))
        database.exec(`create table session (id text, parent_id text, directory text, version text, time_created int, time_updated int);
          create table message (id text, session_id text, time_created int, data text);
          create table part (id text, message_id text, data text);
          insert into session values ('s', null, '/project', '1', 1, 2);`)
        for (let n = 0; n < turns; n += 1) {
          const created = 1_767_225_600_000 + 1_000 * n
          database.exec(`insert into message values ('m${1_000 + n}', 's', ${created}, '{"role":"user","time":{"created":${created}}}');
            insert into part values ('p${1_000 + n}', 'm${1_000 + n}', '{"type":"text","text":"Ask number ${n}."}');`)
        }
        database.close()
      })
    })
  })

  test('a file that never says whose it is, is not held for that', async () => {
    const line = JSON.stringify({ uuid: 'x', type: 'user', message: { role: 'user', content: 'Nobody’s.' } })
    put('backup/nobodys.jsonl', `${line}\n`.repeat(20_000))
    const search = { harnesses: ['claude-code'], isNamed: true, from: 'backup' } as const
    const { sources } = await findSources(search, ports())
    const keeper = { importHistory: () => Promise.reject(new Error('Nothing is to be sent.')) }
    const { results } = await importSources(sources, { store: keeper, now: Date.now, onDone: () => undefined })
    expect(results[0]?.outcome).toBe('empty')
  })

  test('a file from a clock that was ahead is not in use for that', async () => {
    const path = put('.claude/projects/-p/s.jsonl', claudeSession('s'))
    const ahead = new Date(Date.now() + 86_400_000)
    utimesSync(path, ahead, ahead)
    await using bench = await aBench()
    expect((await run(bench.continuity)).told).toEqual([['claude-code', 'imported', 2]])
  })

  test.skipIf(process.platform === 'win32')(
    'what is neither a folder nor a file is named and not waited for',
    async () => {
      const { sources, unreadable } = await findSources(
        { harnesses: importableHarnesses, isNamed: true, from: '/dev/zero' },
        ports(),
      )
      expect({ sources, unreadable }).toEqual({
        sources: [],
        unreadable: [{ path: '/dev/zero', reason: 'It is neither a folder nor a regular file.' }],
      })
    },
  )

  test('a project’s name that is not a path is ignored', async () => {
    put('.gemini/tmp/word/.project_root', 'long '.repeat(2_000))
    put('.gemini/tmp/word/chats/session-1.jsonl', '{}\n')
    const { sources } = await findSources({ harnesses: ['gemini-cli'], isNamed: true }, ports())
    expect(sources.map(({ cwd }) => cwd)).toEqual([undefined])
  })

  test('a daemon that went away ends it: what was stored is reported, no file is blamed, and a second run stores the rest', async () => {
    for (const key of ['one', 'three', 'two']) put(`.claude/projects/-project/${key}.jsonl`, claudeSession(key, 20))
    await using bench = await aBench()
    let calls = 0
    const gone: Pick<Continuity, 'importHistory'> = {
      importHistory: async (batch) => {
        calls += 1
        if (batch.sessionKey === 'three' && calls > 7) throw new HoldfastError('daemon-unavailable', 'It is gone.')
        return bench.continuity.importHistory(batch)
      },
    }
    const first = await run(gone)
    expect(first.stopped).toBe('daemon-unavailable')
    expect(first.told.map(([, outcome]) => outcome)).toEqual(['imported', 'unfinished'])
    const again = await run(bench.continuity)
    expect(again.told.map(([, outcome]) => outcome)).toEqual(['unchanged', 'imported', 'imported'])
    const events = [...first.told, ...again.told].map(([, , kept]) => Number(kept))
    expect(events.every((kept, index) => kept > 0 === (index !== 2))).toBe(true)
    await using undisturbed = await aBench()
    const whole = (await run(undisturbed.continuity)).told.map(([, , kept]) => Number(kept))
    expect(events.reduce((sum, kept) => sum + kept)).toBe(whole.reduce((sum, kept) => sum + kept))
    expect(await stateOf(bench)).toEqual(await stateOf(undisturbed))
  })

  test('where a session can be read on is kept for a plain file, and not for one that is packed', async () => {
    const plain = put('backup/a.jsonl', claudeSession('plain'))
    put('backup/b.jsonl.gz', gzipSync(claudeSession('packed')))
    await using bench = await aBench()
    await run(bench.continuity, 'backup')
    const sessions = await bench.store.listSessions({ limit: 9 })
    expect(Object.fromEntries(sessions.map(({ key, transcriptPath }) => [key, transcriptPath]))).toEqual({
      plain,
      packed: undefined,
    })
  })

  test('Gemini CLI’s list says which project a folder is of, by a word or a digest', async () => {
    const digest = createHash('sha256').update('/digested').digest('hex')
    put('.gemini/projects.json', JSON.stringify({ projects: { '/worded': 'word', '/digested': 'other' } }))
    for (const name of ['word', digest, 'unknown']) put(`.gemini/tmp/${name}/chats/session-1.jsonl`, '{}\n')
    const { sources } = await findSources({ harnesses: ['gemini-cli'], isNamed: true }, ports())
    expect(sources.map(({ path, cwd }) => `${path.split('/').at(-3)} ${cwd}`).toSorted()).toEqual(
      [`${digest} /digested`, 'unknown undefined', 'word /worded'].toSorted(),
    )
  })

  test('a secret in a transcript is nowhere in what is kept', async () => {
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
    put('.claude/projects/-p/s.jsonl', claudeSession('s', 2).replaceAll('ok', secret).replaceAll('Ran', secret))
    await using bench = await aBench()
    const redactors = { forWorktree: async () => createRedactor() }
    await run(createContinuity({ ...bench.ports.deps(bench.store), redactors }))
    const events = await bench.store.listEvents({ limit: 99 })
    expect(events).toHaveLength(5)
    expect(JSON.stringify([events, await stateOf(bench)]).includes(secret)).toBe(false)
  })

  test('a file that was just written to is left for later', async () => {
    const path = put('.claude/projects/-p/s.jsonl', claudeSession('s'))
    utimesSync(path, new Date(), new Date())
    await using bench = await aBench()
    expect((await run(bench.continuity)).told).toEqual([['claude-code', 'in-use', 0]])
  })
})
