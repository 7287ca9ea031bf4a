import { expect, test } from 'vitest'
import { anEvent } from '../../../test/support/events.ts'
import type { StoredEvent } from '../../core/event.ts'
import { SessionId } from '../../core/id.ts'
import type { EventQuery } from '../../core/ports.ts'
import { lastEvents } from './sample-safety.ts'

function aLog(length: number) {
  const log = Array.from(
    { length },
    (_, index): StoredEvent => ({ seq: index + 1, hash: '', event: anEvent('turn-ended') }),
  )
  const listEvents = async ({ afterSeq = 0, limit }: EventQuery) =>
    log.filter(({ seq }) => seq > afterSeq).slice(0, limit)
  return { continuity: { listEvents }, session: { id: SessionId('claude-code/one'), lastEventSeq: length } }
}

test.each([0, 1, 499, 500, 501, 1_000, 3_700, 9_000])('of %i events the newest are looked at', async (length) => {
  const { continuity, session } = aLog(length)
  const seqs = (await lastEvents(continuity, session)).map(({ seq }) => seq)
  const first = Math.max(1, length - 499)
  expect(seqs).toEqual(Array.from({ length: Math.min(length, 500) }, (_, index) => first + index))
})
