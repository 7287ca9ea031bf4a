import { expect, test } from 'vitest'
import { anEvent } from '../../test/support/events.ts'
import type { ToolCall } from '../kernel/event.ts'
import { foldEvent } from './work/fold.ts'
import { mapNamesToFiles, toSummary } from './summary.ts'
import { emptyWork, LIMITS, type WorkState } from './work/state.ts'

test('a name belongs to the file where it was last changed, else where it was last read', () => {
  const files = mapNamesToFiles([
    { order: 1, kind: 'acted', path: 'src/old.ts', names: ['passRate', 'openPort'] },
    { order: 2, kind: 'acted', path: 'src/rate.ts', names: ['passRate', 'totalRuns'] },
    { order: 3, kind: 'shown', path: 'src/all.ts', names: ['passRate', 'readFile'] },
    { order: 4, kind: 'shown', path: 'src/files.ts', names: ['readFile', 'writeFile'] },
    { order: 5, kind: 'said', names: ['totalRuns', 'askedFor'] },
    { order: 6, kind: 'acted', names: ['readFile', 'ran_in_shell'] },
  ])
  expect(Object.fromEntries(files)).toEqual({
    openPort: 'src/old.ts',
    passRate: 'src/rate.ts',
    readFile: 'src/files.ts',
    totalRuns: 'src/rate.ts',
    writeFile: 'src/files.ts',
  })
  expect(mapNamesToFiles()).toEqual(new Map())
})

function folded(...tools: readonly (Partial<ToolCall> & { readonly output?: string; readonly ok?: boolean })[]) {
  return tools.reduce<WorkState>((state, { output, ok = true, ...tool }) => {
    const event = anEvent('tool-finished', {
      tool: { name: 'Tool', kind: 'edit', files: [], ...tool },
      outcome: { ok, ...(output === undefined ? {} : { output }) },
    })
    return foldEvent(state, event, { worktree: '/repo' })
  }, emptyWork())
}

/** In order of the alphabet: which weighs more is a matter of the fit. */
function namesByFile(state: WorkState) {
  return Object.fromEntries(toSummary(state).files.map(({ path, names }) => [path, names?.toSorted()]))
}

const edited = (path: string) => [{ path, action: 'edited' }] as const
const read = (path: string) => [{ path, action: 'read' }] as const

test('a checkpoint keeps the names of an edit and of a reading with their file', () => {
  const state = folded(
    { files: edited('/repo/src/rate.ts'), fragment: 'passRate(totalRuns)' },
    { kind: 'read', files: read('/repo/src/files.ts'), output: 'readFile(writeFile)' },
  )
  expect(namesByFile(state)).toEqual({
    'src/files.ts': ['readFile', 'writeFile'],
    'src/rate.ts': ['passRate', 'totalRuns'],
  })
})

test('what a search walked through, what failed and what touched several files gives no name a file', () => {
  const state = folded(
    { kind: 'search', files: read('/repo/src'), query: 'passRate', output: 'passRate totalRuns' },
    { files: edited('/repo/src/rate.ts'), fragment: 'openPort closePort', ok: false, output: 'not read yet' },
    { files: [...edited('/repo/a.ts'), ...edited('/repo/b.ts')], fragment: 'readFile writeFile' },
  )
  expect(namesByFile(state)).toEqual({ 'src/rate.ts': undefined, 'a.ts': undefined, 'b.ts': undefined })
})

test('a shell that prints one file tells its names; one that prints more than that does not', () => {
  const commands = [
    "sed -n '1,80p' src/rate.ts",
    'cd packages/a && nl -ba src/rate.ts | head -80',
    'cat src/rate.ts; env',
    'npm run list && cat src/rate.ts',
    'rg passRate src/rate.ts',
    'cd packages && cat src/rate.ts && env',
  ]
  const found = commands.map((command) =>
    folded({ kind: 'shell', files: read('/repo/src/rate.ts'), command, output: 'passRate totalRuns' }),
  )
  expect(found.map((state) => namesByFile(state)['src/rate.ts']?.length)).toEqual([2, 2, ...Array(4).fill(undefined)])
})

test('of a file with very many names the likeliest are kept', () => {
  const names = Array.from({ length: 30 }, (_, at) => `someName${at}`)
  const state = folded({ files: edited('/repo/src/rate.ts'), fragment: names.join(' ') })
  expect(namesByFile(state)['src/rate.ts']).toHaveLength(20)
})

test('names that somebody sends without measure are bounded', () => {
  const names = ['x'.repeat(1_000_000), ...Array.from({ length: 5_000 }, (_, at) => `someName${at}`)]
  const { identifiers } = folded({ files: edited('/repo/src/rate.ts'), names })
  expect([identifiers.length, identifiers[0]?.name]).toEqual([LIMITS.namesAtOnce, 'someName0'])
})
