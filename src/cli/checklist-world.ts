import { createEvidenceFile } from '../checklist/evidence-file.ts'
import { type ChecklistEvidence, MARK_STATUSES, type MarkStatus } from '../core/checklist.ts'
import { HoldfastError } from '../core/errors.ts'
import { systemClock } from '../platform/clock.ts'
import { createRedactors } from '../platform/env-secrets.ts'
import { createPlaces } from '../platform/places.ts'
import type { CliContext } from './command.ts'

export interface ChecklistWorld {
  /** The worktree's top: where `CHECKLIST.md` lies. */
  readonly root: string
  readonly evidence: ChecklistEvidence
}

/** Needs no daemon: the list is a file of the project, and the evidence a file of the home. */
export async function checklistWorld({ cwd, home, config }: CliContext): Promise<ChecklistWorld> {
  const { worktree, projectId } = await createPlaces({ clock: systemClock }).locate(cwd)
  const redactors = createRedactors({ enabled: config.redaction.envFiles, clock: systemClock })
  const redactor = await redactors.forWorktree(worktree)
  return { root: worktree, evidence: createEvidenceFile({ home, projectId, redactor }) }
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
  return env.CLAUDE_CODE_SESSION_ID ? `claude-code/${env.CLAUDE_CODE_SESSION_ID}` : 'cli'
}
