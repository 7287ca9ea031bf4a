import { expect, test } from 'vitest'
import { type AutosaveConfig, DEFAULT_CONFIG } from '../kernel/config.ts'
import type { SessionEvent } from '../kernel/event.ts'
import { EventId, ProjectId, SessionKey } from '../kernel/id.ts'
import { advance, type Session } from '../kernel/session.ts'
import { createAutosave } from './autosave.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const minutes = (count: number) => new Date(START + count * 60_000).toISOString()
const base = { harness: 'claude-code', sessionKey: SessionKey('one'), door: 'hook' } as const
const place = { projectId: ProjectId('p'), project: '/w', projectNormalized: '/w', worktree: '/w' }

function aSession(more: Partial<Session> = {}): Session {
  const event: SessionEvent = { ...base, id: EventId('s'), at: minutes(0), kind: 'session-started', source: 'startup' }
  const { session } = advance(undefined, event, { seq: 1, location: place, cadence: DEFAULT_CONFIG.continuity })
  return { ...session, promptCount: 1, ...more }
}

type Base = 'id' | 'harness' | 'sessionKey' | 'at' | 'door'
type Body<Event> = Event extends SessionEvent ? Omit<Event, Base> & { readonly at?: string } : never

/** What autosaving did, and a world that it sees. */
function world(config: Partial<AutosaveConfig> = {}) {
  const did: string[] = []
  let at = 0
  let sessions: readonly Session[] = []
  let keepsBuffer = true
  const autosaving = createAutosave({
    files: {
      autosave: async (worktree, { reason, canUseObserved, observe }) => {
        await observe()
        did.push(`save ${worktree}: ${reason}${canUseObserved ? ', also what was seen' : ''}`)
        return { isDue: true }
      },
      startBuffer: async (_worktree, { mayCreate }) => {
        did.push(`start buffer${mayCreate ? ', or create it' : ''}`)
        return keepsBuffer
      },
      appendBuffer: async (_worktree, sessionKey, { by, text }) => void did.push(`${sessionKey} ${by}: ${text}`),
    },
    store: { listSessions: async () => sessions, listCheckpoints: async () => [] },
    checkpoint: async (id, trigger) => void did.push(`checkpoint ${id} ${trigger}`),
    getContextWindow: ({ harness }) => (harness === 'claude-code' ? 200_000 : undefined),
    configFor: async () => ({ ...DEFAULT_CONFIG, autosave: { ...DEFAULT_CONFIG.autosave, ...config } }),
    clock: { now: () => minutes(at) },
    machine: { id: 'machine-1', hostId: 'machine-1', name: 'desk', sharesStore: false },
    log: { debug: () => undefined, info: () => undefined, warn: (text) => void did.push(text), error: () => undefined },
  })
  async function settled(): Promise<readonly string[]> {
    await autosaving.drain()
    return did.splice(0)
  }
  return {
    happen: async (event: Body<SessionEvent>, session = aSession()) => {
      autosaving.onEvent({ ...base, id: EventId('e'), at: minutes(at), ...event }, session)
      return settled()
    },
    tick: async (atMinutes: number, ...open: readonly Session[]) => {
      at = atMinutes
      sessions = open
      await autosaving.tick()
      return settled()
    },
    later: (count: number) => void (at = count),
    refuseBuffer: () => void (keepsBuffer = false),
  }
}

test('a farewell saves and also stores a checkpoint', async () => {
  const { happen } = world()
  expect(await happen({ kind: 'prompt-submitted', prompt: 'goodnight' })).toEqual([
    'checkpoint claude-code/one autosave',
    'save /w: the user said goodnight',
  ])
  expect(await happen({ kind: 'prompt-submitted', prompt: 'Fix the logout button' })).toEqual([])
})

test('compaction and the end of a session save; their checkpoints are made elsewhere', async () => {
  const { happen } = world()
  const busy = aSession({ contextTokens: 156_000 })
  expect(await happen({ kind: 'compaction-started', trigger: 'auto' }, busy)).toEqual([
    'save /w: before a compaction, context 78%',
  ])
  expect(await happen({ kind: 'session-ended', reason: 'exit' })).toEqual(['save /w: the session ends'])
})

