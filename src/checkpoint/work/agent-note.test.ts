import { expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import { LIMITS } from './state.ts'
import { toAgentNote } from './fold-digest.ts'

function written(summary: string, field: string) {
  const event = anEvent('digest-written', {
    summary,
    nextAction: field,
    decisions: [{ decision: field }],
    blockers: [field],
  })
  if (event.kind !== 'digest-written') throw new TypeError('not a digest')
  return toAgentNote(event, 1)
}

test('a note of four long fields, a decision and a next action of four kilobytes each are kept whole', () => {
  const long = 'blank  line '.repeat(342).slice(0, 4_096)
  const note = [long, long, long].join('\n')
  expect(written(note, long)).toEqual({
    summary: note,
    nextAction: long,
    decisions: [{ decision: long }],
    blockers: [long],
    order: 1,
  })
})

test('what is longer than is kept says so by its end', () => {
  const { summary, nextAction, decisions } = written('s'.repeat(99_999), 'f'.repeat(99_999))
  expect(summary).toBe(`${'s'.repeat(LIMITS.writtenChars - 1)}…`)
  const cut = `${'f'.repeat(LIMITS.writtenFieldChars - 1)}…`
  expect([nextAction, decisions]).toEqual([cut, [{ decision: cut }]])
})
