import type { EventOf } from '../../kernel/event.ts'
import type { WorkState } from './state.ts'

const STATUS_COMMAND = /\bgit(?:\s+-C\s+\S+)?\s+status\b/
const LINE = /^(\?\?|[MADRCU][ MADRCU]|[ ][MADRCU]) (\S.*)$/
const LONG_LINE = /^\t(?:modified|new file|deleted|renamed):\s+(\S.*)$/
const CLEAN = /^nothing to commit, working tree clean$/m
const MAX_PATHS = 20

/** What the last `git status` listed. Any other command may change it, so it is dated by its order. */
export function withGitStatus(state: WorkState, { tool, outcome, subagent }: EventOf<'tool-finished'>): WorkState {
  if (tool.command === undefined || !STATUS_COMMAND.test(tool.command) || !outcome.ok || subagent !== undefined)
    return state
  const changed: string[] = []
  const untracked: string[] = []
  for (const line of (outcome.output ?? '').split('\n')) {
    const [, mark, path] = LINE.exec(line) ?? []
    if (path !== undefined) (mark === '??' ? untracked : changed).push(path.trim())
    const [, listed] = LONG_LINE.exec(line) ?? []
    if (listed !== undefined && !changed.includes(listed)) changed.push(listed.trim())
  }
  if (changed.length + untracked.length === 0 && !CLEAN.test(outcome.output ?? '')) return state
  return {
    ...state,
    gitStatus: { changed: changed.slice(0, MAX_PATHS), untracked: untracked.slice(0, MAX_PATHS), order: state.order },
  }
}
