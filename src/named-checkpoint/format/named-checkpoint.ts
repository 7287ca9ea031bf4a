import type { DirtySummary } from '../../kernel/project.ts'

/** S3's sections, in its order. */
export const SECTION_KEYS = ['progress', 'nextAction', 'blockers', 'decisions', 'context'] as const
export type SectionKey = (typeof SECTION_KEYS)[number]

export const SECTION_TITLES: Readonly<Record<SectionKey, string>> = {
  progress: 'Progress',
  nextAction: 'Next Action',
  blockers: 'Blockers',
  decisions: 'Key Decisions',
  context: 'Relevant Context',
}

export interface FileMark {
  /** Relative to the worktree. */
  readonly path: string
  /** SHA-256 of the content; absent when it could not be read. */
  readonly hash?: string
}

export interface GitMark {
  readonly branch?: string
  readonly head?: string
  readonly dirty?: Pick<DirtySummary, 'staged' | 'unstaged' | 'untracked'>
}

/** Where a task stands, saved under a name for a later session: a file that people read and edit. */
export interface NamedCheckpoint {
  readonly name: string
  /** UTC ISO. */
  readonly createdAt: string
  /** One line; empty when unknown. */
  readonly task: string
  /** Markdown; empty when there is nothing to say. */
  readonly sections: Readonly<Record<SectionKey, string>>
  readonly git?: GitMark
  readonly files: readonly FileMark[]
}

/** Makes a seal that only this user's Holdfast can make: what tells our own file from one that a repository brought. */
export type Seal = (text: string) => string
