import { type ChecklistEvidence, MARK_STATUSES, type MarkStatus } from '../../../kernel/checklist.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { readEnvironment } from '../../../harness/contract/environment.ts'
import { harnessEnvironments } from '../../../harness/environments.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { createPlaces } from '../../../platform/places.ts'
import type { CliContext } from '../../shared/command.ts'

export interface ChecklistWorld {
  /** The worktree's top: where `CHECKLIST.md` lies. */
  readonly root: string
  readonly evidence: ChecklistEvidence
}

/** The list is a file of the project, edited here; what was marked and verified, the store keeps. */
export async function checklistWorld(context: CliContext): Promise<ChecklistWorld> {
  const { worktree } = await createPlaces({ clock: systemClock }).locate(context.cwd)
  const open = await context.door()
  return {
    root: worktree,
    evidence: {
      record: (record) => open.keepItemRecord({ cwd: worktree, record }),
      list: () => open.listItemRecords({ cwd: worktree }),
    },
  }
}

export function markStatusOf(given: string): MarkStatus {
  const status = MARK_STATUSES.find((known) => known === given.toLowerCase().replaceAll('-', '_'))
  if (status !== undefined) return status
  throw new HoldfastError('invalid-input', `There is no status ${JSON.stringify(given)}.`, {
    hint: `It is one of ${MARK_STATUSES.join(', ')}.`,
  })
}

/** Who acts: the harness's session when one runs us, else the person at the keyboard. */
export function actorOf(env: CliContext['env']): string {
  const { harness, sessionKey } = readEnvironment(harnessEnvironments, env)
  return harness === undefined || sessionKey === undefined ? 'cli' : `${harness}/${sessionKey}`
}
