import type { DecisionRecord, ErrorRecord, UserRequest } from '../../kernel/checkpoint.ts'
import type { Todo } from '../../kernel/event.ts'
import type { Verdict } from '../../kernel/injection.ts'

/**
 * The value of one item, as a share of everything needed of its kind: one of two files that will be changed is half of
 * it, one of thirty names little.
 */
export function createShare(chances: readonly number[]): (chance: number) => number {
  const needed = Math.max(
    1,
    chances.reduce((sum, chance) => sum + chance, 0),
  )
  return (chance) => chance / needed
}

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

/** What an item is about, as data: what selection decides on. */
export type ItemSubject =
  | { readonly kind: 'request'; readonly request: UserRequest }
  | { readonly kind: 'note'; readonly by: 'agent' | 'session-state' }
  | { readonly kind: 'plan'; readonly title: string }
  | { readonly kind: 'next-action'; readonly action: string }
  | { readonly kind: 'waiting'; readonly waitingFor: string }
  | { readonly kind: 'todo'; readonly todo: Todo }
  | { readonly kind: 'blocker'; readonly blocker: string }
  | { readonly kind: 'decision'; readonly decision: DecisionRecord }
  | { readonly kind: 'failed-approach'; readonly approach: string }
  /** `running`: it had not ended when the session stopped. */
  | { readonly kind: 'command'; readonly command: string; readonly status: 'passed' | 'failed' | 'running' }
  | { readonly kind: 'test-run'; readonly command: string; readonly names: readonly string[] }
  | { readonly kind: 'error'; readonly error: ErrorRecord }
  /** `movedTo`: where a file went that is gone. */
  | { readonly kind: 'file'; readonly path: string; readonly movedTo?: string }
  /** `file`: the one that it is rendered behind, if that one is rendered. */
  | { readonly kind: 'identifier'; readonly name: string; readonly file?: string }
  | { readonly kind: 'statement'; readonly text: string }
  | { readonly kind: 'contradiction' }
  | { readonly kind: 'reference'; readonly reference: string }
  | { readonly kind: 'memory'; readonly content: string }

/** One thing that could be injected, and what it is worth. */
export interface Item {
  readonly section: SectionKey
  readonly subject: ItemSubject
  /** As it is rendered; never parsed. */
  readonly text: string
  /** Expected use to the next session; compared per character. */
  readonly value: number
  readonly origin: string
  readonly reason: string
  readonly verdict?: Verdict
}
