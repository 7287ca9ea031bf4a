import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Tasks } from '../tasks/tasks.ts'
import type { LocalAgentApi } from '../app/agent-api.ts'
import type { ChecklistItem } from '../kernel/agent-records.ts'
import type { Continuity } from '../app/continuity.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { ProjectId } from '../kernel/id.ts'
import { callTool } from './call-tool.ts'
import type { Caller } from './tool/caller.ts'
import { defineTool, type Tool, type ToolContext } from './tool/tool.ts'
import { checkpointResume } from './tools/named-checkpoints.ts'
import { forget } from './tools/memories.ts'
import { getChecklist } from './tools/checklist.ts'
import { markChecklistItem } from './tools/checklist.ts'

/** Only what a test gives it; anything else that is asked for is a fault of the tool. */
function only<Whole extends object>(name: string, part: Partial<Whole>): Whole {
  const isWhole = (value: unknown): value is Whole => typeof value === 'object'
  const watched = new Proxy(part, {
    get(target, key, receiver) {
      if (key in target) return Reflect.get(target, key, receiver)
      throw new Error(`${name}.${String(key)} was not expected`)
    },
  })
  if (!isWhole(watched)) throw new Error('unreachable')
  return watched
}

const SHOP: Awaited<ReturnType<LocalAgentApi['resolveProject']>> = {
  name: 'shop',
  rootPath: '/shop',
  worktree: '/shop',
  projectId: ProjectId('p'),
  keywords: [],
  isRegistered: true,
  isOnDisk: true,
  matchedBy: 'directory',
}

function aContext(door: Partial<LocalAgentApi> = {}, caller: Caller = { cwd: '/shop', sessionKey: 's1' }): ToolContext {
  return {
    continuity: only<Continuity>('continuity', {}),
    tasks: only<Tasks>('tasks', {}),
    agentApi: only<LocalAgentApi>('door', {
      resolveProject: async () => SHOP,
      ...door,
    }),
    clock: { now: () => '2026-10-01T10:00:00.000Z' },
    sha256: (text) => text,
    randomBytes: (count) => new Uint8Array(count),
    findDegradedTask: async () => undefined,
    redact: (text) => text.replaceAll('hunter2', '[secret]'),
    caller,
  }
}

async function called(tool: Tool, args: unknown, context = aContext()) {
  const faults: string[] = []
  const { content, isError = false } = await callTool(tool, args, context, (message) => faults.push(message))
  return { isError, faults, answer: JSON.parse(content[0]?.text ?? '') }
}

const echo = defineTool({
  name: 'echo',
  description: '',
  input: z.object({ project_name: z.string().optional(), word: z.string() }),
  aliases: { text: 'word' },
  run: async (input) => ({ got: input }),
})
const failing = (thrown: unknown) =>
  defineTool({
    name: 'failing',
    description: '',
    input: z.object({}).loose(),
    run: async () => {
      throw thrown
    },
  })

test('an argument may go by its alias; its own name wins where both are given', async () => {
  expect((await called(echo, { project: 'a', text: 'x' })).answer).toEqual({ got: { project_name: 'a', word: 'x' } })
  expect((await called(echo, { word: 'own', text: 'alias' })).answer).toEqual({ got: { word: 'own' } })
})

test('what leaves is redacted, answers and refusals alike', async () => {
  expect((await called(echo, { word: 'hunter2' })).answer).toEqual({ got: { word: '[secret]' } })
  const refused = await called(failing(new HoldfastError('conflict', 'No hunter2.', { hint: 'Wait.' })), {
    a: 'hunter2',
  })
  expect(refused).toEqual({
    isError: true,
    faults: [],
    answer: { error: 'No [secret].', code: 'conflict', hint: 'Wait.', received: { a: '[secret]' } },
  })
})

test('an internal error is logged, and its message is hidden from the agent', async () => {
  const { isError, faults, answer } = await called(failing(new Error('SELECT * FROM inner')), { a: 1 })
  expect({ isError, faults }).toEqual({ isError: true, faults: ['SELECT * FROM inner'] })
  expect(answer).toMatchObject({ code: 'internal', received: { a: 1 } })
  expect(JSON.stringify(answer)).not.toContain('SELECT')
})

test.each([[undefined], [null], [[]], ['text']])('arguments that are %j are refused, not crashed on', async (args) => {
  expect((await called(echo, args)).answer).toMatchObject({ code: 'invalid-input' })
})

const ITEMS: readonly ChecklistItem[] = [
  { id: 'i1', section: 'Phase 1', text: 'Parse', status: 'done', line: 3 },
  { id: 'i2', section: 'Phase 1', text: 'Print', status: 'pending', line: 4, note: 'after review' },
]

test('get_checklist has the fields of the original, and what does not hold', async () => {
  const view = {
    path: '/shop/CHECKLIST.md',
    modifiedAt: '2026-10-01T09:00:00.000Z',
    items: ITEMS,
    discrepancies: [{ itemId: 'i1', text: 'Parse', because: 'src/parse.ts holds a TODO' }],
    notLookedAt: [{ itemId: 'i2', text: 'Render', because: 'no code was found for it' }],
  }
  const [parse, print] = [
    { id: 'i1', section: 'Phase 1', text: 'Parse', status: 'done' },
    { id: 'i2', section: 'Phase 1', text: 'Print', status: 'pending', note: 'after review' },
  ]
  expect((await called(getChecklist, {}, aContext({ readChecklist: async () => view }))).answer).toEqual({
    project: 'shop',
    checklist_path: '/shop/CHECKLIST.md',
    total: 2,
    by_status: { verified: [], done: [parse], in_progress: [], blocked: [], pending: [print] },
    items: [parse, print],
    discrepancies: [{ item_id: 'i1', text: 'Parse', because: 'src/parse.ts holds a TODO' }],
    not_looked_at: [{ item_id: 'i2', text: 'Render', because: 'no code was found for it' }],
  })
})

