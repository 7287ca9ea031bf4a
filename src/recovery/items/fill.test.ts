import { expect, test } from 'vitest'
import { splitDialogue } from '../passages/passage.ts'
import { Draft } from './draft.ts'
import { fill } from './fill.ts'

test('ends when nothing fits, even where the second sentence stands before a list', () => {
  // The second sentence and the items of the second paragraph once had the same key, and the loop never ended.
  const text =
    'The store was read twice today. The problem is that parseRow() fails because the lock is missing.\n\n- row one is lost in the store\n- row two is lost in the store'
  const talks = splitDialogue([{ speaker: 'agent', kind: 'turn-final', text, order: 1 }])
  const pool = talks.flatMap(({ passages }) => passages)
  expect(pool).toHaveLength(4)
  const draft = new Draft(180)
  // A label that takes all of the room: nothing can be added.
  draft.label('earlier', 'x'.repeat(200))
  fill(draft, pool, Number.POSITIVE_INFINITY, () => 'earlier')
  expect(draft.items).toEqual([])
})
