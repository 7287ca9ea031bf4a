import type { Redactor } from '../ports.ts'
import type { NamedCheckpoint } from './named-checkpoint.ts'

/** Without secrets: what is saved lies in the repository, and may be committed. */
export function redactNamed<T extends Pick<NamedCheckpoint, 'task' | 'sections'>>(
  checkpoint: T,
  redactor: Redactor,
): T {
  const { progress, nextAction, blockers, decisions, context } = checkpoint.sections
  return {
    ...checkpoint,
    task: redactor.redact(checkpoint.task),
    sections: {
      progress: redactor.redact(progress),
      nextAction: redactor.redact(nextAction),
      blockers: redactor.redact(blockers),
      decisions: redactor.redact(decisions),
      context: redactor.redact(context),
    },
  }
}
