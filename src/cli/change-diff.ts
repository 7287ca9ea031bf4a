import { createRedactor } from '../core/redaction/redactor.ts'
import type { ChangePlan } from '../harness/change-plan.ts'
import { unifiedDiff } from '../harness/unified-diff.ts'
import type { CliContext } from './command.ts'
import { colorsOf, printLine } from './output.ts'

/** Stands in a dry run for a token that is not made yet, and in every diff for the one that is. */
export const HIDDEN_TOKEN = '<hook token>'

/** Every change as `diff -u` has it. The lines around ours are somebody's settings: secrets in them are not shown. */
export function diffOf({ changes }: Pick<ChangePlan, 'changes'>, token?: string): string {
  const diff = changes.map(({ before, after }) => unifiedDiff(before.path, before.text, after)).join('')
  return createRedactor().redact(token === undefined ? diff : diff.replaceAll(token, HIDDEN_TOKEN))
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
