import type { Checkpoint, CommandPurpose } from '../../kernel/checkpoint.ts'

/** The newest run of its kind that was seen in a worktree. */
export interface ObservedRun {
  readonly command: string
  readonly ok: boolean
  readonly failing: readonly string[]
  /** Files were edited after it ran. */
  readonly isOutdated: boolean
  readonly at: string
}

const MAX_FAILING = 3

function lastEditOrder({ work }: Checkpoint): number {
  return Math.max(0, ...work.files.filter((file) => file.edits > 0).map((file) => file.lastOrder))
}

/** `newestFirst`: the checkpoints of one worktree. Orders compare within a session only. */
export function newestRun(newestFirst: readonly Checkpoint[], purpose: CommandPurpose): ObservedRun | undefined {
  let hasLaterEdits = false
  let laterSession: string | undefined
  for (const checkpoint of newestFirst) {
    const runs = checkpoint.work.commands.filter((command) => command.purpose === purpose)
    const run = runs.toSorted((a, b) => b.lastOrder - a.lastOrder)[0]
    const lastEdit = lastEditOrder(checkpoint)
    if (run !== undefined) {
      return {
        command: run.command,
        ok: run.ok,
        failing: checkpoint.work.tests
          .filter((test) => test.status === 'failing')
          .map((test) => test.name)
          .slice(0, MAX_FAILING),
        isOutdated: hasLaterEdits || lastEdit > run.lastOrder,
        at: checkpoint.createdAt,
      }
    }
    // Checkpoints of one session repeat its files, so only another session's edits are later ones.
    if (checkpoint.sessionId !== laterSession && lastEdit > 0) hasLaterEdits = true
    laterSession = checkpoint.sessionId
  }
  return undefined
}
