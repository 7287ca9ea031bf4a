import { getErrorMessage } from '../../kernel/errors.ts'
import type { Clock, Processes } from '../../kernel/ports/ports.ts'
import type { RetryDecision } from '../retry/retry-policy.ts'
import type { SessionFailure } from '../retry/classify-failure.ts'
import type { Rituals } from '../rituals.ts'
import type { TaskSession } from '../model/task-session.ts'
import type { Tasks } from '../tasks.ts'
import type { TaskFolder } from '../files/task-folder.ts'
import type { GuardedProcesses } from './process/guarded-processes.ts'
import type { ProcessRow } from './process/process-table.ts'
import type { RunLimits } from './run-limits.ts'
import type { Snapshots, TreeChange } from './snapshots.ts'

/** What a run reports while it runs. */
export type RunProgress =
  /** One of the log lines in `log-lines.ts`. */
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'output'; readonly stream: 'out' | 'err'; readonly text: string }
  | { readonly kind: 'session'; readonly sessionId: string; readonly iteration: number; readonly attempt: number }
  | {
      readonly kind: 'pulse'
      readonly elapsedMs: number
      readonly processes: number
      readonly tokens: number | undefined
    }
  | { readonly kind: 'failed'; readonly failure: SessionFailure; readonly decision: RetryDecision }
  /** A sentence for the user. */
  | { readonly kind: 'note'; readonly text: string }

export interface RunPorts {
  readonly runId: string
  /** The run's private temporary folder in the home. */
  readonly dir: string
  readonly folder: TaskFolder
  readonly rituals: Rituals
  readonly tasks: Tasks
  readonly limits: RunLimits
  readonly guard: GuardedProcesses
  /** Undefined outside a git repository: then there are no diffs and no rollback. */
  readonly snapshots: Snapshots | undefined
  readonly clock: Clock
  readonly processes: Processes
  /** From 0 up to 1. */
  readonly random: () => number
  readonly sha256: (text: string) => string
  readonly env: NodeJS.ProcessEnv
  readonly pid: number
  readonly isInterrupted: () => boolean
  readonly report: (news: RunProgress) => void
  /** Called every few seconds with the processes of the session. */
  readonly onProcesses?: (session: TaskSession, rows: readonly ProcessRow[]) => void
}

/** Gate and step, for example `G4-3`. Attempts are counted by it. */
export function formatPosition(status: { readonly current_gate: string; readonly current_step: number }): string {
  return `${status.current_gate}-${status.current_step}`
}

/** Without git every snapshot is different, so only the budgets end such a run. */
export async function takeSnapshot({ snapshots, report }: RunPorts, n: number): Promise<string> {
  try {
    return (await snapshots?.take()) ?? `unknown-${n}`
  } catch (thrown) {
    report({ kind: 'note', text: `Changes are not detected: ${getErrorMessage(thrown)}` })
    return `unknown-${n}`
  }
}

/** Undefined if one of the two snapshots is missing. */
export async function listChangesBetween(
  { snapshots }: RunPorts,
  from: string,
  to: string,
): Promise<readonly TreeChange[] | undefined> {
  try {
    return await snapshots?.changes(from, to)
  } catch {
    // Already reported when the snapshot failed.
    return undefined
  }
}

export function toFileStamp(at: string): string {
  return at.replace(/[:.]/g, '-')
}
