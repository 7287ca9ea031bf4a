import type { ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { type ErrorLine, errorLinesIn, signatureOf } from '../../kernel/text/error-lines.ts'
import { readTestOutput } from '../../kernel/text/test-output.ts'
import { clip, withoutAnsi } from '../../kernel/text/text.ts'
import { isCheck, type KeyedCommand, keyedCommands, keyedEdits } from '../../kernel/shell/command-key.ts'
import type { Where } from '../../kernel/shell/run-folder.ts'

export interface RunVerdict {
  readonly verdict: 'failed' | 'passed' | 'unknown'
  /** Whom it is about: those to blame when it failed, all of them when it went well. */
  readonly commands: readonly KeyedCommand[]
  readonly errors: readonly ErrorLine[]
  /** What makes two failures the same trouble: names of failing tests, signatures of errors. */
  readonly traits: readonly string[]
  /** How much was wrong: failing tests, or lines that say what went wrong. */
  readonly size: number
}

const MAX_ERRORS = 30
const MAX_TRAITS = 12
/** What stands in the output of any failure, or counts what the lines before it said. */
const COMMONPLACE =
  /^\W*(?:\d+ (?:failed|failing|failures?|errors?|issues?|problems?|tests?|did not run)\b|FAIL(?:ED|URE)?\b[\s:]*(?:$|\S+\s*(?:[\d.]+m?s|\[[\w ]+ failed\]|\(cached\))?$)|exit(?:ed)?\b|tests?:|test (?:suites?|files|result)|error (?:context|trace):|error: (?:found|aborting|could not compile|process|script|command|recipe|test failed|task))|\b(?:task|script|command|recipe|target|process|step|hook)\b.{0,60}\b(?:failed|exited|exit code)|\[[\w:.-]+\] ERROR|exit (?:code|status) \d+$|ELIFECYCLE|ERR_PNPM_RECURSIVE|npm (?:ERR!|error) (?:Lifecycle|workspace|location|Test failed)/i
/** `src/a.go:12:3: what is wrong`: said by compilers that do not call it an error. */
const COMPILER_LINE = /^\S+\.\w{1,5}[:(]\d+(?:[:,]\d+)?\)?:?\s+\S.{6,}/
/** The command never ran: a person or a rule said no. */
const REFUSED =
  /doesn['’]t want to|does not want to|user (?:rejected|declined|denied)|rejected by|permission to use|requires? (?:approval|permission)|not (?:allowed|permitted) by|denied by|blocked (?:by|:)|hook (?:blocked|error|denied)|tool_use_error|was cancell?ed|aborted by/i
const IN_BACKGROUND = /^\s*(?:command|process|shell)\b.{0,40}\b(?:background|session id)\b/i
/** Ended by somebody's hand, not by itself. */
const ENDED_FROM_OUTSIDE: ReadonlySet<number> = new Set([130, 137, 143])
/** What comes last decides the exit status: a pipe into a pager, `|| true`, `; echo done`. */
const MASKED = /\|(?!\|)|\|\||;\s*\S|&\s*$/

/** `example.com/app/parser`: that something in it failed is said beside what did. */
const PACKAGE = /^[\w.-]+(?:\/[\w-]+)+$/

const MIN_LAST_LINE = 12
const SAYS_WHY =
  /\b(?:not|cannot|can't|won't|invalid|missing|unable|denied|refused|unknown|illegal|failed to|no such|cycle|conflict)\b/i

/** Of an output that calls nothing an error: what a compiler says of a line, else its last words. */
function otherLines(output: string): readonly ErrorLine[] {
  const lines = withoutAnsi(output)
    .split('\n')
    .map((line) => line.slice(0, 400).trim())
  const ofCompiler = lines.filter((line) => COMPILER_LINE.test(line)).slice(0, MAX_ERRORS)
  const last = lines.findLast((line) => line.length >= MIN_LAST_LINE && SAYS_WHY.test(line) && !COMMONPLACE.test(line))
  const telling = ofCompiler.length === 0 && last !== undefined ? [last] : ofCompiler
  return telling.map((line) => ({ text: clip(line, 200), signature: signatureOf(line) }))
}

/** The lines that tell this trouble from another one. */
function tellingErrors(output: string): readonly ErrorLine[] {
  const said = errorLinesIn(output, MAX_ERRORS).filter(({ text }) => !COMMONPLACE.test(text))
  return said.length > 0 ? said : otherLines(output)
}

/** Several commands in one line that failed: which of them did is not known, so they are blamed together. */
function together(commands: readonly KeyedCommand[]): readonly KeyedCommand[] {
  const [first] = commands
  const last = commands.at(-1)
  if (first === undefined || last === undefined || commands.length === 1) return commands
  return [
    {
      key: commands.map(({ key }) => key).join(' && '),
      command: commands.map(({ command }) => command).join(' && '),
      purpose: last.purpose,
    },
  ]
}

function blamed(commands: readonly KeyedCommand[], hasRedTests: boolean): readonly KeyedCommand[] {
  const tests = commands.filter(({ purpose }) => purpose === 'test')
  if (hasRedTests && tests.length > 0) return together(tests)
  const checks = commands.filter(isCheck)
  return together(checks.length > 0 ? checks : commands)
}

/** Every key under which a line may have failed before. */
export function keysToMatch(commands: readonly KeyedCommand[]): readonly string[] {
  const groups = [commands, commands.filter(isCheck), commands.filter(({ purpose }) => purpose === 'test')]
  const keys = [...commands, ...groups.flatMap(together)].map(({ key }) => key)
  return [...new Set(keys)]
}

/** The same for a call that is about to be made. */
export function keysOfCall(
  tool: Pick<ToolCall, 'kind' | 'command' | 'cwd' | 'files'>,
  where: Where,
): readonly string[] {
  if (tool.kind === 'edit') return keyedEdits(tool, where).map(({ key }) => key)
  return keysToMatch(keyedCommands(tool.command ?? '', { ...where, ranIn: tool.cwd }))
}

function saysError(output: string): boolean {
  return errorLinesIn(output, 1).length > 0
}

function verdictOf(line: string, outcome: ToolOutcome, isRed: boolean | undefined): RunVerdict['verdict'] {
  const { ok, exitStatus, output = '' } = outcome
  if (outcome.interrupted === true || IN_BACKGROUND.test(output)) return 'unknown'
  if (isRed === true) return 'failed'
  if (ok) return isRed === undefined && MASKED.test(line) && saysError(output) ? 'unknown' : 'passed'
  if (exitStatus !== undefined) return ENDED_FROM_OUTSIDE.has(exitStatus) ? 'unknown' : 'failed'
  return REFUSED.test(output.slice(0, 600)) || !saysError(output) ? 'unknown' : 'failed'
}

const NOTHING_SAID = { errors: [], traits: [], size: 0 } as const

/** Says by itself what to do, and comes for every call of a batch at once. */
const NOT_READ = /has not been read|read it first|modified since/i

/** An edit that the harness would not make, as when the text to replace is not there. */
export function readEdit(edits: readonly KeyedCommand[], { ok, interrupted, output = '' }: ToolOutcome): RunVerdict {
  if (ok) return { verdict: 'passed', commands: edits, ...NOTHING_SAID }
  if (interrupted === true || output === '' || REFUSED.test(output.slice(0, 600)) || NOT_READ.test(output))
    return { verdict: 'unknown', commands: edits, ...NOTHING_SAID }
  const text = clip(output, 200)
  const signature = signatureOf(output)
  return { verdict: 'failed', commands: edits, errors: [{ text, signature }], traits: [signature], size: 1 }
}

/**
 * How a shell command went, as far as what it printed and its exit status tell. A command that went well by its exit status
 * is looked at only when `matters` says that it was failing before: nearly all commands go well, and looking costs time.
 */
export function readRun(
  { command = '', cwd: ranIn }: Pick<ToolCall, 'command' | 'cwd'>,
  outcome: ToolOutcome,
  { matters = () => true, ...where }: Where & { matters?: (keys: readonly string[]) => boolean } = {},
): RunVerdict {
  const commands = keyedCommands(command, { ...where, ranIn })
  if (commands.length === 0) return { verdict: 'unknown', commands, ...NOTHING_SAID }
  const output = outcome.output ?? ''
  const report = commands.some(({ purpose }) => purpose === 'test') ? readTestOutput(output) : undefined
  if (outcome.ok && report?.isRed !== true && outcome.interrupted !== true && !matters(keysToMatch(commands)))
    return { verdict: 'passed', commands, ...NOTHING_SAID }
  const verdict = verdictOf(command, outcome, report?.isRed)
  if (verdict !== 'failed') return { verdict, commands, ...NOTHING_SAID }
  const errors = tellingErrors(output)
  const failing = (report?.failing ?? []).filter((name) => !COMMONPLACE.test(name))
  const named = failing.filter((name) => !PACKAGE.test(name))
  const telling = [...named, ...errors.map(({ signature }) => signature)]
  const traits = (telling.length > 0 ? telling : failing).slice(0, MAX_TRAITS)
  const size = report?.failed ?? (failing.length > 0 ? failing.length : errors.length)
  return { verdict, commands: blamed(commands, report?.isRed === true), errors, traits, size }
}
