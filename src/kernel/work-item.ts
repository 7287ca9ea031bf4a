import type { ProjectId, SessionId } from './id.ts'

export const WORK_ITEM_KINDS = ['checkpoint', 'decision', 'summary'] as const

/** A stretch of work as it can be searched: where a session stood, what it decided, what it said of itself. */
export interface WorkItem {
  readonly kind: (typeof WORK_ITEM_KINDS)[number]
  /** Of the checkpoint or the summary that it was read from. */
  readonly id: string
  readonly projectId: ProjectId
  readonly sessionId?: SessionId
  readonly title: string
  readonly text: string
  readonly files: readonly string[]
  readonly at: string
}
