import { describe, expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { SessionEvent, ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { foldEvent } from '../work/fold.ts'
import { scorePaths, computePathFeatures } from './path-score.ts'
import { emptyWork, type WorkState } from '../work/state.ts'

function fold(...events: readonly SessionEvent[]): WorkState {
  return events.reduce((state, event) => foldEvent(state, event, { worktree: '/repo' }), emptyWork())
}

function tool(call: Partial<ToolCall>, outcome: Partial<ToolOutcome> = {}): SessionEvent {
  return anEvent('tool-finished', {
    tool: { name: 'Tool', kind: 'other', files: [], ...call },
    outcome: { ok: true, ...outcome },
  })
}

const edit = (path: string) => tool({ kind: 'edit', files: [{ path, action: 'edited' }] })
const read = (path: string) => tool({ kind: 'read', files: [{ path, action: 'read' }] })
const search = (...paths: readonly string[]) => tool({ kind: 'search', query: 'x' }, { paths })

function likeliest(state: WorkState): readonly string[] {
  return [...scorePaths(state)].toSorted(([, a], [, b]) => b.opened - a.opened).map(([path]) => path)
}

describe('the chances of a file', () => {
  test('a recently edited file scores higher than a read one, and that higher than one that only came up', () => {
    const state = fold(search('src/c.ts', 'src/d.ts'), read('src/b.ts'), read('src/a.ts'), edit('src/a.ts'))
    expect(likeliest(state).slice(0, 2)).toEqual(['src/a.ts', 'src/b.ts'])
  })

  test('the counterpart of what was edited is likelier than another hit of the same search', () => {
    const [, next] = likeliest(fold(search('src/other.ts', 'test/a_test.ts'), edit('src/a.ts')))
    expect(next).toBe('test/a_test.ts')
  })

  test('what was touched long ago is less likely than when it was new', () => {
    const quiet = Array.from({ length: 60 }, () => tool({ kind: 'web', query: 'y' }))
    const now = scorePaths(fold(edit('src/a.ts'))).get('src/a.ts')
    const later = scorePaths(fold(edit('src/a.ts'), ...quiet)).get('src/a.ts')
    expect(now?.edited).toBeGreaterThan(later?.edited ?? 1)
  })

  test('are computed from how a file came up, by source, with decay', () => {
    const state = fold(search('src/a.ts'), anEvent('prompt-submitted', { prompt: 'look at src/a.ts' }))
    expect(
      computePathFeatures(state).map(({ path, features }) => [path, features['asked'], features['sightings']]),
    ).toEqual([['src/a.ts', 1, Math.log2(3)]])
    expect(computePathFeatures(state)[0]?.features['found']).toBeLessThan(1)
  })

  test('what was made in the session is likelier than what was only changed', () => {
    const create = tool({ kind: 'edit', files: [{ path: 'src/b.ts', action: 'created' }] })
    const chances = scorePaths(fold(create, edit('src/a.ts')))
    expect(chances.get('src/b.ts')?.opened).toBeGreaterThan(chances.get('src/a.ts')?.opened ?? 1)
  })

  test('a hit of a search whose other hits are being worked on is likelier than one of a search that was left', () => {
    const chances = scorePaths(fold(search('src/a.ts', 'src/b.ts'), search('src/c.ts', 'src/d.ts'), edit('src/a.ts')))
    expect(chances.get('src/b.ts')?.opened).toBeGreaterThan(chances.get('src/d.ts')?.opened ?? 1)
  })

  test('a file whose name stands in the newest ask is likelier than another', () => {
    const ask = anEvent('prompt-submitted', { prompt: 'why does the grammar report every line twice?' })
    const chances = scorePaths(fold(search('src/token_grammar.ts', 'src/token_sync.ts'), ask))
    expect(chances.get('src/token_grammar.ts')?.opened).toBeGreaterThan(chances.get('src/token_sync.ts')?.opened ?? 1)
  })

  test('only the latest searches that came up with a file are kept', () => {
    const [entry] = fold(...Array.from({ length: 20 }, () => search('src/a.ts', 'src/b.ts'))).named
    expect(entry?.sightings.foundAt).toEqual([15, 16, 17, 18, 19, 20])
  })
})
