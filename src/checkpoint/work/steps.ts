import type { ToolStep } from '../../kernel/checkpoint.ts'
import type { EventOf } from '../../kernel/event.ts'
import { relativePath, toRelativeText } from '../../kernel/paths/paths.ts'
import { findErrorLines } from '../../kernel/text/command-output.ts'
import { clip } from '../../kernel/text/text.ts'
import type { Here } from './fold-paths.ts'
import type { WorkState } from './state.ts'

const MAX_STEPS = 12
const MAX_WHAT_CHARS = 160
const MAX_ERROR_CHARS = 160

/** The newest tool calls of the main thread, to say what was done since the last words. */
export function withStep(
  state: WorkState,
  { tool, outcome, subagent }: EventOf<'tool-finished'>,
  here: Here,
): WorkState {
  if (subagent !== undefined || tool.kind === 'todo') return state
  const [file] = tool.files
  const path = file === undefined ? undefined : (relativePath(file.path, here) ?? file.path)
  const named = tool.kind === 'search' ? (tool.query ?? path) : (tool.command ?? path ?? tool.query ?? tool.description)
  const what = clip(toRelativeText(here.worktree ?? '', named ?? tool.name), MAX_WHAT_CHARS)
  const [error] = outcome.ok ? [] : findErrorLines(outcome.output ?? '', 1)
  const step: ToolStep = {
    kind: tool.kind,
    what,
    ok: outcome.ok && outcome.interrupted !== true && outcome.refused === undefined,
    ...(error === undefined ? {} : { error: clip(error.text, MAX_ERROR_CHARS) }),
    order: state.order,
  }
  return { ...state, steps: [...(state.steps ?? []), step].slice(-MAX_STEPS) }
}
