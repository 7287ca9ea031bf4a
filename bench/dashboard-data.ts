import { createArchive } from '../src/find/archive.ts'
import { DEFAULT_CONFIG } from '../src/kernel/config.ts'
import type { SessionEvent } from '../src/kernel/event.ts'
import { EventId, MemoryId, ProjectId, SessionKey, toSessionId } from '../src/kernel/id.ts'
import type { AppendEntry, Store } from '../src/kernel/ports/ports.ts'
import { MEMORY_TYPES } from '../src/kernel/memory.ts'
import { openSeedApp } from '../test/browser/support/seed-app.ts'
import { aCheckpoint, aMemory, aPlace, CADENCE } from '../test/contracts/store-examples.ts'

export interface DataSize {
  readonly events: number
  readonly checkpoints: number
  readonly memories: number
  /** Of the session whose timeline is measured. */
  readonly longSession: number
}

export const LARGE: DataSize = { events: 100_000, checkpoints: 5_000, memories: 20_000, longSession: 10_000 }
export const LONG_SESSION = 'long-session'

const HARNESS = 'claude-code'
const EVENTS_PER_SESSION = 225
const BATCH = 250
const ARCHIVED_AT_ONCE = 10_000
const WORDS =
  'parser queue retry invoice cart coupon worker backoff token export search index order total price cache'.split(' ')

const pick = (number: number): string => WORDS[number % WORDS.length] ?? ''

function makeEvent(number: number, key: string, at: string, cwd: string): SessionEvent {
  const base = {
    id: EventId(`bench-${number}`),
    harness: HARNESS,
    sessionKey: SessionKey(key),
    at,
    door: 'hook',
    cwd,
  } as const
  const files = [{ path: `src/${pick(number >> 3)}/${pick(number)}.ts`, action: 'edited' as const }]
  if (number % 9 === 0)
    return {
      ...base,
      kind: 'prompt-submitted',
      prompt: `Change the ${pick(number)} of the ${pick(number >> 4)}, then run its tests.`,
    }
  if (number % 9 === 8)
    return { ...base, kind: 'turn-ended', lastMessage: `The ${pick(number)} is changed and tested.` }
  if (number % 500 === 499) return { ...base, kind: 'compaction-started', trigger: 'auto' }
  const tool =
    number % 3 === 0
      ? ({ name: 'Bash', kind: 'shell', files: [], command: `npm test -- ${pick(number)}` } as const)
      : ({ name: 'Edit', kind: 'edit', files } as const)
  return { ...base, kind: 'tool-finished', tool, outcome: { ok: number % 17 !== 0, durationMs: (number % 20) * 700 } }
}

async function fillEvents(store: Store, size: DataSize, place: ReturnType<typeof aPlace>): Promise<void> {
  const startMs = Date.now() - size.events * 20_000
  let entries: AppendEntry[] = []
  for (let number = 0; number < size.events; number += 1) {
    const isLong = number >= size.events - size.longSession
    const key = isLong ? LONG_SESSION : `bench-session-${Math.floor(number / EVENTS_PER_SESSION)}`
    const at = new Date(startMs + number * 20_000).toISOString()
    const isFirst = isLong ? number === size.events - size.longSession : number % EVENTS_PER_SESSION === 0
    const made = makeEvent(number, key, at, place.worktree)
    const { id, harness, sessionKey, door, cwd } = made
    const event: SessionEvent = isFirst
      ? {
          id,
          harness,
          sessionKey,
          at,
          door,
          ...(cwd !== undefined && { cwd }),
          kind: 'session-started',
          source: 'startup',
        }
      : made
    entries.push({ event, location: place })
    if (entries.length < BATCH && number < size.events - 1) continue
    await store.append(entries, CADENCE)
    entries = []
  }
}

async function fillCheckpoints(store: Store, size: DataSize, place: ReturnType<typeof aPlace>): Promise<void> {
  const each = Math.floor(size.events / size.checkpoints)
  for (let number = 0; number < size.checkpoints; number += 1) {
    const eventSeq = (number + 1) * each
    const isLong = eventSeq > size.events - size.longSession
    const key = SessionKey(isLong ? LONG_SESSION : `bench-session-${Math.floor((eventSeq - 1) / EVENTS_PER_SESSION)}`)
    await store.saveCheckpoint(
      aCheckpoint('bench', {
        place,
        eventSeq,
        sessionKey: key,
        sessionId: toSessionId(HARNESS, key),
        summary: `Change the ${pick(number)} of the ${pick(number >> 4)}`,
        createdAt: new Date(Date.now() - (size.checkpoints - number) * 400_000).toISOString(),
      }),
    )
  }
}

async function fillMemories(store: Store, size: DataSize, projectId: ProjectId): Promise<void> {
  for (let number = 0; number < size.memories; number += 1)
    await store.saveMemory(
      aMemory(`The ${pick(number)} of the ${pick(number >> 4)} is number ${number}; ${pick(number >> 8)} needs it.`, {
        id: MemoryId(`bench-memory-${String(number).padStart(5, '0')}`),
        projectId,
        type: MEMORY_TYPES[number % MEMORY_TYPES.length] ?? 'fact',
        createdAt: new Date(Date.now() - (size.memories - number) * 60_000).toISOString(),
      }),
    )
}

/** Written through the store, of a project at `folder`; the archive that the search reads is filled too. */
export async function fillLargeStore(home: string, folder: string, size: DataSize = LARGE): Promise<void> {
  const { app, store } = await openSeedApp(home, Date.now())
  const place = await app.continuity.locate(folder)
  await fillEvents(store, size, place)
  await fillCheckpoints(store, size, place)
  await fillMemories(store, size, place.projectId)
  const archive = createArchive({ store, configFor: async () => DEFAULT_CONFIG })
  while (!(await archive.catchUp(ARCHIVED_AT_ONCE)));
  await app.close()
}
