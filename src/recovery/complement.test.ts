import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aCheckpointOf } from '../../test/support/checkpoints.ts'
import type { Checkpoint, WorkSummary } from '../kernel/checkpoint.ts'
import type { Verdict } from '../kernel/injection.ts'
import { composeRecovery } from './compose.ts'
import { createIsInSummary } from './in-summary.ts'
import { mergeCheckpoints } from './merge/merge-checkpoints.ts'
import type { Item } from './items/item.ts'
import { toUncheckedView } from './revalidate/revalidate.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const SUMMARY = `The user wants to split the parser into a lexer and a grammar. I changed src/lexer.ts and
ran \`npm test\`, which fails in "keeps line numbers". Pending: make the line numbers survive the split.`

describe('what a summary holds', () => {
  const isHeld = createIsInSummary(SUMMARY)
  test.each<[string, { section: Item['section']; verdict?: Verdict }, boolean]>([
    ['"Split the parser into a lexer and a grammar."', { section: 'request' }, true],
    ['src/lexer.ts', { section: 'files' }, true],
    ['src/lexer.ts', { section: 'files', verdict: 'holds' }, true],
    ['`npm test`', { section: 'checks' }, true],
    ['Make the line numbers survive', { section: 'next' }, true],
    ['src/lexer.ts', { section: 'files', verdict: 'changed' }, false],
    ['src/lexer.ts', { section: 'files', verdict: 'gone' }, false],
    ['lexer.ts', { section: 'files' }, false],
    ['src/printer.ts', { section: 'files' }, false],
    ['No parser generator because errors must name lines', { section: 'decisions' }, false],
    ['Split the parser into a lexer and a grammar.', { section: 'contradicted' }, false],
  ])('%s %o: %s', (text, one, expected) => {
    expect(isHeld(text, one)).toBe(expected)
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
    composeRecovery(toUncheckedView(mergeCheckpoints([aCheckpointOf(work, overrides)])), {
      budgetChars: 2_000,
      sha256,
      ...(summary === undefined ? {} : { summary }),
    })

  test('says what the summary lacks, and the ledger says what was left to it', () => {
    const { text, reasons } = render(SUMMARY)
    expect(text.split('\n').slice(3, -1)).toEqual(['| Decided: No parser generator', '| Files: changed src/printer.ts'])
    expect(reasons.at(-1)).toEqual({ line: '', origin: 'summary', reason: "3 left to the harness's own summary" })
  })

  test('control: without one it says all of it', () => {
    expect(render().text.split('\n').slice(3, -1)).toEqual([
      '| User: "Split the parser into a lexer and a grammar."',
      "| Agent's last words: Make the line numbers survive the split.",
      '| Decided: No parser generator',
      '| Files, not committed by the agent, no check seen: changed src/lexer.ts, src/printer.ts',
    ])
  })

  test('where the summary holds the newest words, the ones before are the last that are said', () => {
    const statements = [
      'The printer in src/printer.ts has snapshot tests of its own now.',
      'Make the line numbers survive the split.',
    ].map((text, at) => ({ text, lastOrder: at + 8 }))
    const checked = toUncheckedView(mergeCheckpoints([aCheckpointOf({ ...work, statements })]))
    const { text } = composeRecovery(checked, { budgetChars: 2_000, sha256, summary: SUMMARY })
    expect(text).toContain("| Agent's last words: The printer in src/printer.ts has snapshot tests of its own now.\n")
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
