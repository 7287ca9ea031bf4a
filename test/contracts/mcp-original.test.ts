import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { McpClient } from '../support/mcp-client.ts'
import { Product } from '../support/product.ts'

// What rebots-online/session-continuity-mcp @62c44c7 answers, as recorded by running it, against what we answer. Where a
// test's name says "differently", the difference is deliberate and the name tells why.

let product: Product
let project: string
let mcp: McpClient

beforeAll(async () => {
  product = new Product()
  project = await product.aProject('shop')
  mcp = await McpClient.connect(product, { transport: 'stdio', revision: '2025-11-25', cwd: product.dir })
  await mcp.json('register_project', { project_name: 'shop', root_path: project })
})
afterAll(async () => {
  await mcp[Symbol.asyncDispose]()
  await product[Symbol.asyncDispose]()
})

const keysOf = (value: unknown) => Object.keys(Object(value))

describe('fields of the answers', () => {
  test.each<[string, Record<string, unknown>, readonly string[]]>([
    ['register_project', { project_name: 'shop', root_path: '' }, ['ok', 'project', 'root_path']],
    ['add_project_keyword', { keyword: 'Cart' }, ['ok', 'project', 'keyword_added', 'all_keywords']],
    ['list_projects', {}, ['projects']],
    [
      'record_session_intent',
      { intent: 'Add a cart', files_to_touch: ['src/cart.ts'], session_id: 's1' },
      ['ok', 'session_id', 'project', 'intent', 'files_to_touch', 'warnings', 'tip'],
    ],
    [
      'save_session_summary',
      {
        summary: 'Cart: begun',
        files_changed: ['src/cart.ts'],
        entities_registered: ['Cart'],
        checklist_progress: { 'Add a cart': 'in_progress' },
        session_id: 's1',
      },
      ['ok', 'project', 'session_id', 'summary_length', 'saved_at'],
    ],
    ['get_recent_sessions', { n: 3 }, ['project', 'pieces_sessions', 'recorded_intents']],
    ['complete_session_intent', { session_id: 's1', outcome: 'half' }, ['ok', 'session_id', 'outcome']],
    [
      'register_entity',
      { name: 'parse', entity_type: 'constant', file: 'src/parser.ts', line: 1 },
      ['ok', 'project', 'name', 'type', 'file', 'line'],
    ],
    ['get_entity_registry', {}, ['project', 'filter_type', 'count', 'entities']],
    ['search_history', { query: 'cart' }, ['project', 'query', 'count', 'results']],
  ])('%s has every field of the original', async (name, args, fields) => {
    const given = name === 'register_project' ? { ...args, root_path: project } : args
    const answer = await mcp.json(name, { project_name: 'shop', ...given })
    expect(keysOf(answer)).toEqual(expect.arrayContaining([...fields]))
  })

  test('rows have the fields of the original, in its order of things', async () => {
    const registry = await mcp.json('get_entity_registry', { project_name: 'shop' })
    expect(registry).toMatchObject({
      filter_type: null,
      count: 1,
      entities: [{ name: 'parse', type: 'constant', file: 'src/parser.ts', line: 1, last_seen: expect.any(String) }],
    })
    expect(await mcp.json('get_recent_sessions', { project_name: 'shop' })).toMatchObject({
      recorded_intents: [
        {
          session_id: 's1',
          intent: 'Add a cart',
          started_at: expect.any(String),
          completed_at: expect.any(String),
          outcome: 'half',
          status: 'completed',
        },
      ],
    })
    expect(await mcp.json('list_projects')).toEqual({ projects: [{ name: 'shop', root_path: project, exists: true }] })
  })

  test('the briefing is Markdown and has its sections', async () => {
    const { text } = await mcp.call('session_briefing', { project_name: 'shop' })
    expect(text).toMatch(/^# Session Briefing: shop/)
    for (const section of ['Index', 'Git', 'CHECKLIST', 'Intents', 'Summaries', 'Entity']) {
      expect(text).toMatch(new RegExp(`^## .*${section}`, 'im'))
    }
  })
})

describe('behaviour', () => {
  test('a conflict is warned of in the original’s words', async () => {
    const files = ['src/cart.ts', 'src/price.ts']
    const intent = 'Prices with tax, in every currency that the shop has, and rounding'
    await mcp.json('record_session_intent', { project_name: 'shop', intent, files_to_touch: files, session_id: 'a' })
    const met = { project_name: 'shop', intent: 'Sum up', files_to_touch: ['src/price.ts'], session_id: 'b' }
    const { warnings } = Object(await mcp.json('record_session_intent', met))
    expect(warnings).toEqual([
      expect.stringMatching(/^⚠️ File conflict with session 'a' .*intent: .{60}\): .*src\/price\.ts/),
    ])
  })

  test('differently: paths are compared as files, not as strings', async () => {
    const met = { project_name: 'shop', intent: 'Again', files_to_touch: ['./src/../src/price.ts'], session_id: 'c' }
    const { warnings } = Object(await mcp.json('record_session_intent', met))
    expect(warnings.length).toBeGreaterThan(0)
  })

  test('a conflict needs files: without any, no warnings', async () => {
    const { warnings } = Object(
      await mcp.json('record_session_intent', { project_name: 'shop', intent: 'Look around' }),
    )
    expect(warnings).toEqual([])
  })

  test('differently: an unnamed session gets an id that no other call gets, not the second it was made in', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => {
        const answer = await mcp.json('record_session_intent', { project_name: 'shop', intent: 'Unnamed' })
        return Object(answer).session_id
      }),
    )
    expect(new Set(ids).size).toBe(2)
  })

  test('differently: completing again keeps the first outcome', async () => {
    await mcp.json('complete_session_intent', { project_name: 'shop', session_id: 'a', outcome: 'first' })
    await mcp.json('complete_session_intent', { project_name: 'shop', session_id: 'a', outcome: 'second' })
    const { recorded_intents: intents } = Object(await mcp.json('get_recent_sessions', { project_name: 'shop', n: 20 }))
    const own = intents.filter((intent: { session_id: string }) => intent.session_id === 'a')
    expect(own).toMatchObject([{ outcome: 'first' }])
  })

  test('differently: one canonical name, so a similar one finds the same intents and summaries', async () => {
    const { project: name, summaries } = Object(await mcp.json('get_recent_sessions', { project_name: 'SHOP' }))
    expect(name).toBe('shop')
    expect(summaries).toMatchObject([{ session_id: 's1', summary: 'Cart: begun' }])
  })

  test('differently: history is searched in our own summaries too', async () => {
    const { results } = Object(await mcp.json('search_history', { project_name: 'shop', query: 'cart' }))
    expect(results).toMatchObject([{ kind: 'summary', summary_text: expect.stringContaining('Cart') }])
  })

  test('nothing found is said in a note', async () => {
    expect(await mcp.json('search_history', { project_name: 'shop', query: 'zeppelin' })).toEqual({
      project: 'shop',
      query: 'zeppelin',
      count: 0,
      results: [],
      note: expect.any(String),
    })
  })

  test('differently: a root that is not a directory is refused', async () => {
    const args = { project_name: 'ghost', root_path: join(product.dir, 'nowhere') }
    expect(await mcp.refusal('register_project', args)).toMatchObject({ received: args })
  })

  test('differently: an unregistered directory is briefed on, and says that it is degraded', async () => {
    const bare = join(product.dir, 'bare')
    mkdirSync(bare, { recursive: true })
    const { isError, text } = await mcp.call('session_briefing', { project_name: bare })
    expect(isError).toBe(false)
    expect(text).toContain('register_project')
  })

  test('an entity registered again moves; name and type stay one', async () => {
    const entity = { project_name: 'shop', name: 'total', entity_type: 'function', file: 'src/a.ts' }
    await mcp.json('register_entity', { ...entity, line: 3 })
    await mcp.json('register_entity', { ...entity, file: 'src/b.ts', line: 9 })
    const { entities } = Object(
      await mcp.json('get_entity_registry', { project_name: 'shop', entity_type: 'function' }),
    )
    expect(entities).toMatchObject([{ name: 'total', file: 'src/b.ts', line: 9 }])
  })
})

