import { describe, expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { SessionEvent, ToolCall } from '../../kernel/event.ts'
import { foldEvent } from './fold.ts'
import { emptyWork, parseWork, type WorkState } from './state.ts'

const WORDS = 'What stands below is to be done step by step. '.repeat(20)

function fold(...events: readonly SessionEvent[]): WorkState {
  return events.reduce((state, event) => foldEvent(state, event, { worktree: '/repo' }), emptyWork())
}

const tool = (call: Partial<ToolCall>) =>
  anEvent('tool-finished', { tool: { name: 'Tool', kind: 'other', files: [], ...call }, outcome: { ok: true } })

describe('the plan that is carried out', () => {
  test('has its title until another plan replaces it', () => {
    const titleOf = (...events: readonly SessionEvent[]) => fold(...events).plan?.title?.text
    const written = tool({ plan: `# Implementation Plan: Faster parser\n${WORDS} src/b.ts` })
    expect(titleOf(written)).toBe('Faster parser')
    expect(titleOf(written, tool({ plan: 'and src/c.ts' }))).toBe('Faster parser')
    expect(titleOf(written, tool({ plan: `## Second thoughts ##\n${WORDS} src/b.ts` }))).toBe('Second thoughts')
    expect(titleOf(tool({ plan: `# Nothing named yet\n${WORDS}` }))).toBe('Nothing named yet')
  })

  test('has the file that it was written to, also when it is presented without', () => {
    const file = { path: '/home/me/.plans/a.md', action: 'created' } as const
    const text = `# Faster parser\n${WORDS} src/b.ts`
    const [written, shown] = [tool({ kind: 'edit', plan: text, files: [file] }), tool({ plan: text })]
    const titleOf = (...events: readonly SessionEvent[]) => fold(...events).plan?.title?.text
    expect([titleOf(written), titleOf(written, shown), titleOf(shown)]).toEqual([
      'Faster parser (/home/me/.plans/a.md)',
      'Faster parser (/home/me/.plans/a.md)',
      'Faster parser',
    ])
    expect(titleOf(written, tool({ plan: `# Another\n${WORDS} src/b.ts` }))).toBe('Another')
  })

  test('a document with open boxes is one where nobody put one forward', () => {
    const shown = (plan: string) =>
      anEvent('tool-finished', {
        tool: { name: 'Read', kind: 'read', files: [{ path: '/repo/docs/story.md', action: 'read' }] },
        outcome: { ok: true, plan },
      })
    const story = shown('# Story 1\n- [ ] make src/a.ts\n- [ ] test it')
    expect(fold(story).plan).toEqual({
      title: { text: 'Story 1 (docs/story.md)', lastOrder: 1 },
      isDocument: true,
    })
    expect(fold(story, shown('# Story 2\n- [ ] src/b.ts\n- [ ] x')).plan?.title?.text).toBe('Story 2 (docs/story.md)')
    expect(fold(shown('- [ ] a\n- [ ] b')).plan?.title?.text).toBe('docs/story.md')
  })

  test('a plan that the agent wrote stays its own, also where a document was read before and after', () => {
    const read = (name: string) =>
      anEvent('tool-finished', {
        tool: { name: 'Read', kind: 'read', files: [{ path: `/repo/docs/${name}.md`, action: 'read' }] },
        outcome: { ok: true, plan: `# ${name}` },
      })
    const state = fold(read('one'), tool({ plan: '# Written' }), read('two'))
    expect(state.plan).toEqual({ title: { text: 'Written', lastOrder: 2 } })
  })

  test('a heading that says no more than that it is a plan does not take the next line for its title', () => {
    expect(fold(tool({ plan: '# Plan:\n\nFirst of all, some words' })).plan?.title?.text).toBe('Plan:')
  })

  test('the file of a document is one bounded line', () => {
    const shown = anEvent('tool-finished', {
      tool: { name: 'Read', kind: 'read', files: [{ path: `/repo/a\n${'deep/'.repeat(150)}x.md`, action: 'read' }] },
      outcome: { ok: true, plan: `# ${'title '.repeat(60)}` },
    })
    const { text = '' } = fold(shown).plan?.title ?? {}
    expect([text.length <= 200, text.includes('\n')]).toEqual([true, false])
  })

  test("a subagent's plan is not the session's", () => {
    const event = tool({ plan: `${WORDS} src/b.ts` })
    expect(fold({ ...event, subagent: { id: 'agent-1' } }).plan).toBeUndefined()
  })

  test('a kept state whose plan is none is folded again', () => {
    const state = fold(tool({ plan: `# Plan A\n${WORDS}` }))
    expect(parseWork(JSON.stringify(state))).toEqual(state)
    expect(parseWork(JSON.stringify({ ...state, plan: { title: 'x' } }))).toEqual(emptyWork())
  })
})
