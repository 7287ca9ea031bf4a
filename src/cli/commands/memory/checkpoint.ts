import {
  isSet,
  textOption,
  numberOption,
  sessionKey,
  wholeNumber,
  collect,
  listOption,
} from '../../shared/arguments.ts'
import type { CliCommand, CommandInput, ExitCode } from '../../shared/command.ts'
import { printJson, printLine, oneLine, formatAge, printable, getColors, table } from '../../shared/output.ts'
import { confirm } from '../../setup/setup-ports.ts'
import { renderBanner } from '../../../named-checkpoint/banner.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { SessionKey } from '../../../kernel/id.ts'
import { readEnvironment } from '../../../harness/descriptor/environment.ts'
import type { SavedNamed, SaveNamedInput } from '../../../named-checkpoint/use-cases.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { describeFinding, GOOD_SCORE } from '../../../named-checkpoint/format/lint.ts'
import { parseName } from '../../../named-checkpoint/format/name.ts'

function readContent(options: CommandInput['options']): Partial<SaveNamedInput> {
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

/** The session given with `--session`, else the one in the harness's environment. */
function findSession({ options, context }: CommandInput): Pick<SaveNamedInput, 'sessionKey' | 'harness'> {
  const named = textOption(options, 'session')
  if (named !== undefined) return { sessionKey: named }
  const { harness, sessionKey } = readEnvironment(context.env)
  return harness === undefined || sessionKey === undefined ? {} : { harness, sessionKey }
}

async function saveOrAsk(input: CommandInput, wanted: SaveNamedInput): Promise<SavedNamed | undefined> {
  const { context } = input
  const agentApi = await context.agentApi()
  try {
    return await agentApi.saveNamed(wanted)
  } catch (thrown) {
    const isEdited = thrown instanceof HoldfastError && thrown.code === 'conflict'
    if (!isEdited || wanted.canReplace === true || !context.io.isInteractive) throw thrown
    if (!(await confirm(context, `${thrown.message} Replace it?`))) return undefined
    return await agentApi.saveNamed({ ...wanted, canReplace: true })
  }
}

export const checkpointSaveCommand: CliCommand = {
  configure(command) {
    command
      .argument('<name>', 'kebab-case name of the work: build-login-page')
      .option('--task <text>', 'the task in one line')
      .option('--next <text>', 'the next command or step')
      .option('--progress <text>', 'finished work (repeatable)', collect)
      .option('--blocker <text>', 'a blocker (repeatable)', collect)
      .option('--decision <text>', 'a decision and its reason (repeatable)', collect)
      .option('--context <text>', 'other facts for the next session (repeatable)', collect)
      .option('--session <key>', 'the session it belongs to', sessionKey)
      .option('-y, --yes', 'replace a file that was edited by hand without asking')
      .addHelpText(
        'after',
        "\nMissing fields are read from SESSION-STATE.md, memory/working-buffer.md and what\nHoldfast recorded, in this order. An incomplete checkpoint is saved too, with a\nlist of what is missing.\n\nExample:\n  $ holdfast checkpoint save login-page --next 'Run `npm test src/auth.test.ts`'",
      )
  },
  async run(input) {
    const { args, options, context } = input
    const { io } = context
    const content = readContent(options)
    // Checked first: an invalid name must not start the daemon.
    const name = parseName(args[0] ?? '', content.task)
    const saved = await saveOrAsk(input, {
      ...content,
      ...findSession(input),
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
    const { yellow } = getColors(io)
    printLine(io, `✅ Checkpoint saved: ${name} (${lint.score}/100)`)
    printLine(io, `   ${saved.path}`)
    if (saved.task !== '') printLine(io, `   Task: ${oneLine(saved.task, 100)}`)
    if (saved.nextAction !== '') printLine(io, `   Next: ${oneLine(saved.nextAction, 100)}`)
    if (saved.checkpointId === undefined)
      printLine(io, yellow('   Only the file was written: checkpoints are disabled here, or the store is unavailable.'))
    for (const { claim, because } of saved.doubts)
      printLine(io, yellow(`   Not confirmed: "${oneLine(claim, 80)}": ${oneLine(because, 80)}`))
    if (lint.score < GOOD_SCORE) printLine(io, yellow('Missing for a later session:'))
    for (const finding of lint.findings) printLine(io, `   - ${oneLine(describeFinding(finding), 160)}`)
    return 0
  },
}

export const checkpointListCommand: CliCommand = {
  configure(command) {
    command.addHelpText('after', '\nAutomatic checkpoints: `holdfast checkpoints list`.')
  },
  async run({ options, context }) {
    const saved = await (await context.agentApi()).listNamed({ cwd: context.cwd })
    const now = systemClock.now()
    if (isSet(options, 'json')) {
      const aged = saved.map((listing) => ({
        ...listing,
        ageMs: Math.max(0, Date.parse(now) - Date.parse(listing.savedAt)),
      }))
      printJson(context.io, aged)
      return 0
    }
    if (saved.length === 0) {
      printLine(context.io, 'No checkpoints found. Save one with `holdfast checkpoint save <name>`.')
      return 0
    }
    const { bold, dim } = getColors(context.io)
    context.io.out(
      table([
        ['Name', 'Saved', 'Age', 'Task'].map((title) => bold(title)),
        ...saved.map(({ name, savedAt, task, isOurs, path }) => [
          oneLine(name, 64),
          savedAt.slice(0, 16).replace('T', ' '),
          dim(formatAge(savedAt, now)),
          oneLine(`${task}${path === undefined ? ' (file is missing)' : isOurs ? '' : ' (edited)'}`, 70),
        ]),
      ]),
    )
    return 0
  },
}

const QUESTION = 'Continue from this point?'
const OVERFLOW_CHARS = 4_000

/** What did not fit into the last recovery. */
async function showOverflow({ options, context }: CommandInput): Promise<ExitCode> {
  const { io, cwd, env } = context
  const of = textOption(options, 'session')
  const { harness, sessionKey } = readEnvironment(env)
  const recovery = await (await context.continuity()).previewRecovery({
    cwd,
    restChars: numberOption(options, 'budget') ?? OVERFLOW_CHARS,
    ...(of !== undefined && { restOf: SessionKey(of) }),
    ...(harness !== undefined && sessionKey !== undefined && { harness, sessionKey: SessionKey(sessionKey) }),
  })
  const { text, leftOut = 0, sources } = recovery
  if (isSet(options, 'json')) {
    printJson(io, { text, leftOut, sources })
    return 0
  }
  if (text !== '') printLine(io, printable(text))
  printLine(io, leftOut === 0 ? 'Nothing else was left out.' : `${leftOut} more did not fit; use a larger --budget.`)
  return 0
}

export const checkpointResumeCommand: CliCommand = {
  configure(command) {
    command
      .argument('[name]', 'name as shown by `checkpoint list` (default: show the overflow of the last recovery)')
      .option('--session <key>', 'without a name: key of the session', sessionKey)
      .option(
        '--budget <chars>',
        `without a name: at most this many characters (default ${OVERFLOW_CHARS})`,
        wholeNumber(200, 80_000),
      )
      .option('-y, --yes', 'do not ask')
      .addHelpText(
        'after',
        '\nNothing is executed, and the checkpoint is not deleted. The setting\nresume.confirm decides whether a confirmation is needed.',
      )
  },
  async run(input) {
    const { args, options, context } = input
    const [name] = args
    if (name === undefined) return showOverflow(input)
    const { io, cwd } = context
    const { project: _project, ...resumed } = await (await context.agentApi()).resumeNamed({ cwd, name })
    const { sections, warnings, savedAt, isOurs } = resumed
    // The daemon does not have the environment of this command.
    const wanted = context.config.resume.confirm
    const needed = wanted === 'never' && !isOurs ? 'interactive' : wanted
    const isConfirmed = isSet(options, 'yes') || needed === 'never'
    if (isSet(options, 'json')) {
      const { sections: _sections, ...rest } = resumed
      printJson(io, { ...rest, ...sections, confirm: needed, isConfirmed })
      return 0
    }
    const banner = renderBanner({
      name: resumed.name,
      read: { ...resumed, createdAt: savedAt },
      age: formatAge(savedAt, systemClock.now()),
      warnings,
      isOurs,
    })
    printLine(io, printable(banner))
    const question = warnings.length > 0 ? 'Some of this has changed. Resume anyway?' : QUESTION
    if (!isConfirmed && !io.isInteractive) {
      // An agent's shell cannot answer; the agent's user can.
      printLine(io, `${question} (yes/no)`)
      if (needed !== 'always') return 0
      printLine(io, 'Not resumed: resume.confirm is `always`. Run it again with --yes.')
      return 1
    }
    if (!isConfirmed && !(await confirm(context, question))) {
      printLine(io, 'Not resumed.')
      return 1
    }
    if (sections.nextAction) printLine(io, `Next: ${oneLine(sections.nextAction, 200)}`)
    printLine(io, 'Start your agent here: its session is offered this checkpoint.')
    return 0
  },
}

export const checkpointDeleteCommand: CliCommand = {
  configure(command) {
    command.argument('<name>', 'name as shown by `holdfast checkpoint list`').option('-y, --yes', 'do not ask')
  },
  async run({ args: [name = ''], options, context }) {
    const agentApi = await context.agentApi()
    const { cwd } = context
    if (!isSet(options, 'yes')) {
      const known = (await agentApi.listNamed({ cwd })).find((listing) => listing.name === name.normalize('NFC').trim())
      const task = known === undefined ? undefined : oneLine(known.task || 'unnamed task', 60)
      if (task !== undefined && !(await confirm(context, `Delete ${oneLine(name, 64)} (${task})?`))) {
        printLine(context.io, 'Nothing was deleted.')
        return 1
      }
    }
    const deleted = await agentApi.deleteNamed({ cwd, name })
    if (isSet(options, 'json')) printJson(context.io, { ...deleted, isDeleted: true })
    else
      printLine(
        context.io,
        `Deleted ${deleted.path ?? `${oneLine(deleted.name, 64)}, whose file was already missing`}.`,
      )
    return 0
  },
}

export const checkpointAutosaveCommand: CliCommand = {
  configure(command) {
    command
      .option('--reason <text>', 'text for the log, such as `context 78%`')
      .addHelpText(
        'after',
        '\nWrites memory/checkpoints/autosave.md and autosave-log.md. The daemon does the\nsame when the context fills up, before a compaction, at a goodbye and at the\nend of a session; see the setting autosave.mode.',
      )
  },
  async run({ options, context }) {
    const reason = textOption(options, 'reason')
    const outcome = await (await context.agentApi()).autosave({
      cwd: context.cwd,
      ...(reason !== undefined && { reason }),
    })
    if (isSet(options, 'json')) printJson(context.io, outcome)
    else if (outcome.isWritten) printLine(context.io, `Saved ${outcome.path}.`)
    else printLine(context.io, `Not saved: ${outcome.because}.`)
    return 0
  },
}
