import { HoldfastError } from '../../../kernel/errors.ts'
import { OUTCOMES, type Outcome } from '../../../tasks/model/task-session.ts'
import { isSet, sessionKey, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printable, printJson, printLine } from '../../shared/output.ts'
import { addContentOptions, contentOf } from './task-content.ts'
import { printSteps } from './task-output.ts'
import { ritualsOf } from './task-ports.ts'

function outcomeOf(text: string | undefined): Outcome | undefined {
  if (text === undefined) return undefined
  const outcome = OUTCOMES.find((known) => known === text)
  if (outcome !== undefined) return outcome
  throw new HoldfastError('invalid-input', `${JSON.stringify(text)} is no outcome.`, {
    hint: `It is one of ${OUTCOMES.join(', ')}.`,
  })
}

export const sessionEndCommand: CliCommand = {
  name: 'session end',
  summary: 'end a session of a governed task: secure the work, log, checkpoint, memorize, status, event',
  configure(command) {
    command
      .requiredOption('--task <slug>', 'the task')
      .option('--outcome <outcome>', `${OUTCOMES.join(', ')} (default: partial)`)
      .option('--id <session>', 'which session of the task; the one under way unless told', sessionKey)
      .option('--hint <text>', 'what the next session should begin with')
    addContentOptions(command).addHelpText(
      'after',
      '\nNothing is committed unless `autoCommit` of .agentic-governance/config.json says so: what is uncommitted goes into\na patch under tasks/<slug>/work/patches/ that was proven to apply. Files with a secret are left out of it, and named.',
    )
  },
  async run({ options, context }) {
    const { io } = context
    const isJson = isSet(options, 'json')
    const outcome = outcomeOf(textOption(options, 'outcome'))
    const [sessionId, hint] = [textOption(options, 'id'), textOption(options, 'hint')]
    const rituals = await ritualsOf(context)
    const ended = await rituals.end({
      cwd: context.cwd,
      slug: textOption(options, 'task') ?? '',
      content: contentOf(options),
      ...(outcome !== undefined && { outcome }),
      ...(sessionId !== undefined && { sessionId }),
      ...(hint !== undefined && { hint }),
      ...(!isJson && { onLine: (line: string) => printLine(io, printable(line)) }),
    })
    if (isJson) printJson(io, ended)
    else printSteps(io, ended.steps)
    return 0
  },
}
