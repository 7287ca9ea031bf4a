import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aCheckpointOf } from '../../test/support/checkpoints.ts'
import type { WorkSummary } from '../kernel/checkpoint.ts'
import { mergeCheckpoints } from './merge/merge-checkpoints.ts'
import { type CheckedView, toUncheckedView } from './revalidate/revalidate.ts'
import { renderRecovery } from './render.ts'
import { WEIGHTS } from '../checkpoint/work/weights.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function render(work: Partial<WorkSummary>, checks: Partial<CheckedView> = {}) {
  const checked = { ...toUncheckedView(mergeCheckpoints([aCheckpointOf(work)])), ...checks }
  return renderRecovery(checked, { budgetChars: 2_000, sha256 })
}

test('what counts most comes first in its line, however long it is', () => {
  const todos = [
    { text: 'Short one', status: 'pending' },
    { text: 'A longer one that is being done right now, with all that belongs to it', status: 'in_progress' },
  ] satisfies WorkSummary['todos']
  const files = [
    { path: 'a.ts', action: 'edited', reads: 0, edits: 1, lastOrder: 9, chance: { opened: 0.4, edited: 0.3 } },
    {
      ...{ path: 'src/of/the/whole/work.ts', action: 'edited', reads: 0, edits: 1, lastOrder: 1 },
      chance: { opened: 0.5, edited: 0.4 },
    },
  ] satisfies WorkSummary['files']
  const { text } = render({ todos, files })
  expect(text.split('\n').filter((line) => /^\| (?:Todos|Edited)/.test(line))).toEqual([
    '| Todos: (in progress) A longer one that is being done right now, with all that belongs to it; Short one',
    '| Edited: src/of/the/whole/work.ts, a.ts',
  ])
})

describe('names in the code', () => {
  const identifiers = ['readToken', 'lineNumber', 'helpText'].map((name, at) => ({ name, weight: 0.9 - at / 10 }))
  const [lexer, parser] = [
    { path: 'src/lexer.ts', action: 'created', reads: 0, edits: 3, lastOrder: 9 },
    { path: 'src/parser.ts', action: 'read', reads: 2, edits: 0, lastOrder: 8 },
  ] as const
  const linesOf = (text: string) => text.split('\n').filter((line) => /^\| (?:Edited|Read|Names)/.test(line))

  test('stand behind the file that they were worked on in, the others by themselves', () => {
    const files = [
      { ...lexer, names: ['readToken', 'lineNumber'] },
      { ...parser, names: ['forgottenName'] },
    ]
    const { text, reasons } = render({ files, identifiers })
    expect(linesOf(text)).toEqual([
      '| Edited: src/lexer.ts (readToken lineNumber)',
      '| Read: src/parser.ts',
      '| Names: helpText',
    ])
    expect(reasons.filter(({ section }) => section === 'identifiers').map(({ line }) => line)).toEqual([
      'readToken',
      'lineNumber',
      'helpText',
    ])
  })

  test('need no line of their own where each has its file, and are still accounted for', () => {
    const files = [
      { ...lexer, names: ['readToken', 'helpText'] },
      { ...parser, names: ['lineNumber'] },
    ]
    const { text, reasons } = render({ files, identifiers })
    expect(linesOf(text)).toEqual(['| Edited: src/lexer.ts (readToken helpText)', '| Read: src/parser.ts (lineNumber)'])
    expect(reasons.filter(({ origin }) => origin === 'identifiers')).toHaveLength(3)
  })

  test('stand behind the mark of a file, and behind where it went', () => {
    const files = [{ ...lexer, names: ['readToken'] }]
    const checks = {
      isChecked: true,
      files: new Map([['src/lexer.ts', 'gone' as const]]),
      moved: new Map([['src/lexer.ts', 'lib/lexer.ts']]),
    }
    const { text } = render({ files, identifiers: identifiers.slice(0, 1) }, checks)
    expect(linesOf(text)).toEqual(['| Edited: src/lexer.ts ✗ now lib/lexer.ts (readToken)'])
  })

  test('are not more behind one file than are read', () => {
    const many = Array.from({ length: 20 }, (_, at) => ({ name: `someName${at}`, weight: 0.5 }))
    const files = [{ ...lexer, names: many.map(({ name }) => name) }]
    const [edited = '', names = ''] = linesOf(render({ files, identifiers: many.slice(0, 12) }).text)
    expect(edited.match(/someName/g)).toHaveLength(WEIGHTS.name.mostBehindFile)
    expect(names.match(/someName/g)).toHaveLength(12 - WEIGHTS.name.mostBehindFile)
  })

  test('stand by themselves where their file is not told', () => {
    const far = { ...parser, lastOrder: 1, chance: { opened: 0.001, edited: 0 }, names: ['helpText'] }
    const near = { ...lexer, chance: { opened: 0.9, edited: 0.9 }, names: ['readToken'] }
    const { text } = render({ files: [far, near], identifiers })
    expect(linesOf(text)).toEqual(['| Edited: src/lexer.ts (readToken)', '| Names: lineNumber helpText'])
  })
})
