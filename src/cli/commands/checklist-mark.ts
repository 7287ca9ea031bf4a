import { getChecklist, markInFile } from '../../checklist/checklist-file.ts'
import { getItem } from '../../checklist/mark.ts'
import type { ParsedItem } from '../../checklist/parse.ts'
import { runVerification } from '../../checklist/run-verification.ts'
import type { VerificationRun } from '../../core/checklist.ts'
import { HoldfastError } from '../../core/errors.ts'
import { systemClock } from '../../platform/clock.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../arguments.ts'
import { actorOf, checklistWorld, markStatusOf } from '../checklist-world.ts'
import type { CliCommand, CommandInput } from '../command.ts'
import { colorsOf, oneLine, printJson, printLine } from '../output.ts'

const DEFAULT_TIMEOUT_S = 600

/** Only what the caller wrote is run: a command that the list itself states is shown, never taken as said. */
async function verificationOf(
  { options }: CommandInput,
  root: string,
  item: ParsedItem,
): Promise<VerificationRun | undefined> {
  const command = textOption(options, 'run')
  const expect = textOption(options, 'expect')
  if (command === undefined) {
    if (expect !== undefined) throw new HoldfastError('invalid-input', '`--expect` needs a `--run`.')
    return undefined
  }
  const stated = item.verification?.command === command ? item.verification.expect : undefined
  const wanted = expect ?? stated
  return await runVerification({
    command,
    cwd: root,
    timeoutMs: (numberOption(options, 'timeout') ?? DEFAULT_TIMEOUT_S) * 1_000,
    clock: systemClock,
    ...(wanted !== undefined && { expect: wanted }),
  })
}

function refuseUnproven(item: ParsedItem): never {
  const stated = item.verification
  throw new HoldfastError('invalid-input', 'An item is verified by a command that ran, and none was given.', {
    hint:
      stated === undefined
        ? 'Give one with `--run "npm test"` and, where the output matters, `--expect "12 passed"`; or mark it `done`.'
        : `The list names one: \`--run ${JSON.stringify(stated.command)}\`.`,
  })
}

export const checklistMarkCommand: CliCommand = {
  name: 'checklist mark',
  summary: 'set an item to pending, in_progress, done, verified or blocked',
  configure(command) {
    command
      .argument('<item>', 'its id, its text, or a part of the text that no other item has')
      .argument('<status>', 'pending, in_progress, done, verified or blocked')
      .option('--note <text>', 'why; kept beside the list, not in it')
      .option('--run <command>', 'run this in your shell first; `verified` needs it')
      .option('--expect <text>', 'what its output must hold')
      .option('--timeout <seconds>', `for the command (default ${DEFAULT_TIMEOUT_S})`, wholeNumber(1, 86_400))
      .option('--file <path>', 'another file of the project')
      .addHelpText(
        'after',
        '\nThe marker in the file changes, and not one other byte.\n\nExamples:\n  $ holdfast checklist mark "token refresh" in_progress\n  $ holdfast checklist mark 3f2a9c81d0 verified --run "npm test" --expect "0 failed"',
      )
  },
  async run(input) {
    const { args, options, context } = input
    const [wanted = '', given = ''] = args
    const status = markStatusOf(given)
    const file = textOption(options, 'file')
    const note = textOption(options, 'note')
    const { root, evidence } = await checklistWorld(context)
    const item = getItem(getChecklist(root, file).items, wanted)
    const run = await verificationOf(input, root, item)
    if (status === 'verified' && run === undefined) refuseUnproven(item)
    const isRefused = run !== undefined && !run.ok
    const marked = isRefused
      ? { isChanged: false, item }
      : markInFile({ root, wanted: item.id, status, ...(file !== undefined && { file }) })
    await evidence.record({
      itemId: item.id,
      section: item.section,
      text: item.text,
      status: marked.item.status,
      by: actorOf(context.env),
      at: systemClock.now(),
      ...(note !== undefined && { note }),
      ...(run !== undefined && { run }),
    })
    const { id, section, text, status: now, line } = marked.item
    if (isSet(options, 'json')) {
      printJson(context.io, { item: { id, section, text, status: now, line }, isChanged: marked.isChanged, note, run })
    } else {
      const { green, red, dim } = colorsOf(context.io)
      if (isRefused) {
        printLine(
          context.io,
          `${red('✗')} not marked: \`${oneLine(run.command, 80)}\` ${run.isMatched === false ? `did not print ${JSON.stringify(run.expect)}` : `ended with ${run.exitStatus ?? run.endedBy}`}`,
        )
        printLine(
          context.io,
          dim(
            run.output
              .trimEnd()
              .split('\n')
              .slice(-10)
              .map((said) => oneLine(said, 160))
              .join('\n'),
          ),
        )
      } else printLine(context.io, `${green('✓')} line ${line} is ${now}: ${oneLine(text, 80)}`)
    }
    return isRefused ? 1 : 0
  },
}
