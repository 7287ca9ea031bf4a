import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { createRedactor } from '../../redaction/redactor.ts'
import type { HarnessSetup, SetupPorts } from '../../install/contract/setup.ts'
import {
  describeDisabling,
  describeRemedy,
  findDisablingSettings,
  type DisablingSetting,
} from '../../install/inspect.ts'
import type { ChangePlan, SettingsFileChange } from '../../install/change-plan.ts'
import type { CliContext } from '../shared/command.ts'
import { getColors, count, printLine } from '../shared/output.ts'

const CONTEXT_LINES = 3

/** One file as `diff -u` prints it; undefined stands for a file that does not exist. Empty when nothing differs. */
export function renderFileDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return ''
  const getName = (text: string | undefined) => (text === undefined ? '/dev/null' : path)
  return createTwoFilesPatch(getName(before), getName(after), before ?? '', after ?? '', undefined, undefined, {
    context: CONTEXT_LINES,
    headerOptions: FILE_HEADERS_ONLY,
  })
}

/** Shown in diffs in place of the hook token. */
export const HIDDEN_TOKEN = '<hook token>'

/** All changes as a unified diff. Context lines are the user's settings, so secrets in them are redacted. */
export function renderDiff({ changes }: Pick<ChangePlan, 'changes'>, token?: string): string {
  const diff = changes.map(({ before, after }) => renderFileDiff(before.path, before.text, after)).join('')
  return createRedactor().redact(token === undefined ? diff : diff.replaceAll(token, HIDDEN_TOKEN))
}

const SKILL_OR_COMMAND = /[\\/](?:skills|commands)[\\/]/

/** What the user reads before answering: changes to existing files as a diff, whole skill and command files by name only. */
export function renderQuestionDiff({ changes }: Pick<ChangePlan, 'changes'>, token?: string): string {
  const isNamed = ({ before, after }: SettingsFileChange) =>
    SKILL_OR_COMMAND.test(before.path) && (before.text === undefined) !== (after === undefined)
  const named = changes.filter(isNamed)
  const paths = named.map(({ before, after }) => `${after === undefined ? '-' : '+'} ${before.path}\n`)
  const diff = renderDiff({ changes: changes.filter((change) => !isNamed(change)) }, token)
  const what = `${count(named.length, 'skill or command file', 'skill and command files')} (full text: --dry-run):`
  return named.length === 0 ? diff : `${diff}${what}\n${paths.join('')}`
}

export function coloredDiff(diff: string, context: CliContext): string {
  const { green, red, dim } = getColors(context.io)
  return diff
    .split('\n')
    .map((line) =>
      line.startsWith('+') ? green(line) : line.startsWith('-') ? red(line) : line.startsWith('@') ? dim(line) : line,
    )
    .join('\n')
}

export function printNotices({ notices }: Pick<ChangePlan, 'notices'>, context: CliContext): void {
  const { yellow } = getColors(context.io)
  for (const { path, why } of notices) printLine(context.io, `${yellow('!')} ${path} ${why}.`)
}

/** Settings because of which no hook runs, printed where a context is given. */
export function reportDisablingSettings(
  setup: HarnessSetup,
  ports: SetupPorts,
  context: CliContext | undefined,
): readonly DisablingSetting[] {
  const found = findDisablingSettings(setup, ports)
  if (context === undefined) return found
  const { yellow, dim } = getColors(context.io)
  for (const setting of found) {
    printLine(context.io, `${yellow('!')} No hook runs: ${describeDisabling(setup, setting)}.`)
    printLine(context.io, dim(`  ${describeRemedy(setting)}`))
  }
  return found
}