test('mark_checklist_item passes on who says so and what proves it; differently from the original, it edits the file', async () => {
  const asked: unknown[] = []
  const verifyItem: LocalAgentApi['verifyItem'] = async (input) => {
    asked.push(input)
    return { id: 'i1', section: 'Phase 1', text: 'Parse', status: 'verified', line: 3 }
  }
  const args = { item_text: 'Parse', status: 'verified', verify_command: 'npm test', expect: 'passed', note: 'ran it' }
  expect((await called(markChecklistItem, args, aContext({ verifyItem }))).answer).toEqual({
    ok: true,
    project: 'shop',
    item_id: 'i1',
    item_text: 'Parse',
    status: 'verified',
    note: 'ran it',
    line: 3,
    updated_at: '2026-10-01T10:00:00.000Z',
  })
  expect(asked).toEqual([
    {
      cwd: '/shop',
      sessionLabel: 's1',
      item: 'Parse',
      note: 'ran it',
      verification: { command: 'npm test', expect: 'passed' },
    },
  ])
})

test('mark_checklist_item takes a command with verified only', async () => {
  // The API has no method to mark an item: had the tool called one, the refusal would differ.
  for (const status of ['pending', 'in_progress', 'done', 'blocked'])
    expect(await called(markChecklistItem, { item_text: 'Parse', status, verify_command: 'npm test' })).toMatchObject({
      isError: true,
      faults: [],
      answer: { code: 'invalid-input', error: `verify_command goes with verified, and this is ${status}.` },
    })
})

test('without a directory or a name, a project tool says which argument would do', async () => {
  const { answer } = await called(getChecklist, {}, aContext({}, {}))
  expect(answer).toMatchObject({ code: 'invalid-input', hint: expect.stringContaining('project_name') })
})

describe('a named checkpoint', () => {
  const resumed: Awaited<ReturnType<LocalAgentApi['resumeNamed']>> = {
    project: SHOP,
    name: 'cart',
    path: 'memory/checkpoints/cart.md',
    savedAt: '2026-10-01T10:00:00.000Z',
    isOurs: true,
    task: 'Coupons',
    sections: {
      progress: 'half done',
      nextAction: 'round up',
      blockers: '',
      decisions: '',
      context: 'x'.repeat(9_000),
    },
    files: [],
    warnings: [],
    confirm: 'never',
  }

  async function said(budgetTokens: number): Promise<string> {
    const context = aContext({ resumeNamed: async () => resumed })
    const args = { name: 'cart', budget_tokens: budgetTokens }
    const { content } = await callTool(checkpointResume, args, context, () => undefined)
    return content[0]?.text ?? ''
  }

  test('is rendered whole where there is room, followed by the next step', async () => {
    const whole = await said(5_000)
    expect(whole).toContain(`| ${'x'.repeat(9_000)}`)
    expect(whole).not.toContain('did not fit')
    expect(whole).toContain('You may go on with the next action.')
  })

  test('says what had no room', async () => {
    expect(await said(200)).toContain(
      '2 more lines did not fit: ask again with a larger budget_tokens (at most 5000), or read memory/checkpoints/cart.md.',
    )
  })

  test('gives no leave to go on with what was not told', async () => {
    expect(await said(1)).toBe(
      '8 more lines did not fit: ask again with a larger budget_tokens (at most 5000), or read memory/checkpoints/cart.md.',
    )
  })
})

describe('forget', () => {
  test('deletes nothing for a caller whose folder is unknown, and says what to do', async () => {
    const deleted: unknown[] = []
    const continuity = only<Continuity>('continuity', { forget: async (...asked) => void deleted.push(asked) })
    const nowhere = { ...aContext({}, {}), continuity }
    const { isError, answer } = await called(forget, { id: 'mem-1' }, nowhere)
    expect(isError).toBe(true)
    expect(answer).toMatchObject({ code: 'invalid-input', hint: expect.stringContaining('holdfast-cwd') })
    expect(deleted).toEqual([])
    expect((await called(forget, { id: 'mem-1' }, { ...aContext(), continuity })).isError).toBe(false)
    expect(deleted).toEqual([['mem-1', '/shop']])
  })

  const memories = [
    ['mem-1', 'Shard 3 is in Oslo.'],
    ['mem-2', 'Shard 3 is in Oslo. So is shard 4.'],
    ['mem-3', 'The CI is slow.'],
  ].map(([id = '', content = '']) => ({ id, content }))
  test.each([
    ['shard 3 is in Oslo.', 'mem-1'],
    ['ci is slow', 'mem-3'],
    ['shard 3 is', 'mem-1, mem-2'],
    ['shard 5 is in Rome', 'recall finds it'],
    ['slow', 'mem-3'],
    ['i', 'mem-1, mem-2, mem-3'],
  ])('deletes by text only what one memory has: %j', async (text, expected) => {
    const deleted: unknown[] = []
    const continuity = only<Continuity>('continuity', {
      forget: async (...asked) => void deleted.push(asked),
      forgetMemories: async ({ text: wanted = '' }) =>
        Object(memories.filter(({ content }) => content.toLowerCase().includes(wanted.toLowerCase()))),
    })
    const { isError, answer } = await called(forget, { query: text }, { ...aContext(), continuity })
    if (isError) expect([answer.hint, deleted]).toEqual([expect.stringContaining(expected), []])
    else expect([answer.id, deleted]).toEqual([expected, [[expected, '/shop']]])
  })
})
