import { markChecklistItem } from '../../../agent-api/checklist/io/mark-checklist-item.ts'
import type { VerificationRun } from '../../../kernel/checklist.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { redactOutput } from '../../../redaction/redact-input.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import { actorOf, checklistWorld, markStatusOf } from './checklist-ports.ts'
import type { CliCommand, CliIo, CommandInput } from '../../shared/command.ts'
import { colorsOf, oneLine, printJson, printLine } from '../../shared/output.ts'

const DEFAULT_TIMEOUT_S = 600

function verificationOf(options: CommandInput['options']) {
  const command = textOption(options, 'run')
  const expect = textOption(options, 'expect')
  if (command === undefined && expect !== undefined)
    throw new HoldfastError('invalid-input', '`--expect` needs a `--run`.')
  if (command === undefined) return undefined
  const timeoutMs = (numberOption(options, 'timeout') ?? DEFAULT_TIMEOUT_S) * 1_000
  return { command, timeoutMs, ...(expect !== undefined && { expect }) }
}

function printRefusal(io: CliIo, run: VerificationRun): void {
  const { red, dim } = colorsOf(io)
  const why =
    run.isMatched === false
      ? `did not print ${JSON.stringify(run.expect)}`
      : `ended with ${run.exitStatus ?? run.endedBy}`
  printLine(io, `${red('✗')} not marked: \`${oneLine(run.command, 80)}\` ${why}`)
  for (const line of run.output.trimEnd().split('\n').slice(-10))
    if (line !== '') printLine(io, dim(oneLine(line, 160)))
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
  async run({ args: [wanted = '', given = ''], options, context }) {
    const status = markStatusOf(given)
    const file = textOption(options, 'file')
    const note = textOption(options, 'note')
    const verification = verificationOf(options)
    const { root, evidence } = await checklistWorld(context)
    // Before the list is touched: where evidence cannot be kept, nothing is marked.
    await evidence.list()
    const outcome = await markChecklistItem(
      {
        root,
        wanted,
        status,
        by: actorOf(context.env),
        ...(file !== undefined && { file }),
        ...(note !== undefined && { note }),
        ...(verification !== undefined && { verification }),
      },
      { evidence, clock: systemClock },
    )
    // What was run stands in it, and what that printed.
    const shown = redactOutput({ ...outcome, note })
    const { item, run, isRefused } = shown
    if (isSet(options, 'json')) printJson(context.io, shown)
    else if (isRefused && run !== undefined) printRefusal(context.io, run)
    else
      printLine(
        context.io,
        `${colorsOf(context.io).green('✓')} line ${item.line} is ${item.status}: ${oneLine(item.text, 80)}`,
      )
    return isRefused ? 1 : 0
  },
}
