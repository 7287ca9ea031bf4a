import { describe, expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { SessionEvent, ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { foldEvent, foldNote } from './fold.ts'
import { UNSEEN } from './fold-named.ts'
import { emptyWork, LIMITS, type WorkState } from './state.ts'

const worktree = '/repo'

function fold(...events: readonly SessionEvent[]): WorkState {
  return events.reduce((state, event) => foldEvent(state, event, { worktree }), emptyWork())
}

function tool(call: Partial<ToolCall>, outcome: Partial<ToolOutcome> = {}): SessionEvent {
  return anEvent('tool-finished', {
    tool: { name: 'Tool', kind: 'other', files: [], ...call },
    outcome: { ok: true, ...outcome },
  })
}

const search = (...paths: readonly string[]) => tool({ kind: 'search', query: 'x' }, { paths })
const read = (path: string) => tool({ kind: 'read', files: [{ path, action: 'read' }] })
const ask = (prompt: string) => anEvent('prompt-submitted', { prompt })
const pathsOf = (state: WorkState) => state.named.map((entry) => entry.path)

describe('files that were named and never touched', () => {
  test('a search points at each of its hits, the less the more there are', () => {
    expect(fold(search('src/a.ts'), search('/repo/src/b.ts', 'src/c.ts', 'src/d.ts', 'e.ts')).named).toEqual([
      { path: 'src/a.ts', sightings: { ...UNSEEN, found: 1, total: 1, order: 1, foundAt: [1] } },
      { path: 'src/b.ts', sightings: { ...UNSEEN, found: 0.5, total: 1, order: 2, foundAt: [2] } },
      { path: 'src/c.ts', sightings: { ...UNSEEN, found: 0.5, total: 1, order: 2, foundAt: [2] } },
      { path: 'src/d.ts', sightings: { ...UNSEEN, found: 0.5, total: 1, order: 2, foundAt: [2] } },
      { path: 'e.ts', sightings: { ...UNSEEN, found: 0.5, total: 1, order: 2, foundAt: [2] } },
    ])
  })

  test('a search points more at a file that it hit often', () => {
    const paths = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts']
    const state = fold(tool({ kind: 'search', query: 'x' }, { paths, hits: { 'src/c.ts': 7 } }))
    expect(state.named.map((entry) => [entry.path, entry.sightings.found])).toEqual([
      ['src/a.ts', 0.5],
      ['src/b.ts', 0.5],
      ['src/d.ts', 0.5],
      ['src/c.ts', 1.5],
    ])
  })

  test('a shell that searches points at them too, one that lists does not', () => {
    const grep = tool({ kind: 'shell', command: 'cd src && rg -n parse | head' }, { paths: ['src/a.ts'] })
    const status = tool({ kind: 'shell', command: 'git status --short' }, { paths: ['src/b.ts'] })
    expect(fold(grep, status).named.map((entry) => [entry.path, entry.sightings.found])).toEqual([
      ['src/a.ts', 1],
      ['src/b.ts', 0],
    ])
  })

  test('what a command printed is found where it ran', () => {
    const grep = (cwd: string) => tool({ kind: 'shell', command: 'rg -n parse', cwd }, { paths: ['src/a.ts'] })
    expect(pathsOf(fold(grep('web'), grep('/repo/api'), grep('/another')))).toEqual(['web/src/a.ts', 'api/src/a.ts'])
  })

  test('what the user names counts, what the agent says does not', () => {
    const asked = fold(anEvent('prompt-submitted', { prompt: 'look at src/a.ts please' }))
    expect(pathsOf(foldNote(asked, { kind: 'statement', text: 'I would write src/new.ts.' }))).toEqual(['src/a.ts'])
  })

  test('once opened a file is no longer merely named', () => {
    const state = fold(search('src/a.ts', 'src/b.ts'), read('/repo/src/a.ts'), search('src/a.ts'))
    expect([pathsOf(state), state.files.map((file) => [file.path, file.sightings.total])]).toEqual([
      ['src/b.ts'],
      [['src/a.ts', 3]],
    ])
  })

  test('a shorter name is the longer one that it fits, and says nothing when it fits two', () => {
    const state = fold(search('src/x/a.ts', 'src/x/b.ts', 'src/y/b.ts'), search('a.ts'), search('b.ts'))
    expect(state.named.map((entry) => [entry.path, entry.sightings.total])).toEqual([
      ['src/x/b.ts', 1],
      ['src/y/b.ts', 1],
      ['src/x/a.ts', 2],
    ])
  })

  test('what somebody named by its last part and then opened is one file, asked for', () => {
    const state = fold(
      ask('change parser.ts and core/lexer.ts'),
      read('/repo/src/core/parser.ts'),
      search('src/core/lexer.ts'),
    )
    expect(pathsOf(state)).toEqual(['src/core/lexer.ts'])
    const asked = [...state.files, ...state.named].map((entry) => [entry.path, Math.round(entry.sightings.asked)])
    expect(asked).toEqual([
      ['src/core/parser.ts', 1],
      ['src/core/lexer.ts', 1],
    ])
  })

  test('a name that could be another file too stays by itself, and so does a path that a tool printed', () => {
    expect(pathsOf(fold(ask('see b.ts'), search('x/b.ts', 'y/b.ts')))).toEqual(['b.ts', 'x/b.ts', 'y/b.ts'])
    expect(
      fold(ask('see b.ts'), search('x/b.ts', 'b.ts')).named.map((entry) => [entry.path, entry.sightings.asked > 0]),
    ).toEqual([
      ['x/b.ts', false],
      ['b.ts', true],
    ])
    expect(pathsOf(fold(search('README.md'), read('docs/README.md')))).toEqual(['README.md'])
  })

  test('a file of another checkout that a tool printed from there and that was then opened is one file', () => {
    const state = fold(search('lib/x.ts', 'README.md'), read('/other/repo/lib/x.ts'), read('/other/repo/README.md'))
    expect(pathsOf(state)).toEqual(['README.md'])
  })

  test('what a project has at its top is not what one of its parts has', () => {
    const asked = ask('Update README.md, package.json and packages/a/README.md.')
    expect(pathsOf(fold(asked))).toEqual(['README.md', 'package.json', 'packages/a/README.md'])
    expect(pathsOf(fold(asked, read('packages/a/README.md'), read('packages/a/package.json')))).toEqual([
      'README.md',
      'package.json',
    ])
    expect(pathsOf(fold(read('docs/README.md'), ask('Update README.md')))).toEqual(['README.md'])
  })

  test('a file of another checkout is not one of this, where the session works', () => {
    const state = fold(search('lib/x.ts'), read('/repo/lib/y.ts'), read('/other/repo/lib/x.ts'))
    expect(pathsOf(state)).toEqual(['lib/x.ts'])
  })

  test('what was imported before its source was opened is that source', () => {
    expect(pathsOf(fold(search('lib/x.js', 'lib/y.js'), read('src/lib/x.ts')))).toEqual(['lib/y.js'])
  })

  test('a JavaScript file of which a TypeScript one is asked for is not that', () => {
    const asked = ask('Migrate src/x.js to src/x.ts.')
    expect(pathsOf(fold(asked))).toEqual(['src/x.js', 'src/x.ts'])
    expect(pathsOf(fold(asked, read('src/x.ts')))).toEqual(['src/x.js'])
  })

  test('a text that shortens a path it gave in full names one file', () => {
    expect(pathsOf(fold(ask('In src/a/x.ts: x.ts must not throw, nor a/x.ts.')))).toEqual(['src/a/x.ts'])
  })

  test('what lies elsewhere or was made by others is left out', () => {
    expect(pathsOf(fold(search('/tmp/a.ts', '~/b.ts', 'node_modules/x/c.ts', 'web/dist/d.js', 'src/e.ts')))).toEqual([
      'src/e.ts',
    ])
  })

  test('of too many the newest stay, and the counterparts of what was touched', () => {
    const many = Array.from({ length: 400 }, (_, index) => search(`src/m${index}.ts`))
    const paths = pathsOf(fold(read('src/parser.ts'), search('test/parser_test.ts'), ...many))
    expect(paths.length).toBeLessThanOrEqual(LIMITS.named * 1.25)
    expect([paths.includes('test/parser_test.ts'), paths.includes('src/m399.ts'), paths.includes('src/m0.ts')]).toEqual(
      [true, true, false],
    )
  })

  test('a file that the user names is distinguished from one that an output names', () => {
    const state = fold(read('src/a.ts'), read('src/b.ts'), anEvent('prompt-submitted', { prompt: 'fix src/a.ts' }))
    expect(state.files.map((file) => [file.path, file.sightings.asked, file.sightings.listed])).toEqual([
      ['src/a.ts', 1, 0],
      ['src/b.ts', 0, 0],
    ])
  })
})
