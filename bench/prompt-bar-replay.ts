import type { MemoryHit } from '../src/kernel/memory.ts'
import type { Store } from '../src/kernel/ports/ports.ts'
import { openSqliteStore } from '../src/storage/sqlite/engine.ts'
import type { AskedProject, KeptSentence, MemoryKind } from './prompt-bar-data.ts'
import type { Conversation } from './recall-data.ts'
import { keepMemories, PROJECT } from './recall-rows.ts'

/** As many as the product looks at. */
export const SEARCH_WIDTH = 20
/** Two prompts are about the same work when they share this part of the smaller set of files. */
const SAME_WORK = 0.2
const NEWEST = 3

/** A prompt with what the store found for it among what was known then. */
export interface Replayed {
  readonly project: string
  readonly session: string
  readonly text: string
  readonly hits: readonly MemoryHit[]
  readonly isRelevant: (id: string) => boolean
  /** Share of what was known then that is about the same work. */
  readonly chance: number
  readonly kindOf: (id: string) => MemoryKind | undefined
  /** The last that were kept before it. */
  readonly newest: readonly string[]
}

function find(store: Store, text: string): Promise<readonly MemoryHit[]> {
  return store.searchMemories({ projectId: PROJECT, text, isLiteral: true, limit: SEARCH_WIDTH })
}

function isSameWork(one: readonly string[], other: readonly string[]): boolean {
  const shared = one.filter((file) => other.includes(file)).length
  return shared / Math.max(1, Math.min(one.length, other.length)) >= SAME_WORK
}

/** Every prompt meets what the sessions that were over by then had left. */
export async function replay({ name, sessions }: AskedProject): Promise<readonly Replayed[]> {
  await using store = await openSqliteStore({ file: ':memory:' })
  const kept = new Map<string, KeptSentence>()
  const waiting = sessions.toSorted((a, b) => (a.until < b.until ? -1 : 1))
  const asked: Replayed[] = []
  for (const { id: session, from, prompts } of sessions) {
    for (let next = waiting[0]; next !== undefined && next.until < from; next = waiting[0]) {
      waiting.shift()
      const { id, until } = next
      const rows = next.memories.map((memory, at) => ({ memory, id: `${id}/${at}` }))
      for (const row of rows) kept.set(row.id, row.memory)
      await keepMemories(
        store,
        rows.map((row) => ({ id: row.id, text: row.memory.text, session: id, at: until })),
      )
    }
    if (kept.size === 0) continue
    const known = [...kept.values()]
    for (const { text, files } of prompts) {
      const relevant = known.filter((memory) => isSameWork(memory.files, files)).length
      asked.push({
        project: name,
        session,
        text,
        hits: await find(store, text),
        isRelevant: (id) => isSameWork(kept.get(id)?.files ?? [], files),
        chance: relevant / known.length,
        kindOf: (id) => kept.get(id)?.kind,
        newest: [...kept.keys()].slice(-NEWEST),
      })
    }
  }
  return asked
}

/** Prompts of other projects against these memories: every injection is noise. */
export async function replayElsewhere(
  prompts: readonly { readonly text: string; readonly session: string }[],
  memories: readonly string[],
): Promise<readonly Replayed[]> {
  await using store = await openSqliteStore({ file: ':memory:' })
  const at = '2026-01-01T00:00:00.000Z'
  await keepMemories(
    store,
    memories.map((text, index) => ({ id: `m${index}`, text, session: 'other', at })),
  )
  const asked: Replayed[] = []
  for (const { text, session } of prompts)
    asked.push({
      project: 'elsewhere',
      session,
      text,
      hits: await find(store, text),
      isRelevant: () => false,
      chance: 0,
      kindOf: () => undefined,
      newest: [],
    })
  return asked
}

/** What was said in a conversation, and questions whose answers are known. */
export async function replayConversation(
  { turns, questions }: Conversation,
  name: string,
): Promise<readonly Replayed[]> {
  await using store = await openSqliteStore({ file: ':memory:' })
  await keepMemories(
    store,
    turns.map(({ id, text, session }, index) => ({ id, text, session, at: new Date(index * 60_000).toISOString() })),
  )
  const asked: Replayed[] = []
  for (const { q, text, relevant } of questions)
    asked.push({
      project: name,
      session: q,
      text,
      hits: await find(store, text),
      isRelevant: (id) => relevant.has(id),
      chance: relevant.size / turns.length,
      kindOf: () => undefined,
      newest: [],
    })
  return asked
}
