import { collect, isSet, listOption, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printJson, getColors, count, oneLine, printLine, formatAge, table } from '../../shared/output.ts'
import { printTask, addContentOptions, readCheckpointContent, printCheckpoint } from './task-io.ts'
import { openTasks } from './task-ports.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import type { TaskCheckpointType } from '../../../tasks/model/task-checkpoint.ts'
import { GATES, formatGate, FLOWS } from '../../../tasks/model/gate.ts'
import { systemClock } from '../../../platform/base/clock.ts'

export const taskNewCommand: CliCommand = {
  configure(command) {
    command
      .argument('<slug>', 'kebab-case name: feat-user-auth')
      .option('--flow <name>', `${FLOWS.join(', ')} (default: feature)`)
      .option('--title <text>', 'title in one line')
      .option('--criterion <text>', 'an acceptance criterion (repeatable)', collect)
      .addHelpText(
        'after',
        '\nExample:\n  $ holdfast task new feat-user-auth --criterion "a wrong password is refused"',
      )
  },
  async run({ args: [slug = ''], options, context }) {
    const flow = textOption(options, 'flow')
    const title = textOption(options, 'title')
    const tasks = await openTasks(context)
    const task = await tasks.create({
      cwd: context.cwd,
      slug,
      criteria: listOption(options, 'criterion'),
      ...(flow !== undefined && { flow }),
      ...(title !== undefined && { title }),
    })
    if (isSet(options, 'json')) printJson(context.io, task)
    else {
      printTask(context.io, task)
      printLine(context.io, `Start with \`holdfast session start --task ${slug} --goal …\`.`)
    }
    return 0
  },
}

export const taskListCommand: CliCommand = {
  configure() {},
  async run({ options, context }) {
    const tasks = await (await openTasks(context)).list({ cwd: context.cwd })
    if (isSet(options, 'json')) {
      printJson(context.io, tasks)
    } else if (tasks.length === 0) {
      printLine(context.io, 'No governed tasks here. Create one with `holdfast task new <slug>`.')
    } else {
      const { dim } = getColors(context.io)
      const now = systemClock.now()
      context.io.out(
        table(
          tasks.map(({ definition, status, active_session: active }) => [
            definition.task_slug,
            status.status,
            formatGate(status.current_gate),
            dim(formatAge(status.last_activity, now)),
            active?.session_id ?? '',
            oneLine(definition.title, 60),
          ]),
        ),
      )
    }
    return 0
  },
}

export const taskShowCommand: CliCommand = {
  configure(command) {
    command.argument('<slug>', 'the task')
  },
  async run({ args: [slug = ''], options, context }) {
    const { io } = context
    const detail = await (await openTasks(context)).show({ cwd: context.cwd, slug })
    if (isSet(options, 'json')) {
      printJson(io, detail)
      return 0
    }
    const { yellow } = getColors(io)
    printTask(io, detail)
    printLine(io, `  Entered: ${detail.gates_held.join(', ')}`)
    printLine(
      io,
      `  ${count(detail.sessions.length, 'session')}, ${count(detail.index.checkpoints.length, 'checkpoint')}`,
    )
    const { last_checkpoint: last } = detail
    if (last !== null) printLine(io, `  Last: ${last.checkpoint_id} (${last.type}) ${oneLine(last.summary, 120)}`)
    if (last !== null) printLine(io, `  Resume: ${oneLine(last.resume_instructions, 160)}`)
    for (const { message } of detail.findings) printLine(io, yellow(`  ! ${oneLine(message, 200)}`))
    return 0
  },
}

