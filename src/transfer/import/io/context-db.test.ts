import { expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { openDatabase } from '../../../storage/sqlite/connection/driver.ts'
import { readContextDb } from './context-db.ts'
import { importContext, type ContextTarget } from './import-context.ts'

const ROWS = 5_003

function putContextDb(path: string, root: string): void {
  const database = openDatabase(path)
  database.exec(`
    create table session_intents(id integer primary key, project, session_id, intent, files_to_touch, started_at, completed_at, outcome);
    create table entity_registry(id integer primary key, project, name, type, file, line);
    create table checklist_cache(project, item_id);
    create table project_registry(name primary key, root_path);
    create table project_keywords(project, keyword);
    create table session_summaries(id integer primary key, project, session_id, summary, files_changed, entities_registered, saved_at);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS})
      insert into session_summaries select i, 'shop', 's' || i, 'Summary ' || i, '[]', '[]', '2025' from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS})
      insert into session_intents select i, 'shop', 's' || i, 'Intent ' || i, '[]', '2025', null, null from n;`)
  database.prepare('insert into project_registry values (?, ?)').run('shop', root)
  database.close()
}

/** Stores and answers like the agent API: newest first, in pages. */
function aTarget() {
  const intents: { intent: string; sessionLabel: string }[] = []
  const summaries: { summary: string }[] = []
  const page = <Row>(rows: readonly Row[], { limit, offset = 0 }: { limit: number; offset?: number }) =>
    rows.toReversed().slice(offset, offset + limit)
  const target: ContextTarget = {
    registerProject: async () => undefined,
    addProjectKeyword: async () => undefined,
    listIntents: async (query) => page(intents, query),
    recordIntent: async ({ intent, sessionLabel = '' }) => intents.push({ intent, sessionLabel }),
    completeIntent: async () => undefined,
    saveSummary: async ({ summary }) => summaries.push({ summary }),
    recentSessions: async (query) => ({ summaries: page(summaries, query) }),
    registerEntity: () => Promise.reject(new Error('There is none.')),
  }
  return { target, intents, summaries }
}

test('every row of a large context.db is taken over, once, with its progress', async () => {
  using dir = tempDir()
  const file = dir.write('context.db', '')
  putContextDb(file, dir.path)
  const { target, intents, summaries } = aTarget()
  const shown: string[] = []
  const run = () => importContext(readContextDb(file), target, (done, total) => shown.push(`${done}/${total}`))
  expect(await run()).toMatchObject({ intents: ROWS, summaries: ROWS, skipped: [] })
  expect([shown[0], shown.at(-1)]).toEqual([`1/${2 * ROWS}`, `${2 * ROWS}/${2 * ROWS}`])
  expect(await run()).toMatchObject({ intents: 0, summaries: 0 })
  expect([intents.length, summaries.length]).toEqual([ROWS, ROWS])
})
