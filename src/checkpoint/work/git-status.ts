import { gitPattern } from '../checks/git-pattern.ts'
import type { EventOf } from '../../kernel/event.ts'
import { pathFrom, relativePath } from '../../kernel/paths/paths.ts'
import { judgeSegments } from '../../kernel/shell/command-chain.ts'
import { isOutside, locateCommands, splitQuotedWords } from '../../kernel/shell/command.ts'
import { ELSEWHERE } from '../checks/commits.ts'
import { CLEAN } from '../checks/merges.ts'
import type { FoldLocation } from './fold-paths.ts'
import type { FileEntry, WorkState } from './state.ts'

const STATUS_COMMAND = /^git(?:\s+(?:-C\s+(\S+)|--no-pager))*\s+status\b/
const IS_SHORT = /\s(?:-s\w*|--short|--porcelain)\b/
const LINE = /^(\?\?|[MADRCU][ MADRCU]|[ ][MADRCU]) (\S.*)$/
const LONG_LINE = /^\t(?:modified|new file|deleted|renamed):\s+(\S.*)$/
const BRANCH_LINE = /^## \S.*$/
const MAX_PATHS = 20

/** Afterwards an earlier status says nothing about what is uncommitted. */
const OVERTAKES = gitPattern(
  String.raw`(?:commit|stash|checkout|switch|reset|restore|clean|merge|rebase|pull|cherry-pick|revert|am|apply)(?:\s|$)`,
)
const MOVES = /^(?:git )?(rm|mv)\s/

type FinishedTool = EventOf<'tool-finished'>

/** Whether the line ran in the session's own worktree: a scratch repository and another worktree have files of their own. */
function isElsewhere(command: string, folder: string | undefined, { tool }: FinishedTool, here: FoldLocation): boolean {
  const texts = judgeSegments(command, true, '').map(({ text }) => text)
  if (texts.some((text) => ELSEWHERE.test(text))) return true
  const at = locateCommands([...texts, 'npm test'], { ...here, ranIn: tool.cwd }).at(-1)?.folder ?? ''
  const target = folder === undefined ? at : (relativePath(folder, here) ?? '')
  return isOutside(target) || target.startsWith('..') || target.startsWith('~')
}

function readStatus(state: WorkState, event: FinishedTool, here: FoldLocation): WorkState | undefined {
  const { tool, outcome } = event
  const { command = '' } = tool
  const segments = judgeSegments(command, true, '').map(({ text }) => text)
  const status = segments.findLast((text) => STATUS_COMMAND.test(text))
  if (status === undefined) return undefined
  if (isElsewhere(command, STATUS_COMMAND.exec(status)?.[1], event, here)) return state
  const changed: string[] = []
  const untracked: string[] = []
  const lines = (outcome.output ?? '').split('\n')
  for (const line of lines) {
    const [, mark, path] = LINE.exec(line) ?? []
    if (path !== undefined) (mark === '??' ? untracked : changed).push(path.trim())
    const [, listed] = LONG_LINE.exec(line) ?? []
    if (listed !== undefined && !changed.includes(listed)) changed.push(listed.trim())
  }
  const isSilent = IS_SHORT.test(status) && lines.every((line) => line.trim() === '' || BRANCH_LINE.test(line))
  const isBranchOnly = IS_SHORT.test(status) && lines.some((line) => BRANCH_LINE.test(line))
  const isClean = CLEAN.test(outcome.output ?? '') || isBranchOnly || (isSilent && segments.length === 1)
  if (changed.length + untracked.length === 0 && !isClean) return undefined
  return {
    ...state,
    gitStatus: { changed: changed.slice(0, MAX_PATHS), untracked: untracked.slice(0, MAX_PATHS), order: state.order },
  }
}