test('a long command alone saves only in mode always or when the context is filling up', async () => {
  const tool = { name: 'Bash', kind: 'shell', files: [], command: 'docker build .' } as const
  const event = { kind: 'tool-started', tool } as const
  expect(await world().happen(event)).toEqual([])
  expect(await world().happen(event, aSession({ contextTokens: 130_000 }))).toEqual([
    'save /w: before a long command, context 65%',
  ])
  expect(await world({ mode: 'always' }).happen(event)).toEqual(['save /w: before a long command, also what was seen'])
})

test('each threshold fires once for a crossing, and again after the context was low', async () => {
  const { tick } = world()
  const at = (contextTokens: number) => aSession({ contextTokens, phase: 'working' })
  expect(await tick(1, at(100_000))).toEqual([])
  expect(await tick(2, at(122_000))).toEqual(['start buffer'])
  expect(await tick(3, at(125_000))).toEqual([])
  expect(await tick(4, at(141_000))).toEqual(['checkpoint claude-code/one autosave', 'save /w: context 70%'])
  expect(await tick(5, at(150_000))).toEqual([])
  expect(await tick(6, at(130_000))).toEqual([])
  expect(await tick(7, at(141_000))).toEqual([])
  expect(await tick(8, at(20_000))).toEqual([])
  expect(await tick(9, at(142_000))).toEqual([
    'start buffer',
    'checkpoint claude-code/one autosave',
    'save /w: context 71%',
  ])
})

test('the window can be configured, and without one nothing is measured', async () => {
  const full = aSession({ contextTokens: 90_000, phase: 'working' })
  expect(await world({ contextWindowTokens: 100_000 }).tick(1, full)).toEqual([
    'start buffer',
    'checkpoint claude-code/one autosave',
    'save /w: context 90%',
  ])
  expect(await world().tick(1, { ...full, harness: 'mcp' })).toEqual([])
})

test('messages are appended while a buffer is active', async () => {
  const { tick, happen, later } = world()
  const session = aSession({ contextTokens: 125_000, phase: 'working' })
  expect(await happen({ kind: 'prompt-submitted', prompt: 'before' }, session)).toEqual([])
  await tick(1, session)
  expect(await happen({ kind: 'prompt-submitted', prompt: 'Keep blank lines' }, session)).toEqual([
    'one Human: Keep blank lines',
  ])
  expect(await happen({ kind: 'turn-ended', lastMessage: 'Kept.' }, session)).toEqual(['one Agent (summary): Kept.'])
  expect(await happen({ kind: 'turn-ended', lastMessage: 'x', subagent: { id: 'a' } }, session)).toEqual([])
  later(2)
  await tick(3, { ...session, contextTokens: 10_000 })
  expect(await happen({ kind: 'prompt-submitted', prompt: 'after' }, session)).toEqual([])
})

test('a buffer of another tool is not touched', async () => {
  const { tick, happen, refuseBuffer } = world()
  refuseBuffer()
  const session = aSession({ contextTokens: 125_000, phase: 'working' })
  expect(await tick(1, session)).toEqual(['start buffer'])
  expect(await happen({ kind: 'prompt-submitted', prompt: 'x' }, session)).toEqual([])
})

test('an idle session is saved once, and again after new activity', async () => {
  const { tick } = world()
  const idle = aSession({ phase: 'idle', lastEventSeq: 5 })
  expect(await tick(9, idle)).toEqual([])
  expect(await tick(10, idle)).toEqual(['save /w: idle for 10 minutes'])
  expect(await tick(11, idle)).toEqual([])
  expect(await tick(25, { ...idle, lastEventSeq: 6, lastEventAt: minutes(12) })).toEqual([
    'save /w: idle for 13 minutes',
  ])
  expect(await tick(40, { ...idle, promptCount: 0, lastEventSeq: 7 })).toEqual([])
  expect(await tick(41, { ...idle, phase: 'working', lastEventSeq: 8 })).toEqual([])
})

test('in mode off only the store gets a checkpoint', async () => {
  const { happen, tick } = world({ mode: 'off' })
  expect(await happen({ kind: 'prompt-submitted', prompt: '晚安' })).toEqual(['checkpoint claude-code/one autosave'])
  expect(await tick(1, aSession({ contextTokens: 190_000 }))).toEqual(['checkpoint claude-code/one autosave'])
})

test('a stale event, or one without a location, is not a signal', async () => {
  const { happen, later } = world()
  later(30)
  expect(await happen({ kind: 'session-ended', reason: 'exit', at: minutes(1) })).toEqual([])
  const { place: _place, ...nowhere } = aSession()
  expect(await happen({ kind: 'session-ended', reason: 'exit' }, nowhere)).toEqual([])
})
