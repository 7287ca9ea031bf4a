import { renderBanner } from '../../../named-checkpoint/banner.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { SessionKey } from '../../../kernel/id.ts'
import { readEnvironment } from '../../../harness/contract/environment.ts'
import { harnessEnvironments } from '../../../harness/environments.ts'
import { isSet, numberOption, sessionKey, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput, ExitCode } from '../../shared/command.ts'
import { age, oneLine, printable, printJson, printLine } from '../../shared/output.ts'
import { confirm } from '../../setup/setup-ports.ts'

const QUESTION = 'Continue from this point?'
const REST_CHARS = 4_000

/** The layer below what a session is told at its start: what it had no room for. */
async function showRest({ options, context }: CommandInput): Promise<ExitCode> {
  const { io, cwd, env } = context
  const of = textOption(options, 'session')
  const { harness, sessionKey } = readEnvironment(harnessEnvironments, env)
  const recovery = await (await context.continuity()).previewRecovery({
    cwd,
    restChars: numberOption(options, 'budget') ?? REST_CHARS,
    ...(of !== undefined && { restOf: SessionKey(of) }),
    ...(harness !== undefined && sessionKey !== undefined && { harness, sessionKey: SessionKey(sessionKey) }),
  })
  const { text, leftOut = 0, sources } = recovery
  if (isSet(options, 'json')) {
    printJson(io, { text, leftOut, sources })
    return 0
  }
  if (text !== '') printLine(io, printable(text))
  printLine(
    io,
    leftOut === 0 ? 'Nothing else was left out.' : `${leftOut} more did not fit: run it again with a larger --budget.`,
  )
  return 0
}

export const checkpointResumeCommand: CliCommand = {
  name: 'checkpoint resume',
  summary: 'show a saved checkpoint and what has changed since, and ask',
  configure(command) {
    command
      .argument('[name]', 'as `holdfast checkpoint list` shows it; without one: what the last recovery had no room for')
      .option('--session <key>', 'without a name: of this session', sessionKey)
      .option(
        '--budget <chars>',
        `without a name: at most this many characters (default ${REST_CHARS})`,
        wholeNumber(200, 80_000),
      )
      .option('-y, --yes', 'do not ask')
      .addHelpText(
        'after',
        '\nNothing is executed, and a checkpoint that is not resumed is kept. resume.confirm in `holdfast config` says when a yes is needed.',
      )
  },
  async run(input) {
    const { args, options, context } = input
    const [name] = args
    if (name === undefined) return showRest(input)
    const { io, cwd } = context
    const { project: _project, ...resumed } = await (await context.door()).resumeNamed({ cwd, name })
    const { sections, warnings, savedAt, isOurs } = resumed
    const isConfirmed = isSet(options, 'yes') || resumed.confirm === 'never'
    if (isSet(options, 'json')) {
      const { sections: _sections, ...rest } = resumed
      printJson(io, { ...rest, ...sections, isConfirmed })
      return 0
    }
    const banner = renderBanner({
      name: resumed.name,
      read: { ...resumed, createdAt: savedAt },
      age: age(savedAt, systemClock.now()),
      warnings,
      isOurs,
    })
    printLine(io, printable(banner))
    const question = warnings.length > 0 ? 'Some of this no longer holds. Resume anyway?' : QUESTION
    if (!isConfirmed && !io.isInteractive) {
      // An agent's shell cannot answer; whoever reads its output can.
      printLine(io, `${question} (yes/no)`)
      if (resumed.confirm !== 'always') return 0
      printLine(io, 'Not resumed: a yes is needed here (resume.confirm is always). Run it again with --yes.')
      return 1
    }
    if (!isConfirmed && !(await confirm(context, question))) {
      printLine(io, 'Not resumed; the checkpoint is kept.')
      return 1
    }
    printLine(io, `Next: ${oneLine(sections.nextAction || 'not stated', 200)}`)
    return 0
  },
}
