import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aCheckpointOf } from '../../test/support/checkpoints.ts'
import type { Checkpoint, WorkSummary } from '../kernel/checkpoint.ts'
import type { Verdict } from '../kernel/injection.ts'
import { createIsInSummary, renderRecovery } from './render.ts'
import { mergeCheckpoints } from './merge/merge-checkpoints.ts'
import type { Item } from './items/item.ts'
import { toUncheckedView } from './revalidate/revalidate.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const SUMMARY = `The user wants to split the parser into a lexer and a grammar. I changed src/lexer.ts and
ran \`npm test\`, which fails in "keeps line numbers". Pending: make the line numbers survive the split.`

function item(section: Item['section'], text: string, verdict?: Verdict): Item {
  return {
    section,
    subject: { kind: 'contradiction' },
    text,
    value: 1,
    origin: section,
    reason: '',
    ...(verdict === undefined ? {} : { verdict }),
  }
}

describe('what a summary holds', () => {
  const isHeld = createIsInSummary(SUMMARY)
  test.each([
    [item('goal', '"Split the parser into a lexer and a grammar."'), true],
    [item('edited', 'src/lexer.ts'), true],
    [item('edited', 'src/lexer.ts', 'holds'), true],
    [item('commands', '`npm test`'), true],
    [item('todos', 'Make the line numbers survive'), true],
    [item('edited', 'src/lexer.ts', 'changed'), false],
    [item('edited', 'src/lexer.ts', 'gone'), false],
    [item('edited', 'lexer.ts'), false],
    [item('edited', 'src/printer.ts'), false],
    [item('identifiers', 'lexe'), false],
    [item('decisions', 'No parser generator because errors must name lines'), false],
    [item('errors', 'TypeError: tokens is not iterable'), false],
    [item('written', 'Split the parser into a lexer and a grammar.'), false],
    [item('contradicted', 'Split the parser into a lexer and a grammar.'), false],
  ])('%o: %s', (one, expected) => {
    expect(isHeld(one)).toBe(expected)
  })
})

describe('the block beside a summary', () => {
  const work: Partial<WorkSummary> = {
    asks: [{ text: 'Split the parser into a lexer and a grammar.', at: '', order: 1 }],
    files: [
      { path: 'src/lexer.ts', action: 'edited', reads: 0, edits: 3, lastOrder: 9 },
      { path: 'src/printer.ts', action: 'edited', reads: 0, edits: 3, lastOrder: 9 },
    ],
    decisions: [{ decision: 'No parser generator', evidence: 'observed', lastOrder: 3 }],
    statements: [{ text: 'Make the line numbers survive the split.', lastOrder: 9 }],
    lastOrder: 10,
  }
  const render = (summary?: string, overrides: Partial<Checkpoint> = {}) =>
    renderRecovery(toUncheckedView(mergeCheckpoints([aCheckpointOf(work, overrides)])), {
      budgetChars: 2_000,
      sha256,
      ...(summary === undefined ? {} : { summary }),
    })

  test('says what the summary lacks, and the ledger says what was left to it', () => {
    const { text, reasons } = render(SUMMARY)
    expect(text.split('\n').slice(3, -1)).toEqual(['| Edited: src/printer.ts', '| Decided: No parser generator'])
    expect(reasons.at(-1)).toEqual({ line: '', origin: 'summary', reason: "2 left to the harness's own summary" })
  })

  test('control: without one it says all of it', () => {
    expect(render().text.split('\n').slice(3, -1)).toEqual([
      '| Asked: "Split the parser into a lexer and a grammar."',
      '| Edited: src/lexer.ts, src/printer.ts',
      '| Decided: No parser generator',
      '| Last said: "Make the line numbers survive the split."',
    ])
  })

  test('where the summary holds the newest words, the ones before are the last that are said', () => {
    const statements = ['The printer has its own tests now.', 'Make the line numbers survive the split.'].map(
      (text, at) => ({ text, lastOrder: at + 8 }),
    )
    const checked = toUncheckedView(mergeCheckpoints([aCheckpointOf({ ...work, statements })]))
    const { text } = renderRecovery(checked, { budgetChars: 2_000, sha256, summary: SUMMARY })
    expect(text).toContain('| Last said: "The printer has its own tests now."\n')
  })

  test('what was written for the next session comes back whatever the summary says', () => {
    const written = { summary: 'Split the parser into a lexer and a grammar.', decisions: [], blockers: [], order: 10 }
    expect(render(SUMMARY, { written }).text).toContain('Noted by the agent: Split the parser')
  })

  test('a summary that holds everything leaves nothing to say', () => {
    const all = `${SUMMARY} Also src/printer.ts. Decided: No parser generator.`
    expect(render(all).text).toBe('')
  })
})
