import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SessionId } from './id.ts'
import { findLineages } from './session.ts'

const session = (id: string, continues?: string) => ({
  id: SessionId(id),
  ...(continues === undefined ? {} : { continues: SessionId(continues) }),
})

const told = (...sessions: readonly ReturnType<typeof session>[]) => Object.fromEntries(findLineages(sessions))

test('sessions that went on from one another are one line, whatever harness each was of', () => {
  const moved = [session('opencode/3', 'codex/2'), session('codex/2', 'claude-code/1'), session('claude-code/1')]
  expect(told(...moved, session('codex/other'))).toEqual({
    'claude-code/1': 'claude-code/1',
    'codex/2': 'claude-code/1',
    'opencode/3': 'claude-code/1',
    'codex/other': 'codex/other',
  })
})

test('a line is named by a session that is no longer among them', () => {
  expect(told(session('codex/2', 'claude-code/1'))).toEqual({ 'codex/2': 'claude-code/1' })
})

test('two sessions that took turns are one line, with whatever went on from them', () => {
  expect(told(session('a', 'b'), session('b', 'a'), session('c', 'a'))).toEqual({ a: 'a', b: 'a', c: 'a' })
  expect(told(session('a', 'a'))).toEqual({ a: 'a' })
})

test('whatever goes on from whatever, a session is of the line of the one that it goes on from', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const name = fc.constantFrom(...names)
  const links = fc.tuple(...names.map(() => fc.option(name, { nil: undefined })))
  fc.assert(
    fc.property(links, (before) => {
      const lines = told(...names.map((id, index) => session(id, before[index])))
      names.forEach((id, index) => expect(lines[id]).toBe(lines[before[index] ?? id]))
    }),
    { seed: 7 },
  )
})
