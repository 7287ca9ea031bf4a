import type { Redactor } from '../kernel/ports/ports.ts'
import { redactDeep } from '../redaction/redact-deep.ts'
import { redactFields } from '../redaction/redact-fields.ts'
import type { NamedCheckpoint } from './format/named-checkpoint.ts'
import type { SaveNamedInput } from './use-cases.ts'

type Given = Pick<
  SaveNamedInput,
  'task' | 'progress' | 'nextAction' | 'waitingFor' | 'blockers' | 'decisions' | 'context'
>

/** What the caller said, before it becomes the sections of a file: there its lines stand in different places. */
export function redactGiven(input: Given, redactor: Redactor): Given {
  const { task, progress, nextAction, waitingFor, blockers, decisions, context } = input
  const given = { task, progress, nextAction, waitingFor, blockers, decisions, context }
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  return redactDeep(Object.fromEntries(said), redactor, { areNamesOurs: true })
}

/** Without secrets: what is saved lies in the repository, and may be committed. */
export function redactNamed<T extends Pick<NamedCheckpoint, 'task' | 'sections'>>(
  checkpoint: T,
  redactor: Redactor,
): T {
  const { task, sections } = checkpoint
  // In the order of the file.
  return redactFields(redactor, (clean) => ({
    ...checkpoint,
    task: clean(task),
    sections: {
      progress: clean(sections.progress),
      nextAction: clean(sections.nextAction),
      blockers: clean(sections.blockers),
      decisions: clean(sections.decisions),
      context: clean(sections.context),
    },
  }))
}
