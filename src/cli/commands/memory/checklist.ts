import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseChecklist, type ParsedItem } from '../../../agent-api/checklist/parse.ts'
import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CliIo, CommandInput, CliContext } from '../../shared/command.ts'
import { oneLine, printJson, table, getColors, printLine, count } from '../../shared/output.ts'
import { getChecklist } from '../../../agent-api/checklist/io/checklist-file.ts'
import { getItem } from '../../../agent-api/checklist/mark.ts'
import { explainNotRepeatable } from '../../../agent-api/checklist/redact-record.ts'
import { runVerification } from '../../../agent-api/checklist/io/mark-checklist-item.ts'
import { redactOutput } from '../../../redaction/redact-input.ts'
import {
  type ItemRecord,
  type StatedVerification,
  type VerificationRun,
  countByStatus,
  currentItem,
  type Discrepancy,
  ITEM_STATUSES,
  type ChecklistEvidence,
  MARK_STATUSES,
  type MarkStatus,
  type NotLookedAt,
} from '../../../kernel/checklist.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { confirm } from '../../setup/setup-ports.ts'
import { markChecklistItem } from '../../../agent-api/checklist/io/mark-checklist-item.ts'
import { findDiscrepancies } from '../../../agent-api/checklist/io/discrepancies.ts'
import { createCodeInspector } from '../../../codemap/code-inspector.ts'
import { builtFile } from '../../shared/built-files.ts'
import { readEnvironment } from '../../../harness/descriptor/environment.ts'
import { createLocator } from '../../../platform/locator.ts'

const ENTITIES_READ = 500
const SHOWN_NOT_LOOKED_AT = 10

export interface ChecklistPorts {
  /** The folder of `CHECKLIST.md`: the root of the worktree. */
  readonly root: string
  readonly evidence: ChecklistEvidence
}

/** The list is edited in this process; the daemon stores the evidence. */
export async function createChecklistPorts(context: CliContext): Promise<ChecklistPorts> {
  const { worktree } = await createLocator({ clock: systemClock }).locate(context.cwd)
  const agentApi = await context.agentApi()
  return {
    root: worktree,
    evidence: {
      record: (record) => agentApi.saveItemRecord({ cwd: worktree, record }),
      list: () => agentApi.listItemRecords({ cwd: worktree }),
    },
  }
}

export function parseMarkStatus(given: string): MarkStatus {
  const status = MARK_STATUSES.find((known) => known === given.toLowerCase().replaceAll('-', '_'))
  if (status !== undefined) return status
  throw new HoldfastError('invalid-input', `${JSON.stringify(given)} is not a status.`, {
    hint: `Use one of ${MARK_STATUSES.join(', ')}.`,
  })
}

/** The harness session in whose shell this runs, else `cli`. */
export function findActor(env: CliContext['env']): string {
  const { harness, sessionKey } = readEnvironment(env)
  return harness === undefined || sessionKey === undefined ? 'cli' : `${harness}/${sessionKey}`
}

function printDiscrepancies(io: CliIo, found: readonly Discrepancy[]): void {
  if (found.length === 0) return
  const { yellow, dim } = getColors(io)
  printLine(io)
  printLine(io, yellow(`${count(found.length, 'discrepancy', 'discrepancies')}: ticked, but evidence contradicts it`))
  for (const { text, reason, where, detail } of found)
    printLine(io, `  ${oneLine(text, 60)}\n    ${reason} ${dim(oneLine(`${where}  ${detail}`, 110))}`)
}

function printNotLookedAt(io: CliIo, skipped: readonly NotLookedAt[]): void {
  if (skipped.length === 0) return
  const { dim } = getColors(io)
  printLine(io)
  printLine(io, `Not compared with code: ${count(skipped.length, 'case')}`)
  for (const { text, because } of skipped.slice(0, SHOWN_NOT_LOOKED_AT))
    printLine(io, `  ${oneLine(text, 60)}\n    ${dim(oneLine(because, 110))}`)
  const more = skipped.length - SHOWN_NOT_LOOKED_AT
  if (more > 0) printLine(io, dim(`  and ${more} more: \`--json\` lists them`))
}

