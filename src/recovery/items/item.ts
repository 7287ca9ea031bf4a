import type { Verdict } from '../../kernel/injection.ts'

export const SECTIONS = [
  'contradicted',
  'written',
  'goal',
  'latest',
  'plan',
  'next',
  'waiting',
  'running',
  'todos',
  'blockers',
  'failing',
  'errors',
  'edited',
  'uncommitted',
  'read',
  'named',
  'commands',
  'identifiers',
  'decisions',
  'failed',
  'refs',
  'remembers',
  'words',
] as const
export type SectionKey = (typeof SECTIONS)[number]

/** One thing that could be said, and what saying it is worth. */
export interface Item {
  readonly section: SectionKey
  readonly text: string
  /** Expected use to the next session; compared per character it takes. */
  readonly value: number
  readonly origin: string
  readonly reason: string
  readonly verdict?: Verdict
  /** Where a file went that is gone. */
  readonly movedTo?: string
  /** Of a name in the code: the file that it is told behind, if that is told. */
  readonly file?: string
}
