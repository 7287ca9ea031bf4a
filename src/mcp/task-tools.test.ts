import { expect, test } from 'vitest'
import { aCheckpoint } from '../../test/support/task-chain.ts'
import type { LocalAgentApi } from '../app/agent-api.ts'
import type { Continuity } from '../app/continuity.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { Tasks } from '../tasks/tasks.ts'
import { callTool } from './call-tool.ts'
import type { ToolContext } from './tool/tool.ts'
import { taskCheckpoint } from './tools/tasks.ts'

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

function aContext(tasks: Partial<Tasks>): ToolContext {
  return {
    continuity: only<Continuity>('continuity', {}),
    agentApi: only<LocalAgentApi>('door', {}),
    tasks: only<Tasks>('tasks', tasks),
    clock: { now: () => '2026-10-01T10:00:00.000Z' },
    sha256: (text) => text,
    randomBytes: (count) => new Uint8Array(count),
    findDegradedTask: async () => undefined,
    redact: (text) => text,
    caller: { cwd: '/shop' },
  }
}

function call(args: Readonly<Record<string, unknown>>, context: ToolContext) {
  return callTool(taskCheckpoint, args, context, (fault) => {
    throw new Error(fault)
  })
}

const written = { checkpoint: aCheckpoint({ id: 'ckpt-1' }).checkpoint, sha256: '', line: '', mirrored: true } as const

test('a decision of an agent becomes a checkpoint with its rationale and alternatives', async () => {
  const asked: unknown[] = []
  const checkpoint: Tasks['checkpoint'] = async (input) => {
    asked.push(input)
    return written
  }
  const args = { task: 'feat-x', type: 'decision', decision: 'JWT', rationale: 'stateless', alternatives: 'cookies' }
  const answer = await call(args, aContext({ checkpoint }))
  expect(answer.isError ?? false).toBe(false)
  expect(asked).toEqual([
    {
      cwd: '/shop',
      slug: 'feat-x',
      type: 'decision',
      content: { decisions: [{ decision: 'JWT', rationale: 'stateless', alternatives_considered: ['cookies'] }] },
    },
  ])
})

test('a refusal reaches the agent as an error that says what is missing', async () => {
  const checkpoint: Tasks['checkpoint'] = async () => {
    throw new HoldfastError('invalid-input', 'A decision checkpoint needs a decision.')
  }
  const answer = await call({ slug: 'feat-x', type: 'decision' }, aContext({ checkpoint }))
  expect(answer).toMatchObject({ isError: true })
  expect(JSON.stringify(answer)).toContain('A decision checkpoint needs a decision.')
})

test('a gate is entered by its name', async () => {
  const gates: unknown[] = []
  const enterGate: Tasks['enterGate'] = async ({ gate, slug }) => {
    gates.push([slug, gate])
    return written
  }
  await call({ task: 'feat-x', type: 'gate', gate: 'plan' }, aContext({ enterGate }))
  expect(gates).toEqual([['feat-x', 'plan']])
})
