import { describe, expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { SessionEvent, ToolOutcome } from '../../kernel/event.ts'
import { foldEvent, foldNote } from './fold.ts'
import { emptyWork, parseWork, type WorkState } from './state.ts'

const at = (minute: number) => `2026-01-02T03:${String(minute).padStart(2, '0')}:00.000Z`
const ask = (prompt: string, minute: number, more: { isQueued?: boolean; expansion?: string } = {}) =>
  anEvent('prompt-submitted', { prompt, at: at(minute), ...more })
const shell = (command: string, minute: number, outcome: Partial<ToolOutcome> = {}) =>
  anEvent('tool-finished', {
    at: at(minute),
    tool: { name: 'Bash', kind: 'shell', files: [], command },
    outcome: { ok: true, ...outcome },
  })
const fold = (events: readonly SessionEvent[], from = emptyWork()) =>
  events.reduce((state, event) => foldEvent(state, event), from)
const say = (state: WorkState, text: string, minute: number) =>
  foldNote(state, { kind: 'statement', text, at: at(minute) })
const messages = ({ dialogue }: WorkState) => (dialogue?.messages ?? []).map(({ kind, text }) => [kind, text])

describe('the dialogue', () => {
  test('has requests, remarks and the final message of a turn', () => {
    let state = fold([ask('Fix the lexer, please.', 1)])
    state = say(state, 'I look at the lexer.', 2)
    state = fold([shell('npm test', 3)], state)
    state = say(state, 'The lexer is fixed.', 4)
    state = fold([ask('Now the printer.', 5)], state)
    expect(messages(state)).toEqual([
      ['request', 'Fix the lexer, please.'],
      ['message', 'I look at the lexer.'],
      ['turn-final', 'The lexer is fixed.'],
      ['request', 'Now the printer.'],
    ])
  })

  test('is in the order of time, though hooks report a turn before the transcript is read', () => {
    let state = fold([ask('Fix it.', 1), shell('npm test', 3), ask('And now?', 9)])
    state = say(state, 'I run the tests.', 2)
    state = say(state, 'They pass.', 4)
    expect(messages(state)).toEqual([
      ['request', 'Fix it.'],
      ['message', 'I run the tests.'],
      ['turn-final', 'They pass.'],
      ['request', 'And now?'],
    ])
    const [, first] = state.dialogue?.messages ?? []
    expect((first?.order ?? 9) < 2).toBe(true)
  })

  test('has answers with their question, refusals with the command, queued messages and what a command stands for', () => {
    const answers = [{ question: 'Which database?', options: ['SQLite', 'Postgres'], answer: 'SQLite' }]
    const state = fold([
      ask('/story 4', 1, { expansion: 'Implement story 4: export.' }),
      shell('ask', 2, { answers }),
      shell('rm -rf build', 3, { ok: false, refused: { by: 'user', words: 'No, keep it.' } }),
      ask('also lint', 4, { isQueued: true }),
    ])
    expect((state.dialogue?.messages ?? []).map(({ kind, text, about }) => [kind, text, about])).toEqual([
      ['request', '/story 4', 'Implement story 4: export.'],
      ['answer', 'SQLite', 'Which database? (SQLite / Postgres)'],
      ['refusal', 'No, keep it.', 'running `rm -rf build`'],
      ['queued', 'also lint', undefined],
    ])
  })

  test('is bounded: remarks from the middle go first, the first request and the newest stay', () => {
    let state = fold([ask('Rewrite the whole parser as we said.', 0)])
    for (let index = 0; index < 40; index += 1) {
      state = say(state, `Remark ${index}. ${'It goes on. '.repeat(80)}`, 1)
      state = fold([ask(`Request number ${index}, please do it.`, 1)], state)
    }
    const all = state.dialogue?.messages ?? []
    const size = all.reduce((sum, { text }) => sum + text.length, 0)
    expect(size).toBeLessThanOrEqual(24_000)
    expect([all[0]?.text, all.at(-1)?.text]).toEqual([
      'Rewrite the whole parser as we said.',
      'Request number 39, please do it.',
    ])
    expect(all.filter(({ speaker }) => speaker === 'user')).toHaveLength(41)
  })

  test('a state of an earlier version has none and is read', () => {
    const { dialogue: _, ...older } = fold([ask('Fix it.', 1)])
    expect(parseWork(JSON.stringify({ ...older, identifiers: [], named: [], scenes: [] })).asks).toHaveLength(1)
  })
})
