import { messageOf } from '../../core/errors.ts'
import { datedId, EventId, SessionKey } from '../../core/id.ts'
import { describeFinding, GOOD_SCORE } from '../../core/named-checkpoint/lint.ts'
import { parseName } from '../../core/named-checkpoint/name.ts'
import type { NamedCheckpoint } from '../../core/named-checkpoint/named-checkpoint.ts'
import type { SaveInput } from '../../named-checkpoint/save.ts'
import { saveNamed } from '../../named-checkpoint/save.ts'
import { systemClock } from '../../platform/clock.ts'
import { systemEntropy } from '../../platform/entropy.ts'
import { collect, isSet, listOption, textOption } from '../arguments.ts'
import { checkpointFolder, observedIn } from '../checkpoint-world.ts'
import type { CliCommand, CommandInput } from '../command.ts'
import { colorsOf, oneLine, printJson, printLine } from '../output.ts'
import { confirm } from '../setup-world.ts'

function bullets(options: CommandInput['options'], name: string): string | undefined {
  const given = listOption(options, name)
  if (given.length === 0) return undefined
  return given.length === 1 ? given[0] : given.map((line) => `- ${line}`).join('\n')
}

function givenSections(options: CommandInput['options']): NonNullable<SaveInput['given']> {
  const nextAction = textOption(options, 'next')
  const progress = bullets(options, 'progress')
  const blockers = bullets(options, 'blocker')
  const decisions = bullets(options, 'decision')
  const context = bullets(options, 'context')
  return {
    ...(nextAction !== undefined && { nextAction }),
    ...(progress !== undefined && { progress }),
    ...(blockers !== undefined && { blockers }),
    ...(decisions !== undefined && { decisions }),
    ...(context !== undefined && { context }),
  }
}

/** Kept in the store as well where a session is known. The file is saved already, so a failure here is said and no more. */
async function isRecorded({ options, context }: CommandInput, saved: NamedCheckpoint): Promise<boolean> {
  const key = textOption(options, 'session') ?? context.env.CLAUDE_CODE_SESSION_ID
  if (key === undefined || key === '') return false
  try {
    const continuity = await context.continuity()
    const session = await continuity.getSession(SessionKey(key))
    await continuity.record({
      kind: 'digest-written',
      id: EventId(datedId('evt', saved.createdAt, systemEntropy.bytes(10))),
      harness: session.harness,
      sessionKey: session.key,
      at: saved.createdAt,
      door: 'cli',
      cwd: context.cwd,
      name: saved.name,
      summary: saved.task || saved.name,
      ...(saved.sections.nextAction !== '' && { nextAction: saved.sections.nextAction }),
      ...(saved.sections.blockers !== '' && { blockers: saved.sections.blockers.split('\n') }),
    })
    return true
  } catch (thrown) {
    context.io.err(`Not recorded for session ${oneLine(key, 80)}: ${messageOf(thrown)}\n`)
    return false
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
      .option('--session <key>', 'the session it belongs to, for the store')
      .option('-y, --yes', 'replace a file that was edited by hand without a question')
      .addHelpText(
        'after',
        "\nWhat is not given is read from SESSION-STATE.md, then memory/working-buffer.md, then what Holdfast saw.\nA poor checkpoint is saved too, with what it lacks.\n\nExample:\n  $ holdfast checkpoint save build-login-page --next 'Run `npm test -- src/auth.test.ts`'",
      )
  },
  async run(input) {
    const { args, options, context } = input
    const { io } = context
    const task = textOption(options, 'task')
    const name = parseName(args[0] ?? '', task)
    const folder = await checkpointFolder(context)
    const before = folder.find(name)
    let canReplace = isSet(options, 'yes')
    if (before?.isOurs === false && !canReplace && io.isInteractive) {
      canReplace = await confirm(context, `${before.path} was edited by hand or written elsewhere. Replace it?`)
      if (!canReplace) return 1
    }
    const observed = await observedIn(context, folder.root)
    const { checkpoint, path, isReplaced, lint } = await saveNamed(folder, {
      name,
      now: systemClock.now(),
      given: givenSections(options),
      canReplace,
      ...(task !== undefined && { task }),
      ...(observed !== undefined && { observed }),
    })
    const { nextAction } = checkpoint.sections
    const recorded = await isRecorded(input, checkpoint)
    if (isSet(options, 'json')) {
      printJson(io, { name, path, task: checkpoint.task, nextAction, isReplaced, isRecorded: recorded, ...lint })
      return 0
    }
    const { yellow } = colorsOf(io)
    printLine(io, `✅ Checkpoint saved: ${name} (${lint.score}/100)`)
    printLine(io, `   ${path}`)
    if (checkpoint.task !== '') printLine(io, `   Task: ${oneLine(checkpoint.task, 100)}`)
    if (nextAction !== '') printLine(io, `   Next: ${oneLine(nextAction, 100)}`)
    if (lint.score < GOOD_SCORE) printLine(io, yellow('A later session would have to ask:'))
    for (const finding of lint.findings) printLine(io, `   - ${oneLine(describeFinding(finding), 160)}`)
    return 0
  },
}
