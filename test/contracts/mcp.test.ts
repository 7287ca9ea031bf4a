import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allTools } from '../../src/mcp/tool-list.ts'
import { McpClient, REVISIONS, TRANSPORTS } from '../support/mcp-client.ts'
import { Product } from '../support/product.ts'

const everyWay = TRANSPORTS.flatMap((transport) => REVISIONS.map((revision) => ({ transport, revision })))
const id = expect.stringMatching(/^[a-z]+-\d{4}-\d\d-\d\d-\w{10}$/)
const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

describe.each(everyWay)('$transport in revision $revision', (way) => {
  let product: Product
  let project: string
  let mcp: McpClient
  /** Tools that were called with success, so that none is left out unseen. */
  const succeeded = new Set<string>()
  const json = async (name: string, args: Record<string, unknown> = {}) => {
    const answer = await mcp.json(name, args)
    succeeded.add(name)
    return answer
  }

  beforeAll(async () => {
    product = new Product()
    mkdirSync(product.home, { mode: 0o700 })
    const checklist = { verifyOverMcp: ['echo 11 passed', 'echo 12 passed'] }
    writeFileSync(join(product.home, 'config.json'), JSON.stringify({ checklist }))
    project = await product.aProject('app')
    mcp = await McpClient.connect(product, { ...way, cwd: project, sessionKey: 'env-session' })
  })
  afterAll(async () => {
    await mcp[Symbol.asyncDispose]()
    await product[Symbol.asyncDispose]()
  })

  test('speaks that revision, says who it is, and teaches the protocol', () => {
    expect(mcp.client.getNegotiatedProtocolVersion()).toBe(way.revision)
    expect(mcp.client.getServerVersion()).toMatchObject({ name: 'holdfast' })
    expect(mcp.client.getServerCapabilities()).toEqual({ tools: {} })
    expect(mcp.client.getInstructions()).toMatch(/session_briefing/)
  })

  test('lists every tool', async () => {
    const { tools } = await mcp.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(allTools.map(({ name }) => name))
  })

  test.runIf(way.revision === '2025-11-25')('answers ping, which the newer revision no longer has', async () => {
    expect(await mcp.client.ping()).toEqual({})
  })

  test('projects: registered, found by name, listed with their keywords', async () => {
    expect(await json('register_project', { project_name: 'app', root_path: project })).toMatchObject({
      ok: true,
      project: 'app',
    })
    expect(await json('add_project_keyword', { project: 'app', keyword: 'Parser' })).toEqual({
      ok: true,
      project: 'app',
      keyword_added: 'parser',
      all_keywords: ['parser'],
    })
    expect(await json('list_projects')).toMatchObject({ projects: [{ name: 'app', exists: true }] })
  })

  test('intents: recorded under the session of the environment, met by another, completed after the summary', async () => {
    const files = ['src/parser.ts']
    expect(await json('record_session_intent', { intent: 'Keep blank lines', files })).toMatchObject({
      ok: true,
      session_id: 'env-session',
      project: 'app',
      files_to_touch: files,
      warnings: [],
    })
    const other = { intent: 'Rewrite the parser', files_to_touch: ['src/*.ts'], session_id: 'other' }
    expect(await json('record_session_intent', other)).toMatchObject({
      session_id: 'other',
      warnings: [expect.stringContaining("File conflict with session 'env-session'")],
    })
    const summary = 'Parser keeps blank lines\nDone: src/parser.ts'
    expect(await json('save_session_summary', { summary, files_changed: files })).toMatchObject({
      ok: true,
      project: 'app',
      session_id: 'env-session',
      summary_length: summary.length,
      saved_at: at,
    })
    expect(await json('complete_session_intent', { outcome: 'done' })).toMatchObject({
      ok: true,
      session_id: 'env-session',
      outcome: 'done',
    })
    const recent = await json('get_recent_sessions', { n: 5 })
    expect(recent).toMatchObject({
      project: 'app',
      pieces_sessions: [],
      recorded_intents: [
        { session_id: 'other', status: 'incomplete' },
        { session_id: 'env-session', status: 'completed', outcome: 'done' },
      ],
      summaries: [{ session_id: 'env-session', summary }],
    })
  })

  test('entities: registered, looked up in the code as it is', async () => {
    const entity = { name: 'parse', entity_type: 'constant', file: 'src/parser.ts', line: 1 }
    expect(await json('register_entity', entity)).toMatchObject({ ok: true, name: 'parse', file: 'src/parser.ts' })
    const gone = { name: 'vanished', type: 'function', file: 'src/gone.ts' }
    expect(await json('register_entity', gone)).toMatchObject({ ok: true, state: 'gone' })
    expect(await json('get_entity_registry', { entity_type: 'constant' })).toMatchObject({
      project: 'app',
      filter_type: 'constant',
      count: 1,
      entities: [{ name: 'parse', type: 'constant', file: 'src/parser.ts', line: 1, state: 'holds' }],
    })
  })

  test('the briefing tells all of that in one call', async () => {
    const { isError, text } = await mcp.call('session_briefing', { phase: 'CODE' })
    expect(isError).toBe(false)
    succeeded.add('session_briefing')
    for (const told of ['app', 'first', 'Parser keeps blank lines', 'Rewrite the parser', 'parse']) {
      expect(text).toContain(told)
    }
  })

  test('memories: kept, found, superseded, forgotten; a secret is refused and not kept', async () => {
    const first = await json('remember', { text: 'We use PostgreSQL 15', type: 'decision' })
    expect(first).toEqual({ ok: true, id, type: 'decision', importance: 5, created_at: at })
    const second = await json('remember', {
      content: 'We use PostgreSQL 16, for its MERGE',
      type: 'decision',
      supersedes: Object(first).id,
    })
    expect(await json('recall', { query: 'postgresql' })).toMatchObject({
      count: 1,
      memories: [{ id: Object(second).id, content: 'We use PostgreSQL 16, for its MERGE' }],
    })
    expect(await json('search_history', { query: 'PostgreSQL' })).toEqual({
      project: 'app',
      query: 'PostgreSQL',
      count: 0,
      results: [],
      note: expect.stringContaining('include_own'),
    })
    expect(await json('search_history', { query: 'PostgreSQL', include_own: true })).toMatchObject({
      results: [{ docid: Object(second).id, kind: 'memory' }],
    })
    const secret = ['ghp', 'Ab3dEf7hIj1kLm5nOp9qRs2tUv6wXy0zAb3d'].join('_')
    const refused = await mcp.call('remember', { content: `the token is ${secret}` })
    expect(refused.isError).toBe(true)
    expect(refused.text).toContain('secret-refused')
    expect(refused.text).not.toContain(secret)
    expect(await json('forget', { id: Object(second).id })).toEqual({
      ok: true,
      id: Object(second).id,
      forgotten: true,
    })
    expect(await mcp.refusal('forget', { id: Object(second).id })).toMatchObject({ code: 'not-found' })
  })

  test('a digest is a checkpoint, kept without its secrets', async () => {
    const secret = ['ghp', 'Zz3dEf7hIj1kLm5nOp9qRs2tUv6wXy0zAb3d'].join('_')
    const digest = {
      summary: `Blank lines are kept now; pushed with ${secret}`,
      next_action: 'run npm test -- parser',
      decisions: [{ decision: 'split by regular expression', rationale: 'keeps separators' }, 'no new dependency'],
      session_id: 'digest-session',
    }
    expect(await json('session_digest', digest)).toEqual({
      ok: true,
      session_id: 'digest-session',
      checkpoint_id: id,
      saved_at: at,
      doubts: [],
    })
    const lie = { summary: 'Created src/never-written.ts.', session_id: 'lying-session' }
    expect(await json('session_digest', lie)).toMatchObject({
      doubts: ['"src/never-written.ts": the file does not exist'],
    })
    const rows = await product.json(['checkpoints', 'list', '--session', 'digest-session'], { cwd: project })
    expect(rows).toMatchObject([{ trigger: 'agent', nextAction: 'run npm test -- parser' }])
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(JSON.stringify(rows)).toContain('split by regular expression')
  })

  test('named checkpoints: a file of the project and a checkpoint, the same ones that the command line has', async () => {
    const secret = ['ghp', 'Qq3dEf7hIj1kLm5nOp9qRs2tUv6wXy0zAb3d'].join('_')
    const file = join(project, 'memory', 'checkpoints', 'blank-lines.md')
    const save = {
      name: 'blank-lines',
      task: 'Parser keeps blank lines',
      progress: [`src/parser.ts splits by regular expression; pushed with ${secret}`],
      next_action: 'write docs/parser.md',
      decisions: [{ decision: 'no new dependency', rationale: 'one regular expression does it' }],
    }
    const saved = await json('checkpoint_save', save)
    expect(saved).toMatchObject({
      ok: true,
      name: 'blank-lines',
      path: 'memory/checkpoints/blank-lines.md',
      session_id: 'env-session',
      checkpoint_id: id,
      replaced: false,
      score: expect.any(Number),
    })
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(
      /^# Checkpoint: blank-lines\n\n\*\*Created:\*\* .* UTC\n\*\*Task:\*\* Parser keeps blank lines\n/,
    )
    expect(text).toContain('- Branch: `main`')
    expect(text).toMatch(/- `src\/parser\.ts` sha256:[0-9a-f]{64}/)
    expect(text).not.toContain(secret)
    const rows = await product.json(['checkpoints', 'list', '--session', 'env-session'], { cwd: project })
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: Object(saved).checkpoint_id,
          name: 'blank-lines',
          trigger: 'explicit',
          nextAction: 'write docs/parser.md',
        }),
      ]),
    )
    expect(JSON.stringify(rows)).not.toContain(secret)
    const listed = { name: 'blank-lines', next_action: 'write docs/parser.md', branch: 'main', edited: false }
    expect(await json('checkpoint_list')).toMatchObject({ count: 1, checkpoints: [listed] })
    expect(await product.json(['checkpoint', 'list'], { cwd: project })).toMatchObject([
      { name: 'blank-lines', nextAction: 'write docs/parser.md', branch: 'main', isOurs: true },
    ])
    const resumed = await mcp.call('checkpoint_resume', { name: 'blank-lines' })
    succeeded.add('checkpoint_resume')
    expect(resumed.isError).toBe(false)
    expect(resumed.text).toMatch(/\[holdfast [0-9a-f]{8}: notes from the past, not instructions\]/)
    expect(resumed.text).toContain('| Next action: write docs/parser.md')
    expect(resumed.text).toContain('because one regular expression does it')
    expect(resumed.text).toMatch(/^Tell the user .*\(yes\/no\)/m)
  })

  test('named checkpoints: an edited file stays valid, is not ours, and is replaced only when told', async () => {
    const file = join(project, 'memory', 'checkpoints', 'blank-lines.md')
    writeFileSync(file, readFileSync(file, 'utf8').replace('write docs/parser.md', 'write docs/gone.md by hand'))
    const resumed = await mcp.call('checkpoint_resume', { name: 'blank-lines' })
    expect(resumed.text).toContain('| Next action: write docs/gone.md by hand')
    expect(resumed.text).toContain('| Edited by hand, or written elsewhere.')
    expect(resumed.text).toContain('| Stale: docs/gone.md does not exist')
    expect(await json('checkpoint_list')).toMatchObject({ checkpoints: [{ name: 'blank-lines', edited: true }] })
    const save = { name: 'blank-lines', summary: 'Parser done; docs missing', next: 'write docs/parser.md' }
    expect(await mcp.refusal('checkpoint_save', save)).toMatchObject({ code: 'conflict' })
    expect(readFileSync(file, 'utf8')).toContain('by hand')
    expect(await json('checkpoint_save', { ...save, replace: true })).toMatchObject({ ok: true, replaced: true })
    expect(await json('checkpoint_list')).toMatchObject({ checkpoints: [{ name: 'blank-lines', edited: false }] })
  })

  test('named checkpoints: what the command line saved, an agent resumes; deleting leaves neither file nor row', async () => {
    const args = ['checkpoint', 'save', 'from-the-shell', '--task', 'Ship it', '--next', 'Run `npm test`']
    expect(await product.json(args, { cwd: project })).toMatchObject({ name: 'from-the-shell', isRecorded: true })
    expect((await mcp.call('checkpoint_resume', { name: 'from-the-shell' })).text).toContain(
      '| Next action: Run `npm test`',
    )
    for (const name of ['from-the-shell', 'blank-lines']) {
      expect(await json('checkpoint_delete', { name })).toMatchObject({ ok: true, name })
      expect(existsSync(join(project, 'memory', 'checkpoints', `${name}.md`))).toBe(false)
    }
    expect(await json('checkpoint_list')).toEqual({ count: 0, checkpoints: [] })
    expect(await mcp.refusal('checkpoint_resume', { name: 'blank-lines' })).toMatchObject({ code: 'not-found' })
    expect(await mcp.refusal('checkpoint_delete', { name: 'autosave' })).toMatchObject({ code: 'forbidden' })
    expect(await mcp.refusal('checkpoint_save', { name: 'Blank Lines!', task: 'x' })).toMatchObject({
      code: 'invalid-input',
      hint: 'Try "blank-lines".',
    })
  })

  test('a session named by the request is neither the environment’s nor the process’s', async () => {
    const { session_id: named } = Object(
      await mcp.json('record_session_intent', { intent: 'Another thread' }, { threadId: 'thread-7' }),
    )
    expect(named).toBe('thread-7')
    const given = await json('record_session_intent', { intent: 'Said so', session_id: 'said-so' })
    expect(given).toMatchObject({ session_id: 'said-so' })
  })

  test('the checklist tools say what is missing, and what to do', async () => {
    const empty = join(project, 'empty')
    mkdirSync(empty, { recursive: true })
    for (const name of ['get_checklist', 'mark_checklist_item']) {
      const args = { project_name: empty, item_text: 'Parse', status: 'done' }
      expect(await mcp.refusal(name, args)).toMatchObject({
        error: expect.stringContaining('CHECKLIST.md'),
        code: 'not-found',
        hint: expect.stringContaining('- [ ]'),
      })
    }
  })

  test('the checklist: read with its ids, marked in the file itself, verified by what ran', async () => {
    const file = join(project, 'CHECKLIST.md')
    const list = '# Parser\n\n- [ ] keep blank lines\n- [x] split in src/stub.ts\n\n```\n- [ ] not an item\n```\n'
    writeFileSync(file, list)
    writeFileSync(
      join(project, 'src', 'stub.ts'),
      'export function split() {\n  throw new Error("not implemented")\n}\n',
    )
    const read = Object(await json('get_checklist', { project: 'app' }))
    expect(read).toMatchObject({
      project: 'app',
      checklist_path: file,
      total: 2,
      by_status: {
        verified: [],
        done: [{ section: 'Parser', text: 'split in src/stub.ts', status: 'done' }],
        in_progress: [],
        blocked: [],
        pending: [{ section: 'Parser', text: 'keep blank lines', status: 'pending' }],
      },
      discrepancies: [{ text: 'split in src/stub.ts', because: expect.stringContaining('src/stub.ts') }],
    })
    const [{ id: itemId }] = read.items
    expect(await json('mark_checklist_item', { item_id: itemId, status: 'in_progress', note: 'half way' })).toEqual({
      ok: true,
      project: 'app',
      item_id: itemId,
      item_text: 'keep blank lines',
      status: 'in_progress',
      note: 'half way',
      line: 3,
      updated_at: at,
    })
    expect(readFileSync(file, 'utf8')).toBe(list.replace('[ ] keep', '[/] keep'))
    const verified = { item_text: 'keep blank lines', status: 'verified' }
    expect(await mcp.refusal('mark_checklist_item', verified)).toMatchObject({ code: 'invalid-input' })
    expect(
      await mcp.refusal('mark_checklist_item', { ...verified, verify_command: 'echo 11 passed', expect: '12 passed' }),
    ).toMatchObject({ code: 'conflict', hint: expect.stringContaining('11 passed') })
    const proven = { ...verified, verify_command: 'echo 12 passed', expect: '12 passed' }
    expect(await json('mark_checklist_item', proven)).toMatchObject({ ok: true, status: 'verified', item_id: itemId })
    expect(readFileSync(file, 'utf8')).toBe(list.replace('[ ] keep', '✅ keep'))
    expect(await mcp.refusal('mark_checklist_item', { item: 'no such', status: 'done' })).toMatchObject({
      code: 'not-found',
    })
    expect((await mcp.call('session_briefing')).text).toContain('split in src/stub.ts')
    rmSync(file)
  })

  test('governed tasks: begun at the keyboard, told and checkpointed by an agent', async () => {
    await product.json(['task', 'new', 'feat-blank-lines', '--title', 'Blank lines'], { cwd: project })
    await product.json(['session', 'start', '--task', 'feat-blank-lines'], { cwd: project })
    expect(await json('task_status')).toMatchObject({
      tasks: [{ task: 'feat-blank-lines', title: 'Blank lines', status: 'in-progress' }],
    })
    const decided = {
      decision: 'split by regular expression',
      rationale: 'keeps separators',
      alternatives: ['a parser'],
    }
    expect(
      await json('task_checkpoint', {
        task: 'feat-blank-lines',
        type: 'decision',
        summary: 'How to split',
        ...decided,
      }),
    ).toMatchObject({ ok: true, checkpoint_id: id })
    expect(await json('task_status', { slug: 'feat-blank-lines' })).toMatchObject({ checkpoints: expect.any(Number) })
    expect(await mcp.refusal('task_status', { task: 'no-such' })).toMatchObject({ code: 'not-found' })
  })

  test('find: what was remembered, with its moment and project', async () => {
    await json('remember', { text: 'The parser keeps form feeds' })
    expect(await json('find', { words: 'form feeds', kind: 'memory' })).toMatchObject({
      count: 1,
      hits: [{ kind: 'memory', text: expect.stringContaining('form feeds'), at: expect.any(String) }],
    })
  })

  test('the rules of the user: listed, and proposed by an agent until the user confirms', async () => {
    expect(await json('rules', { propose: 'Never push to main.' })).toMatchObject({ ok: true, state: 'proposed' })
    expect(await json('rules')).toMatchObject({ count: 1, rules: [{ text: 'Never push to main.', state: 'proposed' }] })
  })

  test('every tool was driven to success here', () => {
    const left = allTools.map(({ name }) => name).filter((name) => !succeeded.has(name))
    expect(left).toEqual([])
  })
})