export const taskGateCommand: CliCommand = {
  configure(command) {
    command
      .argument('<slug>', 'the task')
      .argument('<gate>', 'G0 to G10, or a name such as plan')
      .option('--reason <text>', 'reason for going back, or for --force')
      .option('--force', 'enter the gate although parts of the last one are missing; needs --reason')
    addContentOptions(command).addHelpText(
      'after',
      `\nGates:\n${GATES.map((gate) => `  ${formatGate(gate)}`).join('\n')}`,
    )
  },
  async run({ args: [slug = '', gate = ''], options, context }) {
    const reason = textOption(options, 'reason')
    const tasks = await openTasks(context)
    const written = await tasks.enterGate({
      cwd: context.cwd,
      slug,
      gate,
      content: readCheckpointContent(options),
      force: isSet(options, 'force'),
      ...(reason !== undefined && { reason }),
    })
    if (isSet(options, 'json')) printJson(context.io, written)
    else printCheckpoint(context.io, written)
    return 0
  },
}

/** Types that can be given; the others are written by gates and sessions. */
const ALLOWED_TYPES = ['decision', 'file_change', 'error_recovery', 'context_refresh', 'explicit'] as const

function parseCheckpointType(text: string): TaskCheckpointType {
  const type = ALLOWED_TYPES.find((known) => known === text)
  if (type !== undefined) return type
  throw new HoldfastError('invalid-input', `${JSON.stringify(text)} is not a type of checkpoint.`, {
    hint: `Use one of ${ALLOWED_TYPES.join(', ')}. \`holdfast task gate\` and \`holdfast session end\` write the others.`,
  })
}

export const taskCheckpointCommand: CliCommand = {
  configure(command) {
    command.argument('<slug>', 'the task').option('--type <type>', `${ALLOWED_TYPES.join(', ')} (default: explicit)`)
    addContentOptions(command).addHelpText(
      'after',
      '\nExamples:\n  $ holdfast task checkpoint feat-user-auth --type decision \\\n      --decision "Use JWT" --rationale stateless --alternative cookies\n  $ holdfast task checkpoint feat-user-auth --type error_recovery \\\n      --error EACCES --resolution "chmod 600"',
    )
  },
  async run({ args: [slug = ''], options, context }) {
    const tasks = await openTasks(context)
    const type = parseCheckpointType(textOption(options, 'type') ?? 'explicit')
    const written = await tasks.checkpoint({ cwd: context.cwd, slug, type, content: readCheckpointContent(options) })
    if (isSet(options, 'json')) printJson(context.io, written)
    else printCheckpoint(context.io, written)
    return 0
  },
}

export const taskBlockCommand: CliCommand = {
  configure(command) {
    command
      .argument('<slug>', 'the task')
      .argument('[reason]', 'the blocker')
      .option('--clear', 'remove this blocker, or all blockers')
  },
  async run({ args: [slug = '', reason], options, context }) {
    const tasks = await openTasks(context)
    const at = { cwd: context.cwd, slug }
    if (!isSet(options, 'clear') && reason === undefined)
      throw new HoldfastError('invalid-input', 'The blocker is missing.', {
        hint: `Use \`holdfast task block ${slug} "waiting for the schema"\`, or --clear.`,
      })
    const task = isSet(options, 'clear')
      ? await tasks.unblock({ ...at, ...(reason !== undefined && { reason }) })
      : await tasks.block({ ...at, reason: reason ?? '' })
    if (isSet(options, 'json')) printJson(context.io, task)
    else printTask(context.io, task)
    return 0
  },
}

export const taskDoneCommand: CliCommand = {
  configure(command) {
    command
      .argument('<slug>', 'the task')
      .option('--summary <text>', 'the result')
      .option('--lesson <text>', 'a lesson learned (repeatable)', collect)
      .option('--force', 'archive it although parts are missing; needs --reason')
      .option('--reason <text>', 'reason for --force')
  },
  async run({ args: [slug = ''], options, context }) {
    const [summary, reason] = [textOption(options, 'summary'), textOption(options, 'reason')]
    const tasks = await openTasks(context)
    const task = await tasks.finish({
      cwd: context.cwd,
      slug,
      lessons: listOption(options, 'lesson'),
      force: isSet(options, 'force'),
      ...(reason !== undefined && { reason }),
      ...(summary !== undefined && { summary }),
    })
    if (isSet(options, 'json')) printJson(context.io, task)
    else printTask(context.io, task)
    return 0
  },
}