describe('errors', () => {
  test('differently: an unknown tool is a protocol error, not a text that looks like success', async () => {
    await expect(mcp.call('no_such_tool')).rejects.toMatchObject({
      code: -32602,
      message: /Unknown tool: no_such_tool/,
    })
  })

  test('differently: a missing argument is an error result that names it', async () => {
    expect(await mcp.refusal('register_project', { project_name: 'x' })).toMatchObject({
      error: expect.stringContaining('"root_path" is missing'),
      code: 'invalid-input',
      received: { project_name: 'x' },
    })
  })

  test('differently: an invalid status is an error result that names the valid ones, and hands back the note', async () => {
    const args = { project_name: 'shop', item_text: 'Parse', status: 'almost', note: 'nearly there' }
    const { error, received } = Object(await mcp.refusal('mark_checklist_item', args))
    expect(error).toContain('"status" is "almost"')
    for (const status of ['pending', 'in_progress', 'done', 'blocked', 'verified']) expect(error).toContain(status)
    expect(received).toEqual(args)
  })

  test('completing what was never begun is an error', async () => {
    const args = { project_name: 'shop', session_id: 'nobody' }
    expect(await mcp.refusal('complete_session_intent', args)).toMatchObject({
      error: expect.stringContaining('nobody'),
      code: 'not-found',
    })
  })

  test('lists that come as text are read, not refused: a summary is not lost for its shape', async () => {
    const saved = await mcp.json('save_session_summary', {
      project: 'shop',
      summary: 'Shapes',
      files_changed: '["src/a.ts","src/b.ts"]',
      entities_registered: 'Cart, Price',
      checklist_progress: '{"Add a cart":"done"}',
    })
    expect(saved).toMatchObject({ ok: true, summary_length: 6 })
  })
})
