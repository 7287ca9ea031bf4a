import type { ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { type ErrorLine, findErrorLines, toErrorSignature } from '../../kernel/text/command-output.ts'
import { readTestOutput } from '../../kernel/text/command-output.ts'
import { clip, withoutAnsi } from '../../kernel/text/text.ts'
import { isCheck, type KeyedCommand, keyedCommands, keyedEdits } from '../../kernel/shell/command-key.ts'
import type { RunContext } from '../../kernel/shell/command.ts'

export interface RunVerdict {
  readonly verdict: 'failed' | 'passed' | 'unknown'
  /** Those to blame when it failed, all of them when it passed. */
  readonly commands: readonly KeyedCommand[]
  readonly errors: readonly ErrorLine[]
  /** What identifies the failure: names of failing tests, signatures of errors. */
  readonly traits: readonly string[]
  /** Number of failing tests or error lines. */
  readonly size: number
}

const MAX_ERRORS = 30
const MAX_TRAITS = 12
/** Lines that appear in the output of any failure, or only count others. */
const COMMONPLACE =
  /^\W*(?:\d+ (?:failed|failing|failures?|errors?|issues?|problems?|tests?|did not run)\b|FAIL(?:ED|URE)?\b[\s:]*(?:$|\S+\s*(?:[\d.]+m?s|\[[\w ]+ failed\]|\(cached\))?$)|exit(?:ed)?\b|tests?:|test (?:suites?|files|result)|error (?:context|trace):|error: (?:found|aborting|could not compile|process|script|command|recipe|test failed|task))|\b(?:task|script|command|recipe|target|process|step|hook)\b.{0,60}\b(?:failed|exited|exit code)|\[[\w:.-]+\] ERROR|exit (?:code|status) \d+$|ELIFECYCLE|ERR_PNPM_RECURSIVE|npm (?:ERR!|error) (?:Lifecycle|workspace|location|Test failed)/i
/** `src/a.go:12:3: what is wrong`, from compilers that do not write "error". */
const COMPILER_LINE = /^\S+\.\w{1,5}[:(]\d+(?:[:,]\d+)?\)?:?\s+\S.{6,}/
/** The command was refused by a person or a rule and never ran. */
const REFUSED =
  /doesn['’]t want to|does not want to|user (?:rejected|declined|denied)|rejected by|permission to use|requires? (?:approval|permission)|not (?:allowed|permitted) by|denied by|blocked (?:by|:)|hook (?:blocked|error|denied)|tool_use_error|was cancell?ed|aborted by/i
const IN_BACKGROUND = /^\s*(?:command|process|shell)\b.{0,40}\b(?:background|session id)\b/i
/** Killed from outside. */
const ENDED_FROM_OUTSIDE: ReadonlySet<number> = new Set([130, 137, 143])
/** Something else decides the exit status: a pipe into a pager, `|| true`, `; echo done`. */
const MASKED = /\|(?!\|)|\|\||;\s*\S|&\s*$/

/** `example.com/app/parser`: a package that contains a failing test. */
const PACKAGE = /^[\w.-]+(?:\/[\w-]+)+$/

const MIN_LAST_LINE = 12
const GIVES_REASON =
  /\b(?:not|cannot|can't|won't|invalid|missing|unable|denied|refused|unknown|illegal|failed to|no such|cycle|conflict)\b/i

/** For output without the word "error": compiler lines, else the last line that gives a reason. */
function otherLines(output: string): readonly ErrorLine[] {
  const lines = withoutAnsi(output)
    .split('\n')
    .map((line) => line.slice(0, 400).trim())
  const ofCompiler = lines.filter((line) => COMPILER_LINE.test(line)).slice(0, MAX_ERRORS)
  const last = lines.findLast(
    (line) => line.length >= MIN_LAST_LINE && GIVES_REASON.test(line) && !COMMONPLACE.test(line),
  )
  const distinctive = ofCompiler.length === 0 && last !== undefined ? [last] : ofCompiler
  return distinctive.map((line) => ({ text: clip(line, 200), signature: toErrorSignature(line) }))
}

/** The lines that distinguish this failure from others. */
function findDistinctiveErrors(output: string): readonly ErrorLine[] {
  const said = findErrorLines(output, MAX_ERRORS).filter(({ text }) => !COMMONPLACE.test(text))
  return said.length > 0 ? said : otherLines(output)
}

/** Which command of a failed line failed is unknown, so they are blamed together. */
function joinCommands(commands: readonly KeyedCommand[]): readonly KeyedCommand[] {
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

function chooseBlamed(commands: readonly KeyedCommand[], hasRedTests: boolean): readonly KeyedCommand[] {
  const tests = commands.filter(({ purpose }) => purpose === 'test')
  if (hasRedTests && tests.length > 0) return joinCommands(tests)
  const checks = commands.filter(isCheck)
  return joinCommands(checks.length > 0 ? checks : commands)
}

/** Every key under which a command line may have failed before. */
export function keysToMatch(commands: readonly KeyedCommand[]): readonly string[] {
  const groups = [commands, commands.filter(isCheck), commands.filter(({ purpose }) => purpose === 'test')]
  const keys = [...commands, ...groups.flatMap(joinCommands)].map(({ key }) => key)
  return [...new Set(keys)]
}

/** The keys of a call that is about to be made. */
export function getCallKeys(
  tool: Pick<ToolCall, 'kind' | 'command' | 'cwd' | 'files'>,
  where: RunContext,
): readonly string[] {
  if (tool.kind === 'edit') return keyedEdits(tool, where).map(({ key }) => key)
  return keysToMatch(keyedCommands(tool.command ?? '', { ...where, ranIn: tool.cwd }))
}

function hasError(output: string): boolean {
  return findErrorLines(output, 1).length > 0
}

function judgeOutcome(line: string, outcome: ToolOutcome, isRed: boolean | undefined): RunVerdict['verdict'] {
  const { ok, exitStatus, output = '' } = outcome
  if (outcome.interrupted === true || IN_BACKGROUND.test(output)) return 'unknown'
  if (isRed === true) return 'failed'
  if (ok) return isRed === undefined && MASKED.test(line) && hasError(output) ? 'unknown' : 'passed'
  if (exitStatus !== undefined) return ENDED_FROM_OUTSIDE.has(exitStatus) ? 'unknown' : 'failed'
  return REFUSED.test(output.slice(0, 600)) || !hasError(output) ? 'unknown' : 'failed'
}

const NO_ERRORS = { errors: [], traits: [], size: 0 } as const

/** Harness errors that say what to do; they repeat for every call of a batch. */
const NOT_READ = /has not been read|read it first|modified since/i

/** The verdict on an edit; one fails when, for example, the text to replace is missing. */
export function readEdit(edits: readonly KeyedCommand[], { ok, interrupted, output = '' }: ToolOutcome): RunVerdict {
  if (ok) return { verdict: 'passed', commands: edits, ...NO_ERRORS }
  if (interrupted === true || output === '' || REFUSED.test(output.slice(0, 600)) || NOT_READ.test(output))
    return { verdict: 'unknown', commands: edits, ...NO_ERRORS }
  const text = clip(output, 200)
  const signature = toErrorSignature(output)
  return { verdict: 'failed', commands: edits, errors: [{ text, signature }], traits: [signature], size: 1 }
}

/**
 * The verdict on a shell command from its output and exit status. The output of a command with exit status 0 is read only
 * when `matters` says that it was failing before, because reading takes time.
 */
export function readRun(
  { command = '', cwd: ranIn }: Pick<ToolCall, 'command' | 'cwd'>,
  outcome: ToolOutcome,
  { matters = () => true, ...where }: RunContext & { matters?: (keys: readonly string[]) => boolean } = {},
): RunVerdict {
  const commands = keyedCommands(command, { ...where, ranIn })
  if (commands.length === 0) return { verdict: 'unknown', commands, ...NO_ERRORS }
  const output = outcome.output ?? ''
  const report = commands.some(({ purpose }) => purpose === 'test') ? readTestOutput(output) : undefined
  if (outcome.ok && report?.isRed !== true && outcome.interrupted !== true && !matters(keysToMatch(commands)))
    return { verdict: 'passed', commands, ...NO_ERRORS }
  const verdict = judgeOutcome(command, outcome, report?.isRed)
  if (verdict !== 'failed') return { verdict, commands, ...NO_ERRORS }
  const errors = findDistinctiveErrors(output)
  const failing = (report?.failing ?? []).filter((name) => !COMMONPLACE.test(name))
  const named = failing.filter((name) => !PACKAGE.test(name))
  const distinctive = [...named, ...errors.map(({ signature }) => signature)]
  const traits = (distinctive.length > 0 ? distinctive : failing).slice(0, MAX_TRAITS)
  const size = report?.failed ?? (failing.length > 0 ? failing.length : errors.length)
  return { verdict, commands: chooseBlamed(commands, report?.isRed === true), errors, traits, size }
}
