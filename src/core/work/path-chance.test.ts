import { describe, expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { SessionEvent, ToolCall, ToolOutcome } from '../event.ts'
import { foldEvent } from './fold.ts'
import { pathChances, pathFeatures } from './path-chance.ts'
import { emptyWork, type WorkState } from './state.ts'

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
  return [...pathChances(state)].toSorted(([, a], [, b]) => b.opened - a.opened).map(([path]) => path)
}

describe('the chances of a file', () => {
  test('what was edited lately is likelier than what was read, that than what only came up', () => {
    const state = fold(search('src/c.ts', 'src/d.ts'), read('src/b.ts'), read('src/a.ts'), edit('src/a.ts'))
    expect(likeliest(state).slice(0, 2)).toEqual(['src/a.ts', 'src/b.ts'])
  })

  test('the counterpart of what was edited is likelier than another hit of the same search', () => {
    const [, next] = likeliest(fold(search('src/other.ts', 'test/a_test.ts'), edit('src/a.ts')))
    expect(next).toBe('test/a_test.ts')
  })

  test('what was touched long ago is less likely than when it was new', () => {
    const quiet = Array.from({ length: 60 }, () => tool({ kind: 'web', query: 'y' }))
    const now = pathChances(fold(edit('src/a.ts'))).get('src/a.ts')
    const later = pathChances(fold(edit('src/a.ts'), ...quiet)).get('src/a.ts')
    expect(now?.edited).toBeGreaterThan(later?.edited ?? 1)
  })

  test('are told from how a file came up, each way by itself, fading', () => {
    const state = fold(search('src/a.ts'), anEvent('prompt-submitted', { prompt: 'look at src/a.ts' }))
    expect(pathFeatures(state).map(({ path, features }) => [path, features['asked'], features['sightings']])).toEqual([
      ['src/a.ts', 1, Math.log2(3)],
    ])
    expect(pathFeatures(state)[0]?.features['found']).toBeLessThan(1)
  })
})
