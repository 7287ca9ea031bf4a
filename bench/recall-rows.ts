import { type Checkpoint, EMPTY_WORK } from '../src/kernel/checkpoint.ts'
import { CheckpointId, MemoryId, ProjectId, SessionId, SessionKey } from '../src/kernel/id.ts'
import type { Store } from '../src/kernel/ports/ports.ts'
import type { Work } from './recall-data.ts'

export const PROJECT = ProjectId('bench')
const AT = '2026-01-01T00:00:00.000Z'
/** Past this, a transaction for each memory would be most of the time. */
const AT_ONCE = 500

export interface Said {
  readonly id: string
  readonly session: string
  readonly text: string
  /** Where it matters when. */
  readonly at?: string
  readonly supersedes?: string
}

export async function keepMemories(store: Store, items: readonly Said[]): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    await Promise.all(
      items.slice(from, from + AT_ONCE).map(({ id, session, text, at = AT, supersedes }) =>
        store.saveMemory({
          id: MemoryId(id),
          projectId: PROJECT,
          type: 'note',
          content: text,
          importance: 5,
          tags: [],
          source: 'bench',
          sessionId: SessionId(session),
          createdAt: at,
          ...(supersedes !== undefined && { supersedes: MemoryId(supersedes) }),
          hits: 0,
        }),
      ),
    )
  }
}

/** Named by its id: several of one session stay apart then, as they do in the data. */
export function checkpointOf({ id, session, createdAt, prompts, files }: Work): Checkpoint {
  const place = { project: '/bench', projectNormalized: '/bench', projectId: PROJECT, worktree: '/bench' }
  return {
    id: CheckpointId(id),
    sessionId: SessionId(session),
    sessionKey: SessionKey(session),
    harness: 'claude-code',
    place,
    trigger: 'explicit',
    name: id,
    summary: '',
    digest: '',
    promptCount: prompts.length,
    recentQueries: [],
    recentRemembers: [],
    work: {
      ...EMPTY_WORK,
      asks: prompts.map((text, order) => ({ text, at: createdAt, order })),
      files: files.map((path, lastOrder) => ({ path, action: 'edited', reads: 0, edits: 1, lastOrder })),
    },
    waitOrContinue: 'continue',
    nextSteps: [],
    canResume: true,
    eventSeq: 0,
    createdAt,
  }
}
