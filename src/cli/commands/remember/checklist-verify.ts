import { getChecklist } from '../../../agent-api/checklist/io/checklist-file.ts'
import { getItem } from '../../../agent-api/checklist/mark.ts'
import type { ParsedItem } from '../../../agent-api/checklist/parse.ts'
import { whyNotAgain } from '../../../agent-api/checklist/redact-record.ts'
import { runVerification } from '../../../agent-api/checklist/io/run-verification.ts'
import { redactOutput } from '../../../redaction/redact-input.ts'
import type { ItemRecord, StatedVerification, VerificationRun } from '../../../kernel/checklist.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import { actorOf, checklistWorld } from './checklist-ports.ts'
import type { CliCommand } from '../../shared/command.ts'
import { colorsOf, oneLine, printJson, printLine } from '../../shared/output.ts'
import { confirm } from '../../setup/setup-ports.ts'

const DEFAULT_TIMEOUT_S = 600

interface Planned extends StatedVerification {
  readonly item: ParsedItem
}

interface NotRun {
  readonly item: ParsedItem
  readonly reason: string
}

interface Plan {
  readonly planned: readonly Planned[]
  readonly notRun: readonly NotRun[]
}

/** What was run for an item before, else what the list states for it. */
function planOf(items: readonly ParsedItem[], evidence: readonly ItemRecord[]): Plan {
  const runs = new Map(evidence.flatMap(({ itemId, run }) => (run === undefined ? [] : [[itemId, run] as const])))
  const planned: Planned[] = []
  const notRun: NotRun[] = []
  for (const item of items) {
    if (item.status !== 'done' && item.status !== 'verified') continue
    const run = runs.get(item.id)
    const reason = run && whyNotAgain(run)
    const known = run ?? item.verification
    if (reason !== undefined) notRun.push({ item, reason })
    else if (known !== undefined)
      planned.push({ item, command: known.command, ...(known.expect !== undefined && { expect: known.expect }) })
  }
  return { planned, notRun }
}

function againWith({ id }: ParsedItem): string {
  return `holdfast checklist mark ${id} verified --run "…"`
}

function shortOf({ id, text, status, line }: ParsedItem): Pick<ParsedItem, 'id' | 'text' | 'status' | 'line'> {
  return { id, text, status, line }
}

function shownNotRun({ item, reason }: NotRun) {
  return { item: shortOf(item), reason, hint: `Give the command again: ${againWith(item)}` }
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
        '\nCommands come from earlier `checklist mark --run`, or from the list itself as in\n  - [x] the parser (verify: `npm test`, expect: `0 failed`)\nThe list is text of the repository: read what is shown before you say yes.\nA stored command that was cut or redacted is not run: give it again with `checklist mark`.',
      )
  },
  async run({ args: [only], options, context }) {
    const { io } = context
    const { root, evidence } = await checklistWorld(context)
    const { items } = getChecklist(root, textOption(options, 'file'))
    const wanted = only === undefined ? items : [getItem(items, only)]
    const { planned: plan, notRun } = planOf(wanted, await evidence.list())
    const isJson = isSet(options, 'json')
    const { green, red } = colorsOf(io)
    if (!isJson)
      for (const { item, reason } of notRun)
        printLine(
          io,
          `${red('✗')} ${oneLine(item.text, 60)}  not run: ${reason}. Give the command again: ${againWith(item)}`,
        )
    if (plan.length === 0) {
      if (isJson) printJson(io, redactOutput({ results: [], notRun: notRun.map(shownNotRun) }))
      if (notRun.length > 0) return 1
      if (!isJson)
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
    const results: {
      readonly item: ReturnType<typeof shortOf>
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
      const { id, section, text, status } = item
      await evidence.record({ itemId: id, section, text, status, by: actorOf(context.env), at: systemClock.now(), run })
      results.push({ item: shortOf(item), run })
      if (!isJson) printLine(io, `${run.ok ? green('✓') : red('✗')} ${oneLine(text, 60)}  ${oneLine(command, 60)}`)
    }
    if (isJson) printJson(io, redactOutput({ results, notRun: notRun.map(shownNotRun) }))
    return notRun.length === 0 && results.every(({ run }) => run.ok) ? 0 : 1
  },
}
