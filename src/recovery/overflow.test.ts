import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../test/support/any-text.ts'
import { aCheckpointOf } from '../../test/support/checkpoints.ts'
import type { WorkSummary } from '../kernel/checkpoint.ts'
import { mergeCheckpoints } from './merge/merge-checkpoints.ts'
import { renderPointer } from './recovery-inputs.ts'
import { toUncheckedView } from './revalidate/revalidate.ts'
import { composeRecovery } from './compose.ts'
import { renderOverflow } from './render-overflow.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const redact = (text: string) => text

const work: Partial<WorkSummary> = {
  asks: [
    { text: 'Split the parser into a lexer and a grammar.', at: '', order: 1 },
    { text: 'Use tabs in the new files, please, everywhere.', at: '', order: 4 },
    { text: 'Keep the old entry point working, please.', at: '', order: 8 },
  ],
  files: Array.from({ length: 50 }, (_, index) => ({
    path: `src/grammar/rules/rule-number-${index}.ts`,
    action: 'edited' as const,
    reads: 0,
    edits: 1,
    lastOrder: index,
  })),
  decisions: Array.from({ length: 8 }, (_, index) => ({
    decision: `Decision number ${index}`,
    rationale: 'it was so',
    alternatives: ['otherwise'],
    evidence: 'observed' as const,
    lastOrder: index,
  })),
  errors: [{ text: 'TypeError: old', signature: 'x', count: 2, resolution: 'import it', lastOrder: 2 }],
  statements: [{ text: 'The lexer is in place; one test is left.', lastOrder: 9 }],
  lastOrder: 50,
}

function layers(given: Partial<WorkSummary>, restChars: number, blockChars = 2_000) {
  const checked = toUncheckedView(mergeCheckpoints([aCheckpointOf(given)]))
  const block = composeRecovery(checked, { budgetChars: blockChars, sha256 })
  const shown = block.reasons.map(({ line }) => line)
  return { block: block.text, rest: renderOverflow(checked, { budgetChars: restChars, sha256, redact, shown }) }
}