export const checklistShowCommand: CliCommand = {
  configure(command) {
    command.option('--file <path>', 'another file of the project').option('--all', 'include done and verified items')
  },
  async run({ options, context }) {
    const { root, evidence } = await createChecklistPorts(context)
    const { path, items } = getChecklist(root, textOption(options, 'file'))
    const agentApi = await context.agentApi()
    const { discrepancies, notLookedAt } = await findDiscrepancies({
      root,
      items,
      evidence: await evidence.list().catch((thrown: unknown) => {
        context.io.err(`Shown without earlier verifications: ${getErrorMessage(thrown)}\n`)
        return []
      }),
      inspector: createCodeInspector({
        cacheDir: join(context.home.root, 'codemap'),
        parser: { workerFile: builtFile('codemap-worker.js'), grammarsDir: builtFile('grammars') },
        clock: systemClock,
      }),
      entities: await agentApi.listEntities({ cwd: root, limit: ENTITIES_READ }).catch(() => []),
    })
    const counts = countByStatus(items)
    const current = currentItem(items)
    if (isSet(options, 'json')) {
      const plain = items.map(({ id, section, text, status, line }) => ({ id, section, text, status, line }))
      printJson(context.io, {
        path,
        total: items.length,
        counts,
        currentId: current?.id,
        items: plain,
        discrepancies,
        notLookedAt,
      })
      return 0
    }
    const { bold, dim } = getColors(context.io)
    const totals = ITEM_STATUSES.filter((status) => counts[status] > 0).map((status) => `${counts[status]} ${status}`)
    printLine(
      context.io,
      `${bold(path)}: ${count(items.length, 'item')}${totals.length > 0 ? `, ${totals.join(', ')}` : ''}`,
    )
    const shown = items.filter(({ status }) => isSet(options, 'all') || (status !== 'done' && status !== 'verified'))
    context.io.out(
      table(
        shown.map((item) => [
          item === current ? '>' : ' ',
          dim(item.id),
          item.status,
          dim(oneLine(item.section, 24)),
          oneLine(item.text, 70),
        ]),
      ),
    )
    printDiscrepancies(context.io, discrepancies)
    printNotLookedAt(context.io, notLookedAt)
    return 0
  },
}

const DEFAULT_TIMEOUT_S = 600

function readVerification(options: CommandInput['options']) {
  const command = textOption(options, 'run')
  const expect = textOption(options, 'expect')
  if (command === undefined && expect !== undefined)
    throw new HoldfastError('invalid-input', '`--expect` needs `--run`.')
  if (command === undefined) return undefined
  const timeoutMs = (numberOption(options, 'timeout') ?? DEFAULT_TIMEOUT_S) * 1_000
  return { command, timeoutMs, ...(expect !== undefined && { expect }) }
}

function printRefusal(io: CliIo, run: VerificationRun): void {
  const { red, dim } = getColors(io)
  const why =
    run.isMatched === false
      ? `did not print ${JSON.stringify(run.expect)}`
      : `ended with ${run.exitStatus ?? run.endedBy}`
  printLine(io, `${red('✗')} not marked: \`${oneLine(run.command, 80)}\` ${why}`)
  for (const line of run.output.trimEnd().split('\n').slice(-10))
    if (line !== '') printLine(io, dim(oneLine(line, 160)))
}

export const checklistMarkCommand: CliCommand = {
  configure(command) {
    command
      .argument('<item>', 'id, text, or a unique part of the text')
      .argument('<status>', 'pending, in_progress, done, verified or blocked')
      .option('--note <text>', 'a note, stored outside the file')
      .option('--run <command>', 'run this in your shell first (required for `verified`)')
      .option('--expect <text>', 'text that its output must contain')
      .option(
        '--timeout <seconds>',
        `time limit for the command (default ${DEFAULT_TIMEOUT_S})`,
        wholeNumber(1, 86_400),
      )
      .option('--file <path>', 'another file of the project')
      .addHelpText(
        'after',
        '\nOnly the marker of the item changes in the file.\n\nExamples:\n  $ holdfast checklist mark "token refresh" in_progress\n  $ holdfast checklist mark 3f2a9c81d0 verified --run "npm test" \\\n      --expect "0 failed"',
      )
  },
  async run({ args: [wanted = '', given = ''], options, context }) {
    const status = parseMarkStatus(given)
    const file = textOption(options, 'file')
    const note = textOption(options, 'note')
    const verification = readVerification(options)
    const { root, evidence } = await createChecklistPorts(context)
    // Checked first: without a store for the evidence, nothing is marked.
    await evidence.list()
    const outcome = await markChecklistItem(
      {
        root,
        wanted,
        status,
        by: findActor(context.env),
        ...(file !== undefined && { file }),
        ...(note !== undefined && { note }),
        ...(verification !== undefined && { verification }),
      },
      { evidence, clock: systemClock },
    )
    // It contains the command and its output.
    const shown = redactOutput({ ...outcome, note })
    const { item, run, isRefused } = shown
    if (isSet(options, 'json')) printJson(context.io, shown)
    else if (isRefused && run !== undefined) printRefusal(context.io, run)
    else
      printLine(
        context.io,
        `${getColors(context.io).green('✓')} line ${item.line} is ${item.status}: ${oneLine(item.text, 80)}`,
      )
    return isRefused ? 1 : 0
  },
}

interface PlannedVerification extends StatedVerification {
  readonly item: ParsedItem
}

interface NotRun {
  readonly item: ParsedItem
  readonly reason: string
}

interface VerificationPlan {
  readonly planned: readonly PlannedVerification[]
  readonly notRun: readonly NotRun[]
}

