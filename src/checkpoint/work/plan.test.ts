import { describe, expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { SessionEvent, ToolCall } from '../../kernel/event.ts'
import { foldEvent } from './fold.ts'
import { computePathFeatures } from '../score/path-score.ts'
import { emptyWork, parseWork, type WorkState } from './state.ts'

const WORDS = 'What stands below is to be done step by step. '.repeat(20)

function fold(...events: readonly SessionEvent[]): WorkState {
  return events.reduce((state, event) => foldEvent(state, event, { worktree: '/repo' }), emptyWork())
}

const ask = (prompt: string) => anEvent('prompt-submitted', { prompt })
const tool = (call: Partial<ToolCall>) =>
  anEvent('tool-finished', { tool: { name: 'Tool', kind: 'other', files: [], ...call }, outcome: { ok: true } })

function planned(state: WorkState): readonly string[] {
  return computePathFeatures(state).flatMap(({ path, features }) => (features['planned'] === 1 ? [path] : []))
}

describe('the plan that is carried out', () => {
  test('a long ask is one: what it names stays in play however long ago it was', () => {
    const quiet = Array.from({ length: 80 }, () => tool({ kind: 'web', query: 'y' }))
    expect(planned(fold(ask(`${WORDS} Change /repo/src/a.ts and src/b.ts.`), ...quiet))).toEqual([
      'src/a.ts',
      'src/b.ts',
    ])
  })

  test('a remark is none', () => {
    const state = fold(ask('look at src/a.ts'))
    expect([state.plan, planned(state)]).toEqual([undefined, []])
  })

  test('a newer plan takes the place of an older one, also one that the agent wrote; a small addition adds', () => {
    const state = fold(ask(`${WORDS} src/a.ts`), tool({ plan: `${WORDS} src/b.ts` }), tool({ plan: 'and src/c.ts' }))
    expect(state.plan?.paths).toEqual(['src/b.ts', 'src/c.ts'])
    expect(planned(state)).toEqual(['src/b.ts', 'src/c.ts'])
  })

  test('has its title until another plan replaces it; a request has none', () => {
    const titleOf = (...events: readonly SessionEvent[]) => fold(...events).plan?.title?.text
    const written = tool({ plan: `# Implementation Plan: Faster parser\n${WORDS} src/b.ts` })
    expect(titleOf(written)).toBe('Faster parser')
    expect(titleOf(written, tool({ plan: 'and src/c.ts' }))).toBe('Faster parser')
    expect(titleOf(written, tool({ plan: `## Second thoughts ##\n${WORDS} src/b.ts` }))).toBe('Second thoughts')
    expect(titleOf(written, ask(`# Other work\n${WORDS} src/d.ts`))).toBeUndefined()
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

  test('a path in a code block is not a planned file', () => {
    const plan = `# Output\n\`\`\`json\n{ "file": "src/example.ts" }\n\`\`\`\nChange src/a.ts.\n~~~\nsrc/open.ts`
    expect(fold(tool({ plan })).plan?.paths).toEqual(['src/a.ts'])
    expect(fold(tool({ plan })).named.map(({ path }) => path)).toEqual(['src/a.ts'])
  })

  test('a document with open boxes is one where nobody put one forward', () => {
    const shown = (plan: string) =>
      anEvent('tool-finished', {
        tool: { name: 'Read', kind: 'read', files: [{ path: '/repo/docs/story.md', action: 'read' }] },
        outcome: { ok: true, plan },
      })
    const story = shown('# Story 1\n- [ ] make src/a.ts\n- [ ] test it')
    expect(fold(story).plan).toEqual({
      paths: ['src/a.ts'],
      title: { text: 'Story 1 (docs/story.md)', lastOrder: 1 },
      isDocument: true,
    })
    expect(fold(story, shown('# Story 2\n- [ ] src/b.ts\n- [ ] x')).plan?.title?.text).toBe('Story 2 (docs/story.md)')
    expect(fold(shown('- [ ] a\n- [ ] b')).plan?.title?.text).toBe('docs/story.md')
    const asked = ask(`${WORDS} Change src/c.ts.`)
    expect([fold(asked, story).plan?.paths, fold(story, asked).plan?.paths]).toEqual([['src/c.ts'], ['src/c.ts']])
  })

  test('a plan that the agent wrote stays its own, also where a document was read before and after', () => {
    const read = (name: string) =>
      anEvent('tool-finished', {
        tool: { name: 'Read', kind: 'read', files: [{ path: `/repo/docs/${name}.md`, action: 'read' }] },
        outcome: { ok: true, plan: `# ${name}` },
      })
    const state = fold(read('one'), tool({ plan: '# Written' }), read('two'))
    expect(state.plan).toEqual({ paths: [], title: { text: 'Written', lastOrder: 2 } })
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

  test('is known by the file that it means, however it spells it', () => {
    const read = tool({ kind: 'read', files: [{ path: '/repo/packages/core/src/a.ts', action: 'read' }] })
    expect(planned(fold(read, ask(`${WORDS} core/src/a.ts`)))).toEqual(['packages/core/src/a.ts'])
  })

  test('a kept state whose plan is none is folded again', () => {
    const state = fold(ask(`${WORDS} src/a.ts`))
    expect(parseWork(JSON.stringify(state))).toEqual(state)
    expect(parseWork(JSON.stringify({ ...state, plan: { paths: [1] } }))).toEqual(emptyWork())
    expect(parseWork(JSON.stringify({ ...state, plan: { paths: [], title: 'x' } }))).toEqual(emptyWork())
  })
})
