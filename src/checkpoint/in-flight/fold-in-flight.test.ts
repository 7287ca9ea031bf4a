import { expect, test } from 'vitest'
import type { SessionEvent, ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { EventId, SessionKey } from '../../kernel/id.ts'
import { findEndedRun, foldInFlight, type InFlightState, listInFlight, NOTHING_IN_FLIGHT } from './fold-in-flight.ts'

const base = {
  id: EventId('e'),
  harness: 'claude-code',
  sessionKey: SessionKey('s'),
  at: '2026-11-15T12:00:00.000Z',
  door: 'hook',
} as const

function finished(tool: Partial<ToolCall>, outcome: Partial<ToolOutcome> = {}): SessionEvent {
  return {
    ...base,
    kind: 'tool-finished',
    tool: { name: 'Bash', kind: 'shell', files: [], ...tool },
    outcome: { ok: true, ...outcome },
  }
}

const fold = (...events: readonly SessionEvent[]): InFlightState =>
  events.reduce((state, event, index) => foldInFlight(state, event, index + 1), NOTHING_IN_FLIGHT)
const after = (...events: readonly SessionEvent[]) => listInFlight(fold(...events))

const dev = finished(
  { command: 'npm run dev', isBackground: true },
  { backgroundId: 'b1', output: 'Local: http://localhost:5173/' },
)
const devServer = { kind: 'server', id: 'b1', what: 'npm run dev', port: 5173, order: 1 }

test('a command in the background goes on until it ends, is stopped or is killed', () => {
  expect(after(dev)).toEqual([devServer])
  expect(after(dev, finished({ command: 'npm test' }))).toEqual([devServer])
  expect(after(dev, finished({ name: 'background', kind: 'other' }, { backgroundId: 'b1' }))).toEqual([])
  expect(after(dev, finished({ name: 'KillShell', kind: 'other' }, { backgroundId: 'b1' }))).toEqual([])
  expect(after(dev, finished({ command: 'lsof -ti:5173 | xargs kill -9' }))).toEqual([])
  expect(after(dev, finished({ command: 'pkill -f "npm run dev"' }))).toEqual([])
  expect(after(dev, finished({ command: 'kill -9 $(pgrep -f "npm run dev") 2>/dev/null' }))).toEqual([])
  expect(after(dev, finished({ command: 'kill -9 $(lsof -ti:3000)' }))).toEqual([devServer])
})

test('an end that is reported before the start leaves nothing', () => {
  expect(after(finished({ name: 'background', kind: 'other' }, { backgroundId: 'b1' }), dev)).toEqual([])
})

test('a refused command was not started', () => {
  expect(
    after(finished({ command: 'npm run dev', isBackground: true }, { ok: false, refused: { by: 'user' } })),
  ).toEqual([])
})

test('a server that a shell left behind outlives the notice that the shell has ended', () => {
  const left = finished(
    { command: 'pnpm --filter web dev &>/tmp/web.log &\necho "PID=$!"', isBackground: true },
    { backgroundId: 'b2', output: 'PID=71242' },
  )
  const ended = finished({ name: 'background', kind: 'other' }, { backgroundId: 'b2', exitStatus: 0 })
  const server = { kind: 'server', id: 'b2', what: 'pnpm --filter web dev', pid: 71_242 }
  expect(after(left, ended)).toEqual([{ ...server, order: 1 }])
  expect(after(ended, left)).toEqual([{ ...server, order: 2 }])
  expect(after(left, finished({ command: 'kill 71242' }))).toEqual([])
})

test('a program that does not serve goes on too, if its shell left it behind and nobody waits for it', () => {
  const trainer = finished({ command: 'nohup ./train.sh > train.log 2>&1 & echo $!' }, { output: '48213\n' })
  const work = { kind: 'shell', what: 'nohup ./train.sh > train.log 2>&1 & echo $!', pid: 48_213, order: 1 }
  expect(after(trainer)).toEqual([work])
  expect(after(trainer, finished({ command: 'kill 48213' }))).toEqual([])
  expect(after(finished({ command: 'setsid ./watch.sh > w.log &' }))).toHaveLength(1)
  expect(after(finished({ command: './a.sh & ./b.sh & wait' }), finished({ command: 'nohup ./a.sh & wait' }))).toEqual(
    [],
  )
})

test('a port that a server prints later is known', () => {
  const quiet = finished({ command: 'npm start', isBackground: true }, { backgroundId: 'b1' })
  const shown = finished({ name: 'TaskOutput', kind: 'other' }, { output: 'Server listening on port 8080' })
  expect(after(quiet, shown)).toEqual([{ kind: 'server', id: 'b1', what: 'npm start', port: 8080, order: 1 }])
})

test('subagents: a call that waits, one in the background, and their ends', () => {
  const agent = { name: 'Agent', kind: 'agent', description: 'Review the code', callId: 't1' } as const
  const started: SessionEvent = { ...base, kind: 'tool-started', tool: { ...agent, files: [] } }
  const waiting = { kind: 'subagent', what: 'Review the code', order: 1 }
  expect(after(started)).toEqual([waiting])
  expect(after(started, finished(agent))).toEqual([])
  expect(after(started, { ...base, kind: 'turn-ended' })).toEqual([])
  const launched = finished({ ...agent, isBackground: true }, { backgroundId: 'a1' })
  expect(after(started, launched)).toEqual([{ ...waiting, id: 'a1', order: 2 }])
  expect(after(started, launched, { ...base, kind: 'subagent-finished', subagent: { id: 'a1' } })).toEqual([])
  expect(after(launched, { ...base, kind: 'session-started', source: 'resume' })).toEqual([])
  expect(after(launched, { ...base, kind: 'session-started', source: 'compact' })).toHaveLength(1)
})

test('the end of a command in the background is its run, of a server it is not', () => {
  const tests = finished({ command: 'npm test', isBackground: true, cwd: 'web' }, { backgroundId: 'b1' })
  const ended = finished({ name: 'background', kind: 'other' }, { ok: false, exitStatus: 1, backgroundId: 'b1' })
  if (ended.kind !== 'tool-finished') throw new Error('unreachable')
  expect(findEndedRun(fold(tests), ended)).toEqual({
    tool: { name: 'background', kind: 'shell', files: [], command: 'npm test', cwd: 'web' },
    outcome: { ok: false, exitStatus: 1, backgroundId: 'b1' },
  })
  expect(findEndedRun(fold(dev), ended)).toBeUndefined()
  expect(findEndedRun(NOTHING_IN_FLIGHT, ended)).toBeUndefined()
})
