import { expect, test } from 'vitest'
import { view } from '../../../test/support/checked-disk.ts'
import { rankStatements } from './rank-requests.ts'
import { toUncheckedView } from '../revalidate/revalidate.ts'

test('a decision that was turned round, and back again, says which one is the earlier', () => {
  const decided = (decision: string, lastOrder: number) => ({ decision, evidence: 'observed' as const, lastOrder })
  const decisions = [
    decided('Use tabs everywhere', 1),
    decided('Drop blank lines, no empty tokens in the lexer output', 2),
    decided('Keep blank lines as empty tokens in the lexer output', 3),
  ]
  const items = rankStatements(toUncheckedView(view({ decisions })), 2_000)
  expect(items.filter(({ section }) => section === 'decisions').map(({ text }) => text)).toEqual([
    'Keep blank lines as empty tokens in the lexer output',
    'Drop blank lines, no empty tokens in the lexer output (earlier)',
    'Use tabs everywhere',
  ])
})
