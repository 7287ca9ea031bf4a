import { describe, expect, test } from 'vitest'
import type { EditRecord } from '../../kernel/checkpoint.ts'
import { EMPTY_WORK } from '../../kernel/checkpoint.ts'
import { editItems } from './edits.ts'
import { renderSection } from '../items/render-items.ts'

const say = (text: string, order: number) => ({ speaker: 'agent', kind: 'message', text, order }) as const
const edit = (path: string, order: number, defined?: readonly string[]): EditRecord => ({
  path,
  action: defined === undefined ? 'edited' : 'created',
  order,
  ...(defined === undefined ? {} : { defined }),
})

const fileOf = (path: string, order: number) => ({
  path,
  action: 'edited' as const,
  reads: 0,
  edits: 1,
  lastOrder: order,
  lastEditOrder: order,
})

function render(dialogue: readonly ReturnType<typeof say>[], edits: readonly EditRecord[], after = 0): string {
  const files = edits.map(({ path, order }) => fileOf(path, order))
  const items = editItems({ ...EMPTY_WORK, dialogue, edits, files, lastOrder: 99 }, { after, until: 99 })
  return items.length === 0 ? '' : (renderSection('edits', items)[0] ?? '')
}

describe('edits since the request, in the words that announced them', () => {
  test('the opener is left out, the words are quoted, and a file is named once', () => {
    expect(
      render(
        [say('Now let me update the third caller in committed.go:', 1), say("I'll rename WriteAll to writeAll.", 3)],
        [edit('src/committed.go', 2), edit('src/committed.go', 4)],
      ),
    ).toBe('Edits made: committed.go: "update the third caller in committed.go"; "rename WriteAll to writeAll"')
  })

  test('an edit without an announcement is not listed; a new file by what it defines', () => {
    expect(
      render([say('Good. The tests pass.', 1)], [edit('src/a.ts', 2), edit('src/parse.ts', 3, ['parseLine', 'Token'])]),
    ).toBe('Edits made: parse.ts (parseLine, Token)')
    expect(render([say('Good. The tests pass.', 1)], [edit('src/a.ts', 2)])).toBe('')
  })

  test.each([
    'Let me look at the failing test first.',
    'Let me update it.',
    'Now let me update the tests.',
    'I need to: 1. Add a flag to enable. 2. Add it to disable. Let me also add the flag to the disable command.',
    'Let me add the import and filter the files. First, let me update the imports.',
  ])('words that say nothing of this edit are not quoted: %s', (words) => {
    expect(render([say(words, 1)], [edit('src/a.ts', 2)])).toBe('')
  })

  test.each([
    '3 tests fail in store_test.go because the lock is missing',
    'Port 3000 is in use by another process of the user',
    'Fix 3 is not needed because the store has a lock.',
    'Step 2 is skipped, the old table stays',
    'Merge conflict in src/a.ts remains',
    'Switch statement misses a case of the parser',
  ])('what states something is not taken for an announcement: %s', (words) => {
    expect(render([say(words, 1)], [edit('src/a.ts', 2)])).toBe('')
  })

  test('words before something that the user said are not about the edit after it', () => {
    const dialogue = [
      say('Let me rename WriteAll to writeAll.', 1),
      { speaker: 'user', kind: 'request', text: 'no, fix the tests', order: 2 } as const,
    ]
    const work = {
      ...EMPTY_WORK,
      dialogue,
      edits: [edit('src/store.test.ts', 3)],
      files: [fileOf('src/store.test.ts', 3)],
    }
    expect(editItems(work, { after: 0, until: 9 })).toEqual([])
  })

  test('files of the same name are named by their folders too', () => {
    expect(
      render(
        [say('Let me rename parseRows to readRows.', 1), say('Let me extract the lock of the printer.', 3)],
        [edit('src/parser/index.ts', 2), edit('src/printer/index.ts', 4)],
      ),
    ).toBe(
      'Edits made: parser/index.ts: "rename parseRows to readRows"; printer/index.ts: "extract the lock of the printer"',
    )
  })

  test('edits before the request and files that were deleted since are left out', () => {
    const said = [say('Now let me extract the token reader.', 1)]
    expect(render(said, [edit('src/a.ts', 2)], 3)).toBe('')
    const work = { ...EMPTY_WORK, dialogue: said, edits: [edit('src/a.ts', 2)] }
    const names = (files: readonly ReturnType<typeof fileOf>[]) => editItems({ ...work, files }, { after: 0, until: 9 })
    expect(names([fileOf('src/a.ts', 2)])).toHaveLength(1)
    expect(names([])).toEqual([])
    expect(
      editItems({ ...work, files: [{ ...fileOf('src/a.ts', 2), action: 'deleted' }] }, { after: 0, until: 9 }),
    ).toEqual([])
  })
})
