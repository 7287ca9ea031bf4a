import { getChecklist } from '../../checklist/checklist-file.ts'
import { getItem } from '../../checklist/mark.ts'
import type { ParsedItem } from '../../checklist/parse.ts'
import { runVerification } from '../../checklist/run-verification.ts'
import { redactOutput } from '../../core/redaction/redact-input.ts'
import type { ItemRecord, StatedVerification, VerificationRun } from '../../core/checklist.ts'
import { systemClock } from '../../platform/clock.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../arguments.ts'
import { actorOf, checklistWorld } from '../checklist-world.ts'
import type { CliCommand } from '../command.ts'
import { colorsOf, oneLine, printJson, printLine } from '../output.ts'
import { confirm } from '../setup-world.ts'

const DEFAULT_TIMEOUT_S = 600

interface Planned extends StatedVerification {
  readonly item: ParsedItem
}

/** What was run for an item before, else what the list states for it. */
function planOf(items: readonly ParsedItem[], evidence: readonly ItemRecord[]): readonly Planned[] {
  const runs = new Map(evidence.flatMap(({ itemId, run }) => (run === undefined ? [] : [[itemId, run] as const])))
  return items
    .filter(({ status }) => status === 'done' || status === 'verified')
    .flatMap((item) => {
      const known = runs.get(item.id) ?? item.verification
      if (known === undefined) return []
      return [{ item, command: known.command, ...(known.expect !== undefined && { expect: known.expect }) }]
    })
}

export const checklistVerifyCommand: CliCommand = {
  name: 'checklist verify',
  summary: 'run the verifications of what is ticked again, and say which fail',
  configure(command) {
    command
      .argument('[item]', 'only this one, by id or text')
      .option('-y, --yes', 'run the commands without a question')
      .option('--timeout <seconds>', `for each command (default ${DEFAULT_TIMEOUT_S})`, wholeNumber(1, 86_400))
      .option('--file <path>', 'another file of the project')
      .addHelpText(
        'after',
        '\nCommands come from earlier `checklist mark --run`, or from the list itself as in\n  - [x] the parser (verify: `npm test`, expect: `0 failed`)\nThe list is text of the repository: read what is shown before you say yes.',
      )
  },
  async run({ args: [only], options, context }) {
    const { io } = context
    const { root, evidence } = await checklistWorld(context)
    const { items } = getChecklist(root, textOption(options, 'file'))
    const wanted = only === undefined ? items : [getItem(items, only)]
    const plan = planOf(wanted, await evidence.list())
    const isJson = isSet(options, 'json')
    if (plan.length === 0) {
      if (isJson) printJson(io, { results: [] })
      else
        printLine(
          io,
          'No ticked item has a verification. Give one with `holdfast checklist mark <item> verified --run …`.',
        )
      return 0
    }
    if (!isSet(options, 'yes')) {
      if (!isJson)
        for (const { item, command } of plan)
          printLine(io, `  ${oneLine(item.text, 50)}\n    $ ${oneLine(command, Number.POSITIVE_INFINITY)}`)
      if (
        !(await confirm(
          context,
          `Run ${plan.length === 1 ? 'this command' : `these ${plan.length} commands`} in ${root}?`,
        ))
      )
        return 1
    }
    const { green, red } = colorsOf(io)
    const results: {
      readonly item: Pick<ParsedItem, 'id' | 'text' | 'status' | 'line'>
      readonly run: VerificationRun
    }[] = []
    for (const { item, command, expect } of plan) {
      const timeoutMs = (numberOption(options, 'timeout') ?? DEFAULT_TIMEOUT_S) * 1_000
      const run = await runVerification({
        command,
        cwd: root,
        timeoutMs,
        clock: systemClock,
        ...(expect !== undefined && { expect }),
      })
      const { id, section, text, status, line } = item
      await evidence.record({ itemId: id, section, text, status, by: actorOf(context.env), at: systemClock.now(), run })
      results.push({ item: { id, text, status, line }, run })
      if (!isJson) printLine(io, `${run.ok ? green('✓') : red('✗')} ${oneLine(text, 60)}  ${oneLine(command, 60)}`)
    }
    if (isJson) printJson(io, redactOutput({ results }))
    return results.every(({ run }) => run.ok) ? 0 : 1
  },
}
