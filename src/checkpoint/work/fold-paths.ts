import type { EventOf, ToolCall, ToolOutcome, FileAction } from '../../kernel/event.ts'
import { isOnlySearched, isSearchCommand } from '../../kernel/shell/command.ts'
import { baseName, isScratch, relativePath } from '../../kernel/paths/paths.ts'
import { withEdits } from './edits.ts'
import { type WorkState, type FileEntry, LIMITS } from './state.ts'

function blank(path: string): FileEntry {
  return {
    path,
    action: 'read',
    reads: 0,
    edits: 0,
    lastOrder: 0,
    lastEditOrder: 0,
  }
}

function actionAfter(before: FileEntry, action: FileAction): FileAction {
  if (action === 'read') return before.edits > 0 ? before.action : 'read'
  // A file created in this session stays `created` after edits.
  return action === 'edited' && before.action === 'created' ? 'created' : action
}

function touched(before: FileEntry, action: FileAction, order: number): FileEntry {
  const isEdit = action !== 'read'
  return {
    ...before,
    action: actionAfter(before, action),
    reads: before.reads + (isEdit ? 0 : 1),
    edits: before.edits + (isEdit ? 1 : 0),
    lastOrder: order,
    lastEditOrder: isEdit ? order : before.lastEditOrder,
  }
}

/** Keeps edited files before read ones, newer before older. Trimmed with slack, so that it is not done at every event. */
function bounded(files: readonly FileEntry[]): readonly FileEntry[] {
  if (files.length <= LIMITS.files * 1.25) return files
  const rank = (file: FileEntry) => (file.edits > 0 ? 1e9 : 0) + file.lastOrder
  return files.toSorted((a, b) => rank(b) - rank(a)).slice(0, LIMITS.files)
}

function withTouch(
  files: readonly FileEntry[],
  path: string,
  { action, order, lastCommit }: { action: FileAction; order: number; lastCommit: number },
): readonly FileEntry[] {
  const isOwn = files.some((file) => file.path === path && file.action === 'created' && file.lastEditOrder > lastCommit)
  // What the session made and took away again was never there for the next one.
  if (action === 'deleted' && isOwn) return files.filter((file) => file.path !== path)
  const isKnown = files.some((file) => file.path === path)
  const known = isKnown ? files : [...files, blank(path)]
  return bounded(known.map((file) => (file.path === path ? touched(file, action, order) : file)))
}

export interface FoldContext {
  readonly worktree?: string
}

export interface FoldLocation extends FoldContext {
  readonly cwd?: string
}

const NOT_THERE = /\b(?:not found|does not exist|doesn't exist|no such file|ENOENT|cannot find)\b/i

/** What a program prints of an argument: `rg: a.ts: No such file or directory`. */
const PROGRAM_MISSED = /^[\w./-]+: .*: (?:IO error .*)?No such file or directory/

const NO_SUCH_FILE = /\b(?:file (?:not found|does(?: not|n't) exist)|no such file|ENOENT)\b/i

/** A missing file was not read. A command may have missed one of several: its error line names it. */
function isNotThere(path: string, tool: ToolCall, { ok, output = '' }: ToolOutcome): boolean {
  // For an edit, the text to be replaced may be what was not found.
  if (tool.kind === 'edit') return !ok && NO_SUCH_FILE.test(output)
  // A chain that succeeds may have missed a file too; its output may be the content of another.
  const lines = output.split('\n').filter((line) => (ok ? PROGRAM_MISSED : NOT_THERE).test(line))
  if (ok) return tool.kind === 'shell' && lines.some((line) => line.includes(`${baseName(path)}:`))
  return tool.kind === 'read'
    ? lines.length > 0
    : tool.kind === 'shell' && lines.some((line) => line.includes(baseName(path)))
}

const PROSE =
  /\.(?:md|mdx|markdown|txt|rst|adoc|log|png|jpe?g|gif|svg)$|(?:^|\/)(?:LICENSE|CHANGELOG|NOTICE|AUTHORS)$|(?:^|\/)(?:docs?|plans?|\.planning|\.claude|\.cursor|_bmad[\w-]*|memory)\//i

/** What a test, build or lint may depend on: not a note, a plan or a scratch file. */
function isCode(path: string): boolean {
  return !isScratch(path) && !PROSE.test(path)
}

/** `rg -I`, `grep -h`: matches without the names of their files. */
const WITHOUT_NAMES = /\s-(?:[A-Za-z]*[hI][A-Za-z]*|-no-filename)(?=\s|$)/

/** A search that prints nothing of the file showed the agent nothing of it. With several files each match names its file. */
function foundNothing(path: string, { kind, command = '', files }: ToolCall, { output = '' }: ToolOutcome): boolean {
  if (kind !== 'shell') return false
  // `cat missing 2>/dev/null | head`
  if (output.trim() === '' && /2>\s*\/dev\/null/.test(command)) return true
  if (!isSearchCommand(command)) return false
  const name = baseName(path)
  if (output.trim() === '') return true
  const isNamed = files.length > 1 && !WITHOUT_NAMES.test(command)
  return isNamed && !output.includes(name) && isOnlySearched(command, name)
}

export function withTouches(state: WorkState, event: EventOf<'tool-finished'>, here: FoldLocation): WorkState {
  const { tool, outcome } = event
  let next = state
  // A search does not open files.
  const touches = tool.kind === 'search' ? [] : tool.files
  for (const touch of touches) {
    const path = relativePath(touch.path, here)
    if (path === undefined) continue
    const isSeen = !(touch.action === 'read' && foundNothing(touch.path, tool, outcome))
    if (!isSeen || isNotThere(touch.path, tool, outcome)) continue
    // A failed edit changed nothing, but the agent looked there.
    const action = outcome.ok ? touch.action : 'read'
    next = {
      ...next,
      files: withTouch(next.files, path, { action, order: next.order, lastCommit: next.commits?.at(-1)?.order ?? 0 }),
      lastEditOrder: action === 'read' || !isCode(path) ? next.lastEditOrder : next.order,
    }
  }
  return withEdits(next, event, here)
}