function withoutMarks(word: string): string {
  return word
    .replace(/^(["'])(.*)\1$/, '$2')
    .replace(/^\.\//, '')
    .replace(/(?<=.)\/+$/, '')
}

function isAt(path: string, place: string): boolean {
  return path.replace(/\/$/, '') === place || path.startsWith(`${place}/`)
}

function isCovered(path: string, places: readonly string[]): boolean {
  return places.some((place) => isAt(path, place))
}

/** What `rm` and `mv` did: a removed path is not edited, read or untracked any more. */
function withRemoved(state: WorkState, { tool, outcome }: FinishedTool, here: FoldLocation): WorkState {
  const { command = '' } = tool
  if (!/\b(?:rm|mv)\s/.test(command)) return state
  const removed: string[] = []
  const moved: { from: string; to: string }[] = []
  const segments = judgeSegments(command, outcome.ok, outcome.output ?? '')
  const folders = segments.map(({ text }) => text)
  for (const [index, { text, status }] of segments.entries()) {
    const program = MOVES.exec(text)?.[1]
    if (program === undefined || status === 'failed' || (status === 'unknown' && !outcome.ok)) continue
    const folder =
      locateCommands([...folders.slice(0, index), 'npm test'], { ...here, ranIn: tool.cwd }).at(-1)?.folder ?? ''
    const root = here.worktree ?? ''
    const words = splitQuotedWords(text.replace(MOVES, '').replace(/\s\d?>.*$/s, '')).filter(
      (word) => !word.startsWith('-'),
    )
    const paths = words.map((word) => {
      const from = folder === '' ? root : pathFrom(root, folder)
      const bare = withoutMarks(word)
      return relativePath(from === '' ? bare : pathFrom(from, bare), here) ?? bare
    })
    const to = paths.at(-1)
    if (program === 'rm') removed.push(...paths)
    else if (paths.length === 2 && paths[0] !== undefined && to !== undefined) moved.push({ from: paths[0], to })
    else removed.push(...paths.slice(0, -1))
  }
  const gone = [...removed, ...moved.map(({ from }) => from)].filter((path) => path !== '' && !/[*?$]/.test(path))
  if (gone.length === 0) return state
  const { gitStatus } = state
  const stays = (path: string) => !isCovered(path, gone)
  const files = state.files.map((file): FileEntry => {
    if (!isCovered(file.path, gone)) return file
    const target = moved.find(({ from }) => file.path === from)
    if (target === undefined || isOutside(target.to)) {
      // A deletion that the tool reported itself is counted already.
      const edits = file.action === 'deleted' ? file.edits : file.edits + 1
      return { ...file, action: 'deleted', edits, lastEditOrder: state.order, lastOrder: state.order }
    }
    const base = file.path.split('/').at(-1) ?? ''
    // Into a folder, if the target has no extension.
    const path = /\.\w+$/.test(target.to) ? target.to : `${target.to}/${base}`
    return { ...file, path, lastOrder: state.order }
  })
  const paths = files.map(({ path }) => path)
  return {
    ...state,
    files: files.filter(({ path }, index) => paths.lastIndexOf(path) === index),
    ...(gitStatus === undefined
      ? {}
      : {
          gitStatus: {
            ...gitStatus,
            changed: gitStatus.changed.filter(stays),
            untracked: gitStatus.untracked.filter(stays),
          },
        }),
  }
}

/** What the last `git status` of the worktree listed, without what was removed, moved or committed since. */
export function withGitStatus(before: WorkState, event: FinishedTool, here: FoldLocation): WorkState {
  const { tool, outcome, subagent } = event
  const { command } = tool
  if (command === undefined || subagent !== undefined) return before
  const state = withRemoved(before, event, here)
  if (!outcome.ok) return state
  const seen = readStatus(state, event, here)
  if (seen !== undefined) return seen
  const isOvertaken = judgeSegments(command, true, '').some(({ text }) => OVERTAKES.test(text))
  return isOvertaken && !isElsewhere(command, undefined, event, here) ? { ...state, gitStatus: undefined } : state
}
