import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aTaskSession } from '../../test/support/task-session.ts'
import { HoldfastError } from './errors.ts'
import { canBecome, nextStates, stateDiagram, TASK_SESSION_STATES, transition } from './task-session-state.ts'
import { applyTransition, withChildren } from '../tasks/model/task-session.ts'

const state = fc.constantFrom(...TASK_SESSION_STATES)

const aSession = aTaskSession()

test('the legal steps are these and no others', () => {
  const legal = TASK_SESSION_STATES.flatMap((from) => nextStates(from).map((to) => `${from} > ${to}`))
  expect(legal).toEqual([
    'init > active',
    'init > suspended',
    'active > complete',
    'active > suspended',
    'active > terminated',
    'complete > suspended',
    'suspended > active',
    'suspended > terminated',
  ])
})

test('an illegal step is refused, and the legal ones are named', () => {
  expect(() => transition('suspended', 'complete')).toThrow('A task session that is suspended cannot become complete.')
  try {
    transition('suspended', 'complete')
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'conflict', hint: 'It can become active or terminated.' })
  }
})

test('any pair of states is either a step that is taken or a refusal that names every legal one', () => {
  fc.assert(
    fc.property(state, state, (from, to) => {
      if (canBecome(from, to)) {
        expect(transition(from, to)).toBe(to)
        return
      }
      const refusal = refusalOf(() => transition(from, to))
      for (const legal of nextStates(from)) expect(refusal.hint).toContain(legal)
    }),
  )
})

test('however it moves, a session stays in one piece: its history is a path that begins at init and ends where it is', () => {
  fc.assert(
    fc.property(fc.array(state, { maxLength: 20 }), (wanted) => {
      const moved = wanted.reduce((session, to) => {
        const at = `2026-01-02T04:${String(session.transitions.length).padStart(2, '0')}:00.000Z`
        return canBecome(session.state, to) ? applyTransition(session, to, at, 'because') : session
      }, aSession)
      const path = ['init', ...moved.transitions.map(({ to }) => to)]
      expect(moved.transitions.map(({ from }) => from)).toEqual(path.slice(0, -1))
      expect(moved.state).toBe(path.at(-1))
      expect(moved.ended_at !== null).toBe(moved.state === 'complete' || moved.state === 'terminated')
      // Terminated is the end, whatever was wanted afterwards.
      expect(path.indexOf('terminated')).toBeOneOf([-1, path.length - 1])
    }),
  )
})

test('children are who names one as parent', () => {
  const family = withChildren([aSession, { ...aSession, session_id: 'session-2', parent_session: 'session-1' }])
  expect(family.map(({ child_sessions }) => child_sessions)).toEqual([['session-2'], []])
})

test('the diagram has every legal step once', () => {
  const edges = stateDiagram()
    .split('\n')
    .filter((line) => line.includes('-->') && !line.includes('[*]'))
  expect(edges).toHaveLength(8)
  expect(stateDiagram()).toContain('  SUSPENDED --> ACTIVE: resumed')
})

function refusalOf(run: () => unknown): HoldfastError {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof HoldfastError) return thrown
  }
  throw new Error('it was not refused')
}
