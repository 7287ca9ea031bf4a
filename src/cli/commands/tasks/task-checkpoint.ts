import { HoldfastError } from '../../../kernel/errors.ts'
import type { TaskCheckpointType } from '../../../tasks/model/task-checkpoint.ts'
import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printJson } from '../../shared/output.ts'
import { addContentOptions, contentOf } from './task-content.ts'
import { printCheckpoint } from './task-output.ts'
import { tasksOf } from './task-ports.ts'

/** What a person or an agent may say happened; the others come from rituals. */
const SAID_TYPES = ['decision', 'file_change', 'error_recovery', 'context_refresh', 'explicit'] as const

function typeOf(text: string): TaskCheckpointType {
  const type = SAID_TYPES.find((known) => known === text)
  if (type !== undefined) return type
  throw new HoldfastError('invalid-input', `${JSON.stringify(text)} is no type of checkpoint.`, {
    hint: `It is one of ${SAID_TYPES.join(', ')}. Gates have \`holdfast task gate\`, ends \`holdfast session end\`.`,
  })
}

export const taskCheckpointCommand: CliCommand = {
  name: 'task checkpoint',
  summary: 'a checkpoint of the session under way: a decision, files, an error and what solved it',
  configure(command) {
    command.argument('<slug>', 'the task').option('--type <type>', `${SAID_TYPES.join(', ')} (default: explicit)`)
    addContentOptions(command).addHelpText(
      'after',
      '\nExamples:\n  $ holdfast task checkpoint feat-user-auth --type decision \\\n      --decision "Use JWT" --rationale "stateless" --alternative "session cookies"\n  $ holdfast task checkpoint feat-user-auth --type error_recovery --error EACCES --resolution "chmod 600"',
    )
  },
  async run({ args: [slug = ''], options, context }) {
    const tasks = await tasksOf(context)
    const type = typeOf(textOption(options, 'type') ?? 'explicit')
    const written = await tasks.checkpoint({ cwd: context.cwd, slug, type, content: contentOf(options) })
    if (isSet(options, 'json')) printJson(context.io, written)
    else printCheckpoint(context.io, written)
    return 0
  },
}
