import { createRedactor } from '../../redaction/redactor.ts'
import type { ChangePlan, FileChange } from '../../install/change-plan.ts'
import { unifiedDiff } from '../../install/unified-diff.ts'
import type { CliContext } from '../shared/command.ts'
import { colorsOf, count, printLine } from '../shared/output.ts'

/** Stands in a dry run for a token that is not made yet, and in every diff for the one that is. */
export const HIDDEN_TOKEN = '<hook token>'

/** Every change as `diff -u` has it. The lines around ours are somebody's settings: secrets in them are not shown. */
export function diffOf({ changes }: Pick<ChangePlan, 'changes'>, token?: string): string {
  const diff = changes.map(({ before, after }) => unifiedDiff(before.path, before.text, after)).join('')
  return createRedactor().redact(token === undefined ? diff : diff.replaceAll(token, HIDDEN_TOKEN))
}

/** Ours from the first line to the last, and the same for everybody. */
const SKILL_OR_COMMAND = /[\\/](?:skills|commands)[\\/]/

/**
 * What a person has to read before a yes: every change to files of theirs, and what their agent is told. Skills and
 * commands that come or go as whole files are named; `--dry-run` shows these too.
 */
export function askingDiffOf({ changes }: Pick<ChangePlan, 'changes'>, token?: string): string {
  const isNamed = ({ before, after }: FileChange) =>
    SKILL_OR_COMMAND.test(before.path) && (before.text === undefined) !== (after === undefined)
  const named = changes.filter(isNamed)
  const told = named.map(({ before, after }) => `${after === undefined ? '-' : '+'} ${before.path}\n`)
  const rest = diffOf({ changes: changes.filter((change) => !isNamed(change)) }, token)
  const what = `${count(named.length, 'file')} of instructions, whole (\`--dry-run\` shows what is in them):`
  return named.length === 0 ? rest : `${rest}${what}\n${told.join('')}`
}

export function coloredDiff(diff: string, context: CliContext): string {
  const { green, red, dim } = colorsOf(context.io)
  return diff
    .split('\n')
    .map((line) =>
      line.startsWith('+') ? green(line) : line.startsWith('-') ? red(line) : line.startsWith('@') ? dim(line) : line,
    )
    .join('\n')
}

export function printNotices({ notices }: Pick<ChangePlan, 'notices'>, context: CliContext): void {
  const { yellow } = colorsOf(context.io)
  for (const { path, why } of notices) printLine(context.io, `${yellow('!')} ${path} ${why}.`)
}
