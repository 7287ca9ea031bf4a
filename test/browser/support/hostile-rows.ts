import type { SessionEvent } from '../../../src/kernel/event.ts'
import { EventId, SessionKey, toSessionId } from '../../../src/kernel/id.ts'
import { aCheckpoint, aMemory, CADENCE } from '../../contracts/store-examples.ts'
import { openSeedApp } from './seed-app.ts'

export const PLANTED_KEY = 'planted'

const MEGABYTE = 1_000_000

/** One session whose every text is `text`, one of them a megabyte long; stored without redaction. The daemon must not run. */
export async function plantHostileRows(home: string, folder: string, text: string): Promise<void> {
  const { app, store, clock } = await openSeedApp(home, Date.now() - 3_600_000)
  const place = await app.continuity.locate(folder)
  const strange = { ...place, project: 'planted', branch: text }
  const base = () => {
    clock.advance(1_000)
    return {
      id: EventId(`planted-${clock.now()}`),
      harness: 'claude-code',
      harnessVersion: text,
      sessionKey: SessionKey(PLANTED_KEY),
      at: clock.now(),
      door: 'hook',
      cwd: folder,
    } as const
  }
  const tool = {
    name: text,
    kind: 'shell',
    command: text,
    description: text,
    query: text,
    files: [{ path: text, action: 'edited' }],
  } as const
  const events: readonly SessionEvent[] = [
    { ...base(), kind: 'session-started', source: 'startup', model: text },
    { ...base(), kind: 'prompt-submitted', prompt: text.repeat(MEGABYTE / text.length) },
    { ...base(), kind: 'tool-finished', tool, outcome: { ok: false, output: text } },
    { ...base(), kind: 'decision-made', decision: text, rationale: text },
    { ...base(), kind: 'compaction-finished', summary: text },
    { ...base(), kind: 'turn-ended', lastMessage: text },
    { ...base(), kind: 'session-ended', reason: 'exit' },
  ]
  await store.append(
    events.map((event) => ({ event, location: strange })),
    CADENCE,
  )
  const checkpoint = {
    place: strange,
    sessionKey: SessionKey(PLANTED_KEY),
    sessionId: toSessionId('claude-code', SessionKey(PLANTED_KEY)),
  }
  await store.saveCheckpoint(
    aCheckpoint('planted', {
      ...checkpoint,
      summary: text,
      digest: text,
      nextAction: text,
      name: 'planted',
      createdAt: clock.now(),
      eventSeq: events.length,
    }),
  )
  await store.saveMemory(
    aMemory(text, { projectId: place.projectId, tags: [text], source: text, createdAt: clock.now() }),
  )
  await app.close()
}