/** Uses the command of an earlier run, else the one in the list. */
function planVerifications(items: readonly ParsedItem[], evidence: readonly ItemRecord[]): VerificationPlan {
  const runs = new Map(evidence.flatMap(({ itemId, run }) => (run === undefined ? [] : [[itemId, run] as const])))
  const planned: PlannedVerification[] = []
  const notRun: NotRun[] = []
  for (const item of items) {
    if (item.status !== 'done' && item.status !== 'verified') continue
    const run = runs.get(item.id)
    const reason = run && explainNotRepeatable(run)
    const known = run ?? item.verification
    if (reason !== undefined) notRun.push({ item, reason })
    else if (known !== undefined)
      planned.push({ item, command: known.command, ...(known.expect !== undefined && { expect: known.expect }) })
  }
  return { planned, notRun }
}

function renderMarkCommand({ id }: ParsedItem): string {
  return `holdfast checklist mark ${id} verified --run "…"`
}

function summarizeItem({ id, text, status, line }: ParsedItem): Pick<ParsedItem, 'id' | 'text' | 'status' | 'line'> {
  return { id, text, status, line }
}

function describeNotRun({ item, reason }: NotRun) {
  return { item: summarizeItem(item), reason, hint: `Give the command again: ${renderMarkCommand(item)}` }
}

export const checklistVerifyCommand: CliCommand = {
  configure(command) {
    command
      .argument('[item]', 'only this item, by id or text')
      .option('-y, --yes', 'run the commands without asking')
      .option(
        '--timeout <seconds>',
        `time limit for each command (default ${DEFAULT_TIMEOUT_S})`,
        wholeNumber(1, 86_400),
      )
      .option('--file <path>', 'another file of the project')
      .addHelpText(
        'after',
        '\nThe commands come from earlier `checklist mark --run` calls or from the list:\n  - [x] the parser (verify: `npm test`, expect: `0 failed`)\nThe list is part of the repository: read the commands before you confirm.\nA stored command that was cut or redacted is not run; give it again with\n`checklist mark`.',
      )
  },
  async run({ args: [only], options, context }) {
    const { io } = context
    const { root, evidence } = await createChecklistPorts(context)
    const { items } = getChecklist(root, textOption(options, 'file'))
    const wanted = only === undefined ? items : [getItem(items, only)]
    const { planned: plan, notRun } = planVerifications(wanted, await evidence.list())
    const isJson = isSet(options, 'json')
    const { green, red } = getColors(io)
    if (!isJson)
      for (const { item, reason } of notRun)
        printLine(
          io,
          `${red('✗')} ${oneLine(item.text, 60)}  not run: ${reason}. Give the command again: ${renderMarkCommand(item)}`,
        )
    if (plan.length === 0) {
      if (isJson) printJson(io, redactOutput({ results: [], notRun: notRun.map(describeNotRun) }))
      if (notRun.length > 0) return 1
      if (!isJson)
        printLine(
          io,
          'No ticked item has a verification. Add one with `holdfast checklist mark <item> verified --run …`.',
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
      readonly item: ReturnType<typeof summarizeItem>
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
      await evidence.record({
        itemId: id,
        section,
        text,
        status,
        by: findActor(context.env),
        at: systemClock.now(),
        run,
      })
      results.push({ item: summarizeItem(item), run })
      if (!isJson) printLine(io, `${run.ok ? green('✓') : red('✗')} ${oneLine(text, 60)}  ${oneLine(command, 60)}`)
    }
    if (isJson) printJson(io, redactOutput({ results, notRun: notRun.map(describeNotRun) }))
    return notRun.length === 0 && results.every(({ run }) => run.ok) ? 0 : 1
  },
}

const MAX_BYTES = 16_000_000

async function readText(path: string): Promise<string> {
  try {
    const facts = await stat(path)
    if (!facts.isFile()) throw new HoldfastError('invalid-input', `${path} is not a file.`)
    if (facts.size > MAX_BYTES) throw new HoldfastError('too-large', `${path} has ${facts.size} bytes.`)
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof HoldfastError) throw cause
    throw new HoldfastError('not-found', `Cannot read ${path}: ${getErrorMessage(cause)}`, { cause })
  }
}

export const checklistParseCommand: CliCommand = {
  configure(command) {
    command
      .argument('<file>', 'a Markdown file')
      .addHelpText('after', '\nExample:\n  $ holdfast checklist parse CHECKLIST.md --json')
  },
  async run({ args: [file = ''], options, context }) {
    const items = parseChecklist(await readText(resolve(context.cwd, file)))
    if (isSet(options, 'json'))
      printJson(
        context.io,
        items.map(({ id, section, text, status, line }) => ({ id, section, text, status, line })),
      )
    else
      context.io.out(
        table(
          items.map(({ id, section, text, status, line }) => [
            id,
            String(line),
            status,
            oneLine(section, 24),
            oneLine(text, 70),
          ]),
        ),
      )
    return 0
  },
}
