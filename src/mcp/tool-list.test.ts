import { expect, test } from 'vitest'
import { INSTRUCTIONS } from './server.ts'
import { runsWhileDegraded } from '../tasks/context-safety/own-tools.ts'
import { allTools, listTools } from './tool-list.ts'

/** At four characters a token, as budgets are counted everywhere here. */
const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4)

test('the whole tool list costs an agent at most 4,000 tokens, instructions included', () => {
  const cost = tokens({ tools: listTools() }) + tokens(INSTRUCTIONS.all)
  expect(cost).toBeLessThanOrEqual(4_000)
  // A list that measures as nothing was not measured.
  expect(cost).toBeGreaterThan(1_000)
})

test('lists ten tools for what is stored, the thirteen of the session protocol by their own names, and two for tasks', () => {
  expect(allTools.map(({ name }) => name)).toEqual([
    'remember',
    'recall',
    'forget',
    'find',
    'session_digest',
    'rules',
    'checkpoint_save',
    'checkpoint_list',
    'checkpoint_resume',
    'checkpoint_delete',
    'session_briefing',
    'save_session_summary',
    'get_checklist',
    'mark_checklist_item',
    'record_session_intent',
    'complete_session_intent',
    'get_recent_sessions',
    'get_entity_registry',
    'register_entity',
    'search_history',
    'register_project',
    'add_project_keyword',
    'list_projects',
    'task_status',
    'task_checkpoint',
  ])
})

test('by default six tools are listed, in few words, among them one to store, one to search and one to delete', () => {
  const everyday = listTools({ canRunCommands: false, set: 'everyday' })
  const schema = (...names: readonly string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  })
  expect(everyday.map(({ name, inputSchema }) => [name, inputSchema])).toEqual([
    ['remember', { ...schema('content'), required: ['content'] }],
    ['recall', schema('query')],
    ['forget', { ...schema('id'), required: ['id'] }],
    ['session_digest', schema('summary')],
    ['checkpoint_resume', schema('name')],
    ['session_briefing', schema()],
  ])
  expect(
    JSON.stringify(everyday.map(({ name, description, inputSchema }) => [name, description, inputSchema])).length,
  ).toBeLessThanOrEqual(800)
})

test('in both lists, a client that looks for names finds the tools to store, search and delete memories first', () => {
  for (const set of ['everyday', 'all'] as const) {
    const names = listTools({ canRunCommands: false, set }).map(({ name }) => name)
    const first = (pattern: RegExp) => names.find((name) => pattern.test(name))
    expect([
      first(/remember|store|save|add|create|memorize/),
      first(/recall|search|query|find|retrieve|get/),
      first(/forget|delete|remove/),
    ]).toEqual(['remember', 'recall', 'forget'])
  }
})

test('in both lists, a client that looks for one word after the other in names and descriptions finds them, too', () => {
  for (const set of ['everyday', 'all'] as const) {
    const tools = listTools({ canRunCommands: false, set })
    const withWord = (word: string) =>
      tools.find(({ name, description = '' }) => `${name} ${description}`.toLowerCase().includes(word))?.name
    const purposes = {
      remember: ['store', 'save', 'remember'],
      recall: ['search', 'recall'],
      forget: ['forget', 'delete'],
    }
    for (const [name, words] of Object.entries(purposes))
      for (const word of words) expect([word, withWord(word) ?? name]).toEqual([word, name])
  }
})

test('an alias is never the name of another argument of its tool', () => {
  const clashes = listTools().flatMap(({ name, inputSchema }, index) => {
    const properties = Object.keys(inputSchema.properties ?? {})
    return Object.keys(allTools[index]?.aliases ?? {})
      .filter((alias) => properties.includes(alias))
      .map((alias) => `${name}.${alias}`)
  })
  expect(clashes).toEqual([])
})

test('an entry has a schema an agent can read, and hints', () => {
  const record = listTools().find(({ name }) => name === 'record_session_intent')
  expect(record).toEqual({
    name: 'record_session_intent',
    description: expect.any(String),
    inputSchema: {
      type: 'object',
      properties: {
        project_name: { type: 'string' },
        intent: { type: 'string' },
        files_to_touch: { type: 'array', items: { type: 'string' } },
        session_id: { type: 'string' },
      },
      required: ['intent'],
    },
    annotations: { destructiveHint: false, openWorldHint: false },
  })
})

test('what only looks says so, and what deletes says so', () => {
  const hints = Object.fromEntries(listTools().map(({ name, annotations }) => [name, annotations]))
  const readOnly = Object.keys(hints).filter((name) => hints[name]?.readOnlyHint === true)
  expect(readOnly).toEqual([
    'recall',
    'find',
    'checkpoint_list',
    'checkpoint_resume',
    'get_checklist',
    'get_recent_sessions',
    'get_entity_registry',
    'search_history',
    'list_projects',
    'task_status',
  ])
  expect(Object.keys(hints).filter((name) => hints[name]?.destructiveHint === true)).toEqual([
    'forget',
    'checkpoint_delete',
  ])
  expect(Object.keys(hints).filter((name) => hints[name]?.openWorldHint !== false)).toEqual([])
})

test('a tool that can run a command says so, and offers no command where the user allowed none', () => {
  const [off, on] = [false, true].map((canRunCommands) =>
    listTools({ canRunCommands, set: 'all' }).find(({ name }) => name === 'mark_checklist_item'),
  )
  expect(on?.annotations).toEqual({ destructiveHint: true, openWorldHint: true })
  expect(Object.keys(on?.inputSchema.properties ?? {})).toEqual(expect.arrayContaining(['verify_command', 'expect']))
  expect(off?.annotations).toEqual({ destructiveHint: false, idempotentHint: true, openWorldHint: false })
  expect(Object.keys(off?.inputSchema.properties ?? {})).not.toContain('verify_command')
  expect(Object.keys(off?.inputSchema.properties ?? {})).not.toContain('expect')
  expect(off?.description).toContain('Runs nothing')
})

test('while a session is degraded, tools that read run, and of the others only those that save its work', () => {
  const running = allTools.filter(({ name }) => runsWhileDegraded(name))
  expect(running.filter(({ hints }) => hints.isReadOnly !== true).map(({ name }) => name)).toEqual([
    'remember',
    'session_digest',
    'rules',
    'session_briefing',
    'save_session_summary',
    'record_session_intent',
    'complete_session_intent',
    'register_entity',
  ])
  expect(allTools.filter(({ name }) => !runsWhileDegraded(name)).map(({ name }) => name)).toEqual([
    'forget',
    'checkpoint_save',
    'checkpoint_delete',
    'mark_checklist_item',
    'register_project',
    'add_project_keyword',
    'task_checkpoint',
  ])
})
