import type { SavedNamed, SaveNamedInput } from '../../../named-checkpoint/use-cases.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { describeFinding, GOOD_SCORE } from '../../../named-checkpoint/format/lint.ts'
import { parseName } from '../../../named-checkpoint/format/name.ts'
import { readEnvironment } from '../../../harness/contract/environment.ts'
import { harnessEnvironments } from '../../../harness/environments.ts'
import { collect, isSet, listOption, sessionKey, textOption } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { colorsOf, oneLine, printJson, printLine } from '../../shared/output.ts'
import { confirm } from '../../setup/setup-ports.ts'

function given(options: CommandInput['options']): Partial<SaveNamedInput> {
  const task = textOption(options, 'task')
  const nextAction = textOption(options, 'next')
  const decisions = listOption(options, 'decision')
  const lists = {
    progress: listOption(options, 'progress'),
    blockers: listOption(options, 'blocker'),
    context: listOption(options, 'context'),
  }
  return {
    ...(task !== undefined && { task }),
    ...(nextAction !== undefined && { nextAction }),
    ...(decisions.length > 0 && { decisions: decisions.map((decision) => ({ decision })) }),
    ...Object.fromEntries(Object.entries(lists).filter(([, lines]) => lines.length > 0)),
  }
}

/** The session that was named, else the one that the harness told the shell we run in. */
function whose({ options, context }: CommandInput): Pick<SaveNamedInput, 'sessionKey' | 'harness'> {
  const named = textOption(options, 'session')
  if (named !== undefined) return { sessionKey: named }
  const { harness, sessionKey } = readEnvironment(harnessEnvironments, context.env)
  return harness === undefined || sessionKey === undefined ? {} : { harness, sessionKey }
}

async function save(input: CommandInput, wanted: SaveNamedInput): Promise<SavedNamed | undefined> {
  const { context } = input
  const door = await context.door()
  try {
    return await door.saveNamed(wanted)
  } catch (thrown) {
    const isTheirs = thrown instanceof HoldfastError && thrown.code === 'conflict'
    if (!isTheirs || wanted.canReplace === true || !context.io.isInteractive) throw thrown
    if (!(await confirm(context, `${thrown.message} Replace it?`))) return undefined
    return await door.saveNamed({ ...wanted, canReplace: true })
  }
}

export const checkpointSaveCommand: CliCommand = {
  name: 'checkpoint save',
  summary: 'save where the task stands under a name, for a later session',
  configure(command) {
    command
      .argument('<name>', 'kebab-case, saying what the work is: build-login-page')
      .option('--task <text>', 'the task in one line')
      .option('--next <text>', 'the very next command or step')
      .option('--progress <text>', 'what is done; may be given again', collect)
      .option('--blocker <text>', 'what stands in the way; may be given again', collect)
      .option('--decision <text>', 'what was decided and why; may be given again', collect)
      .option('--context <text>', 'what else the next session needs; may be given again', collect)
      .option('--session <key>', 'the session it belongs to', sessionKey)
      .option('-y, --yes', 'replace a file that was edited by hand without a question')
      .addHelpText(
        'after',
        "\nWhat is not given is read from SESSION-STATE.md, then memory/working-buffer.md, then what Holdfast saw.\nA poor checkpoint is saved too, with what it lacks.\n\nExample:\n  $ holdfast checkpoint save build-login-page --next 'Run `npm test -- src/auth.test.ts`'",
      )
  },
  async run(input) {
    const { args, options, context } = input
    const { io } = context
    const said = given(options)
    // Before anything is asked of the daemon: a name is refused at once.
    const name = parseName(args[0] ?? '', said.task)
    const saved = await save(input, {
      ...said,
      ...whose(input),
      name,
      cwd: context.cwd,
      door: 'cli',
      canReplace: isSet(options, 'yes'),
    })
    if (saved === undefined) return 1
    const { project: _project, lint, ...rest } = saved
    if (isSet(options, 'json')) {
      printJson(io, { ...rest, isRecorded: saved.checkpointId !== undefined, ...lint })
      return 0
    }
    const { yellow } = colorsOf(io)
    printLine(io, `✅ Checkpoint saved: ${name} (${lint.score}/100)`)
    printLine(io, `   ${saved.path}`)
    if (saved.task !== '') printLine(io, `   Task: ${oneLine(saved.task, 100)}`)
    if (saved.nextAction !== '') printLine(io, `   Next: ${oneLine(saved.nextAction, 100)}`)
    if (saved.checkpointId === undefined)
      printLine(io, yellow('   Only the file: checkpoints are switched off here, or the store could not take it.'))
    for (const { claim, because } of saved.doubts)
      printLine(io, yellow(`   Doubted: "${oneLine(claim, 80)}": ${oneLine(because, 80)}`))
    if (lint.score < GOOD_SCORE) printLine(io, yellow('A later session would have to ask:'))
    for (const finding of lint.findings) printLine(io, `   - ${oneLine(describeFinding(finding), 160)}`)
    return 0
  },
}
