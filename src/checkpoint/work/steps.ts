import type { ToolStep } from '../../kernel/checkpoint.ts'
import type { EventOf } from '../../kernel/event.ts'
import { labelCommand } from '../../kernel/shell/label-command.ts'
import { looksOnly } from '../../kernel/shell/looks-only.ts'
import { relativePath, toRelativeText } from '../../kernel/paths/paths.ts'
import { findErrorLines } from '../../kernel/text/command-output.ts'
import { clipQuote } from '../../kernel/text/text.ts'
import type { FoldLocation } from './fold-paths.ts'
import type { WorkState } from './state.ts'

const MAX_STEPS = 12
const MAX_WHAT_CHARS = 240
const MAX_ERROR_CHARS = 160
/** Every command runs there. */
const GOES_TO_ROOT = /^cd \. && /
/** Older calls that failed stay: how not to do it. */
const MAX_FAILED = 8

/** A subagent that was asked, or a command that may have changed something: after it, "nothing changed" cannot be claimed. */
function mayHaveChanged({ kind, what }: ToolStep): boolean {
  return kind === 'agent' || (kind === 'shell' && (what.includes('…') || !looksOnly(what)))
}

/** The newest steps; before them the newest ones that failed with a reason, and the last that may have changed something. */
function keepNewest(steps: readonly ToolStep[]): readonly ToolStep[] {
  const older = steps.slice(0, -MAX_STEPS)
  const failed = new Set(older.filter(({ ok, error }) => !ok && error !== undefined).slice(-MAX_FAILED))
  const changing = older.findLast((step) => step.ok && mayHaveChanged(step))
  return [...older.filter((step) => failed.has(step) || step === changing), ...steps.slice(-MAX_STEPS)]
}

/** The line that looks like an error, else the first line: of a tool of the harness the whole output is the reason. */
function findReason(output: string, isShell: boolean): string | undefined {
  const plain = output.replace(/<\/?tool_use_error>/g, '').trim()
  const [error] = findErrorLines(plain, 1)
  if (error !== undefined || isShell) return error?.text
  const [first = ''] = plain.split('\n')
  return first === '' ? undefined : first
}

/** The newest tool calls of the main thread, to say what was done since the last words. */
export function withStep(
  state: WorkState,
  { tool, outcome, subagent }: EventOf<'tool-finished'>,
  here: FoldLocation,
): WorkState {
  if (subagent !== undefined || tool.kind === 'todo') return state
  const [file] = tool.files
  const path = file === undefined ? undefined : (relativePath(file.path, here) ?? file.path)
  const named = tool.kind === 'search' ? (tool.query ?? path) : (tool.command ?? path ?? tool.query ?? tool.description)
  const relative = toRelativeText(here.worktree ?? '', named ?? tool.name)
  const what = labelCommand(relative.replace(GOES_TO_ROOT, ''), MAX_WHAT_CHARS)
  const error = outcome.ok ? undefined : findReason(outcome.output ?? '', tool.kind === 'shell')
  const step: ToolStep = {
    kind: tool.kind,
    what,
    ok: outcome.ok && outcome.interrupted !== true && outcome.refused === undefined,
    ...(error === undefined ? {} : { error: clipQuote(error, MAX_ERROR_CHARS) }),
    order: state.order,
  }
  return { ...state, steps: keepNewest([...(state.steps ?? []), step]) }
}
