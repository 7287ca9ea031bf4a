import { messageOf } from '../../kernel/errors.ts'
import type { Clock, Processes } from '../../kernel/ports/ports.ts'
import type { Decision } from '../retry/strategy.ts'
import type { Failure } from '../retry/failure.ts'
import type { Rituals } from '../rituals.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { Tasks } from '../tasks.ts'
import type { TaskFolder } from '../files/task-folder.ts'
import type { Guard } from './process/guard.ts'
import type { ProcessRow } from './process/process-table.ts'
import type { RunPolicy } from './run-policy.ts'
import type { Snapshots, TreeChange } from './snapshots.ts'

/** What happens in a run, as it happens, for whoever watches. */
export type RunNews =
  /** One of S2's lines. */
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'output'; readonly stream: 'out' | 'err'; readonly text: string }
  | { readonly kind: 'session'; readonly sessionId: string; readonly iteration: number; readonly attempt: number }
  | {
      readonly kind: 'pulse'
      readonly elapsedMs: number
      readonly processes: number
      readonly tokens: number | undefined
    }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly decision: Decision }
  /** Something that a person should know, in a sentence. */
  | { readonly kind: 'note'; readonly text: string }

/** The world as one run sees it. */
export interface RunWorld {
  readonly runId: string
  /** A folder of this run's own in the home, private, gone with it. */
  readonly dir: string
  readonly folder: TaskFolder
  readonly rituals: Rituals
  readonly tasks: Tasks
  readonly policy: RunPolicy
  readonly guard: Guard
  /** Absent outside a git repository: no diffs are seen then, and nothing can be put back. */
  readonly snapshots: Snapshots | undefined
  readonly clock: Clock
  readonly processes: Processes
  /** From 0 up to 1. */
  readonly random: () => number
  readonly sha256: (text: string) => string
  readonly env: NodeJS.ProcessEnv
  readonly pid: number
  /** Whether a person asked to end it. */
  readonly isInterrupted: () => boolean
  readonly tell: (news: RunNews) => void
  /** Told every few seconds what runs for a session; absent where nobody keeps an event log. */
  readonly follow?: (session: TaskSession, rows: readonly ProcessRow[]) => void
}

/** Where the task stands, as attempts are counted: `G4-3`. */
export function positionOf(status: { readonly current_gate: string; readonly current_step: number }): string {
  return `${status.current_gate}-${status.current_step}`
}

/** Without git, or where it fails, every moment is different: only the budgets end such a run. */
export async function treeOf({ snapshots, tell }: RunWorld, n: number): Promise<string> {
  try {
    return (await snapshots?.take()) ?? `unknown-${n}`
  } catch (thrown) {
    tell({ kind: 'note', text: `What changed is not seen: ${messageOf(thrown)}` })
    return `unknown-${n}`
  }
}

/** Undefined where one of the two was not seen. */
export async function changesSince(
  { snapshots }: RunWorld,
  from: string,
  to: string,
): Promise<readonly TreeChange[] | undefined> {
  try {
    return await snapshots?.changes(from, to)
  } catch {
    // Then that was told when it was taken.
    return undefined
  }
}

/** A time as part of a file's name. */
export function fileStamp(at: string): string {
  return at.replace(/[:.]/g, '-')
}
