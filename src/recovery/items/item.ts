import type { CheckRun, CheckVerdict, CommitRecord, DecisionRecord, InFlightWork } from '../../kernel/checkpoint.ts'
import type { Todo } from '../../kernel/event.ts'
import type { Verdict } from '../../kernel/injection.ts'
import type { Passage } from '../passages/passage.ts'
import type { SectionKey } from './section-order.ts'

export type FileRole = 'changed' | 'created' | 'deleted' | 'committed' | 'uncommitted' | 'untracked' | 'read'

/** What an item says, as data; words are made of it by the renderer only. */
export type ItemContent =
  | { readonly kind: 'passage'; readonly passage: Passage }
  | { readonly kind: 'title'; readonly title: string }
  | { readonly kind: 'reply'; readonly reply: string }
  | { readonly kind: 'rule'; readonly text: string; readonly since?: string }
  | {
      readonly kind: 'activity'
      readonly verb: 'edited' | 'read' | 'ran' | 'searched for' | 'asked a subagent for' | 'looked up'
      readonly things: readonly string[]
      /** Set if it failed; empty if the reason is unknown. */
      readonly error?: string
    }
  /** Edits that one message announced: `words`; else what their text defines. */
  | {
      readonly kind: 'edit'
      readonly files: readonly string[]
      readonly words?: string
      readonly defined?: readonly string[]
    }
  | { readonly kind: 'only-read'; readonly count: number; readonly isSilent: boolean }
  | {
      readonly kind: 'in-flight'
      readonly work: InFlightWork
      readonly verdict?: 'alive' | 'id-in-use' | 'gone' | 'not-checked'
    }
  | {
      readonly kind: 'check'
      readonly run: CheckRun
      /** The command in little room; no two checks have the same. */
      readonly label: string
      readonly isOutdated: boolean
      /** The tests that failed in it passed since, run by their names. */
      readonly hasPassedByName?: true
      /** The user said since that it fails. */
      readonly isDisputed?: true
    }
  | {
      readonly kind: 'merge'
      /** Absent where git alone says so, now. */
      readonly command?: string
      readonly conflicts: readonly string[]
      readonly edited: readonly string[]
    }
  /** `verdict`: of its last run, where it is known. */
  | { readonly kind: 'command'; readonly command: string; readonly verdict?: CheckVerdict; readonly isOutdated?: true }
  | { readonly kind: 'commit'; readonly commit: CommitRecord }
  /** A pull request that the session opened. */
  | { readonly kind: 'opened'; readonly url: string }
  | { readonly kind: 'not-committed'; readonly count: number }
  | {
      readonly kind: 'todos-done'
      readonly shown: readonly Todo[]
      readonly count: number
      readonly all: number
      readonly isOld: boolean
    }
  | { readonly kind: 'todo'; readonly todo: Todo }
  | { readonly kind: 'plan'; readonly title: string }
  /** Steps of the plan after the one that the agent named last. */
  | { readonly kind: 'steps-left'; readonly after: string; readonly steps: readonly string[]; readonly isCut: boolean }
  | { readonly kind: 'decision'; readonly decision: DecisionRecord }
  | { readonly kind: 'contradiction'; readonly claim: string; readonly observation: string }
  | { readonly kind: 'blocker'; readonly text: string }
  | { readonly kind: 'memory'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'file'
      readonly path: string
      readonly shown: string
      readonly role: FileRole
      /** How many files have this role, shown or not; 0 if it is not known. */
      readonly total: number
      readonly movedTo?: string
    }

export interface Item {
  readonly section: SectionKey
  readonly content: ItemContent
  /** Where it comes from and why it was chosen, for `holdfast explain`. */
  readonly origin: string
  readonly reason: string
  readonly verdict?: Verdict
  readonly score?: number
}
