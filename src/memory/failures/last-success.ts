import type { ProjectId } from '../../kernel/id.ts'
import type { Memory } from '../../kernel/memory.ts'
import { scopeOf } from './evidence.ts'

const MAX_KEPT = 1_000

/** When commands that fail somewhere last went well, by their scopes: a session that failed before that has nothing to tell. */
export interface WentWell {
  note(projectId: ProjectId, scopes: readonly string[], seq: number): void
  /** The newest event at which it went well; 0 where none is known. */
  since(projectId: ProjectId, scope: string): number
}

export function createWentWell(): WentWell {
  const seqs = new Map<string, number>()
  const keyOf = (projectId: ProjectId, scope: string) => `${projectId}\n${scope}`
  return {
    note(projectId, scopes, seq) {
      for (const scope of scopes) {
        const key = keyOf(projectId, scope)
        const latest = Math.max(seqs.get(key) ?? 0, seq)
        seqs.delete(key)
        seqs.set(key, latest)
      }
      for (const oldest of seqs.keys()) {
        if (seqs.size <= MAX_KEPT) break
        seqs.delete(oldest)
      }
    },
    since: (projectId, scope) => seqs.get(keyOf(projectId, scope)) ?? 0,
  }
}

/** The same from lessons, for a process that was not there. */
export function resolvedSince(lessons: readonly Memory[], scope: string): number {
  const seqs = lessons.flatMap(({ evidence }) => {
    const { resolved, keys = [], purpose = 'other', branch } = evidence ?? {}
    return resolved !== undefined && keys.some((key) => scopeOf(key, purpose, branch) === scope) ? [resolved.seq] : []
  })
  return Math.max(0, ...seqs)
}