describe('the rest', () => {
  test('tells a plan until the user asks for something else', () => {
    const rest = (lastOrder: number) =>
      layers({ ...work, plan: { text: 'Faster parser', lastOrder } }, 20_000, 10).rest.text
    expect(rest(9)).toContain('Plan: Faster parser')
    expect(rest(3)).not.toContain('Faster parser')
  })

  test('is what the block left out or cut short, and nothing that it said', () => {
    const { block, rest } = layers(work, 20_000)
    expect(rest.leftCount).toBe(0)
    expect(rest.text).not.toContain('Keep the old entry point working')
    expect(rest.text).toContain('Decided: Decision number 0 because it was so (instead of: otherwise)')
    expect(rest.text).toContain('Error: TypeError: old ×2, solved: import it')
    const names = (text: string) => new Set(text.match(/rule-number-\d+\.ts/g) ?? [])
    const [told, left] = [names(block), names(rest.text)]
    expect([told.size + left.size, [...left].filter((path) => told.has(path))]).toEqual([50, []])
  })

  test('has the first lines of a note that is longer than the budget, and counts the note as left', () => {
    const steps = Array.from({ length: 60 }, (_, index) => `Step ${index} of the migration is described here.`)
    const written = { summary: steps.join('\n'), decisions: [], blockers: [], order: 60 }
    const checked = toUncheckedView(mergeCheckpoints([aCheckpointOf(work, { written })]))
    const { text, leftCount } = renderOverflow(checked, { budgetChars: 1_500, sha256, redact, shown: [] })
    expect(text).toContain('Step 0 of the migration')
    expect(text).not.toContain('Step 59 of the migration')
    expect(text.length).toBeLessThanOrEqual(1_500)
    expect(leftCount).toBeGreaterThan(0)
  })

  test('has failing runs with their tests, without those that succeeded since', () => {
    const result = (name: string, lastOrder: number, status: 'passing' | 'failing' = 'failing', command = name) => ({
      name,
      status,
      command,
      lastOrder,
    })
    const runs = [1, 2, 3].flatMap((order) => [
      result('4 passed, 1 failed', order, 'failing', `npx vitest run mod${order}`),
      result(`adds ${order}`, order, 'failing', `npx vitest run mod${order}`),
    ])
    const tests = [result('make check', 4), ...runs, result('make check', 5, 'passing')]
    const commands = [1, 2, 3].map((order) => ({
      command: `npx vitest run mod${order}`,
      purpose: 'test' as const,
      ok: false,
      runs: 1,
      failures: 1,
      lastOrder: order,
    }))
    const errors = [{ text: 'Error: no', signature: 'x', count: 3, lastOrder: 3 }]
    const { block, rest } = layers({ tests, commands, errors, lastOrder: 5 }, 20_000)
    expect(block).toContain('`npx vitest run mod3` failed: 4 passed, 1 failed; `npx vitest run mod2` failed')
    const told = rest.text.split('\n').filter((line) => /^\| (?:Failing|Error)/.test(line))
    expect(told).toEqual([
      '| Failing: `npx vitest run mod3` (4 passed, 1 failed, adds 3)',
      '| Failing: `npx vitest run mod2` (4 passed, 1 failed, adds 2)',
      '| Failing: `npx vitest run mod1` (4 passed, 1 failed, adds 1)',
      '| Error: Error: no ×3',
    ])
  })

  test('keeps to the budget of its reader and counts what did not fit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 4_000 }), anyText({ maxLength: 80 }), (budget, said) => {
        const asks = [...(work.asks ?? []), { text: said, at: '', order: 3 }]
        const { rest } = layers({ ...work, asks }, budget)
        expect(rest.text.length).toBeLessThanOrEqual(budget)
        if (budget < 1_000) expect(rest.leftCount).toBeGreaterThan(0)
        if (rest.text === '') return
        const nonce = /^\[holdfast ([0-9a-f]{8})/m.exec(rest.text)?.[1] ?? 'none'
        expect([rest.text.split(nonce).length - 1, rest.text.endsWith(`[/holdfast ${nonce}]`)]).toEqual([2, true])
      }),
      { numRuns: 60 },
    )
  })

  test('rendered pieces and the count of the rest make up the whole', () => {
    const sentences = { decisions: work.decisions ?? [], lastOrder: 50 }
    const told = (budget: number) => {
      const { text, leftCount } = layers(sentences, budget, 250).rest
      return { lines: text.split('\n').filter((line) => line.startsWith('| Decided: ')).length, leftCount }
    }
    const { lines: all } = told(20_000)
    expect(all).toBeGreaterThan(5)
    for (const budget of [250, 400, 550, 700]) {
      const { lines, leftCount } = told(budget)
      expect([lines < all, lines + leftCount]).toEqual([true, all])
    }
  })

  test('is empty when the block said everything', () => {
    const small = { asks: work.asks?.slice(0, 1) ?? [], lastOrder: 2 }
    expect(layers(small, 4_000).rest).toEqual({ text: '', leftCount: 0 })
  })

  test('has what was written, byte for byte, where the block had no room for it', () => {
    const summary = `odd  spaces\n${'and more '.repeat(300)}`
    const checked = toUncheckedView(
      mergeCheckpoints([aCheckpointOf({}, { written: { summary, decisions: [], blockers: [], order: 1 } })]),
    )
    const { reasons } = composeRecovery(checked, { budgetChars: 2_000, sha256 })
    const shown = reasons.map(({ line }) => line)
    expect(renderOverflow(checked, { budgetChars: 8_000, sha256, redact, shown }).text).toContain('|   odd  spaces\n')
  })
})

test('the pointer is short and names the session', () => {
  expect(renderPointer('0b8f4a52-1c1d-4e7e-9a55-0d7f6f1c2b3a')).toBe(
    'More: MCP tool checkpoint_resume, session_id "0b8f4a52-1c1d-4e7e-9a55-0d7f6f1c2b3a"',
  )
  fc.assert(fc.property(fc.string(), (key) => renderPointer(key).length <= 90))
})
