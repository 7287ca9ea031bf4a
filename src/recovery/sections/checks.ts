import type { CheckRun, WorkSummary } from '../../kernel/checkpoint.ts'
import { settlesCommand } from '../../kernel/shell/whole-suite.ts'
import { labelCommand } from '../../kernel/shell/label-command.ts'
import { isDisputed } from '../dialogue/disputed.ts'
import type { Item } from '../items/item.ts'

const MAX_CHECKS = 4
const MAX_FAILED = 2

/** Checkpoints without checks: from the commands and the results of tests. */
function fromCommands({ commands, tests }: WorkSummary): readonly CheckRun[] {
  return commands.flatMap(({ command, purpose, ok, lastOrder }): readonly CheckRun[] => {
    if (purpose !== 'test' && purpose !== 'build' && purpose !== 'lint') return []
    const line = tests.find((test) => test.command === command && /^\d+ (?:passed|failed)/.test(test.name))?.name
    return [
      {
        command,
        purpose,
        verdict: ok ? 'passed' : 'failed',
        order: lastOrder,
        ...(line === undefined ? {} : { line }),
      },
    ]
  })
}

const MAX_LINE_CHARS = 200
/** A shorter choice of tests may mean any. */
const LEAST_NAME = 6
/** Where more can be read, and not what went wrong. */
const SAYS_WHERE = /^Error Context:|^FAIL\s+\S+\s+(?:[\d.]+s|\[build failed\])$/

/** A failed run with the error that it ended with, where its result line names only the test. */
function withError(given: CheckRun, { errors }: WorkSummary): CheckRun {
  if (given.verdict !== 'failed' || (given.line !== undefined && (given.findings?.length ?? 0) > 0)) return given
  const [name = ''] = given.failing ?? []
  const isCount = given.line !== undefined && /^\d+ (?:tests? )?fail\w*$/i.test(given.line)
  const run = isCount && name !== '' ? { ...given, line: `${given.line}: ${name}` } : given
  const error = errors.findLast(
    ({ command, lastOrder, resolution, text }) =>
      command !== undefined &&
      !SAYS_WHERE.test(text) &&
      lastOrder === run.order &&
      resolution === undefined &&
      run.line?.includes(text) !== true,
  )
  if (error === undefined) return run
  const line = run.line === undefined ? error.text : `${run.line}; ${error.text}`
  return line.length > MAX_LINE_CHARS ? run : { ...run, line }
}

function isFailed({ verdict }: CheckRun): boolean {
  return verdict === 'failed' || verdict === 'nothing-ran'
}

/** What was tested later was built; what a later run of the same kind covers is not red any more. */
function isOvertaken({ purpose, order, command }: CheckRun, runs: readonly CheckRun[]): boolean {
  return runs.some(
    (later) =>
      later.verdict === 'passed' &&
      later.order > order &&
      (purpose === 'build' || (later.purpose === purpose && settlesCommand(later.command, command))),
  )
}

/** What follows the options that choose tests by their names. */
const CHOSEN =
  /(?:^|\s)(?:--?(?:run|t|k|grep|filter|tests?|testNamePattern|test-name-pattern|example|e))[= ]\s*(?:"([^"]+)"|'([^']+)'|([^\s'"]+))/g

/** Whether a run chose the test by its name, or by the beginning of it. */
function hasChosen({ command }: CheckRun, name: string): boolean {
  return [...command.matchAll(CHOSEN)].some(([, double, single, bare]) =>
    (double ?? single ?? bare ?? '')
      .split('|')
      .map((part) => part.replace(/^\^|\$$/g, ''))
      .some((part) => part.length >= LEAST_NAME && !part.endsWith('…') && name.includes(part)),
  )
}

/** Of a failed run: its failing tests all passed later, chosen by name, and the run itself was not repeated. */
function hasPassedByName(run: CheckRun, runs: readonly CheckRun[]): boolean {
  const all = run.failing ?? []
  // A package is listed beside the tests that failed in it.
  const names = all.filter((name) => !name.includes('/')).length > 0 ? all.filter((name) => !name.includes('/')) : all
  return (
    names.length > 0 &&
    names.every((name) =>
      runs.some((later) => later.verdict === 'passed' && later.order > run.order && hasChosen(later, name)),
    )
  )
}

const DOCUMENT = /\.(?:md|mdx|txt|rst|adoc)$|(?:^|\/)docs?\//i

/** Code was edited, and nothing was run that would show whether it works. */
export function isUnchecked({ files, checks = [], commands }: WorkSummary): boolean {
  const isCheck = ({ purpose }: WorkSummary['commands'][number]) =>
    purpose === 'test' || purpose === 'build' || purpose === 'lint'
  return (
    checks.length === 0 && !commands.some(isCheck) && files.some(({ path, edits }) => edits > 0 && !DOCUMENT.test(path))
  )
}

const MAX_LABEL_CHARS = 80

/** Two commands never look the same: where they do in little room, they are whole. */
function listLabels(runs: readonly CheckRun[]): readonly string[] {
  const labels = runs.map(({ command }) => labelCommand(command, MAX_LABEL_CHARS))
  return labels.map((label, index) =>
    labels.indexOf(label) === labels.lastIndexOf(label) ? label : (runs[index]?.command ?? label),
  )
}

/** The last run of each kind of check, the newest first. */
export function checkItems(work: WorkSummary): readonly Item[] {
  const runs = work.checks === undefined || work.checks.length === 0 ? fromCommands(work) : work.checks
  const newest = runs.toSorted((a, b) => b.order - a.order)
  const lastEdit = work.lastEditOrder ?? 0
  // A failure that nothing has overtaken is named before what passed.
  const failed = newest
    .filter((run) => isFailed(run) && !isOvertaken(run, newest))
    .filter(
      // Of older code, only the newest failure of its kind.
      (run, index, all) => run.order >= lastEdit || all.findIndex(({ purpose }) => purpose === run.purpose) === index,
    )
    .slice(0, MAX_FAILED)
  const others = newest.filter(
    (run, index) =>
      !isFailed(run) && newest.findIndex((other) => other.purpose === run.purpose && !isFailed(other)) === index,
  )
  const isRed = (kind: CheckRun['purpose']) => failed.some(({ purpose }) => purpose === kind)
  const shown = [...failed, ...others.filter(({ purpose, order }) => order >= lastEdit || !isRed(purpose))].slice(
    0,
    MAX_CHECKS,
  )
  const labels = listLabels(shown)
  return shown.map((run, index) => ({
    section: 'checks',
    content: {
      kind: 'check',
      label: labels[index] ?? run.command,
      run: withError(run, work),
      isOutdated: run.order < lastEdit,
      ...(isFailed(run) && hasPassedByName(run, newest) ? { hasPassedByName: true } : {}),
      ...(run.verdict === 'passed' && isDisputed(run, work.dialogue) ? { isDisputed: true } : {}),
    },
    origin: 'checks',
    reason: `last run of this ${run.purpose}`,
  }))
}
