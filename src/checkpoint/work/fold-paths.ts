import type { EventOf, ToolCall, ToolOutcome, FileAction } from '../../kernel/event.ts'
import { isSearchCommand } from '../../kernel/shell/command.ts'
import {
  resolveNames,
  isTypedName,
  withNamed,
  type PathSource,
  UNSEEN,
  withSighting,
  type PathSighting,
  type PathSightings,
} from './fold-named.ts'
import {
  baseName,
  pathFrom,
  findPaths,
  relativePath,
  asKnownFiles,
  endsWithParts,
  withoutShorter,
} from '../../kernel/paths/paths.ts'
import { type NamedEntry, type WorkState, type FileEntry, LIMITS } from './state.ts'

function blank(path: string): FileEntry {
  return {
    path,
    action: 'read',
    reads: 0,
    edits: 0,
    lastOrder: 0,
    lastEditOrder: 0,
    sightings: UNSEEN,
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
    sightings: withSighting(before.sightings, { source: isEdit ? 'edited' : 'read', order, share: 1 }),
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
  { action, order, sightings }: { action: FileAction; order: number; sightings: PathSightings },
): readonly FileEntry[] {
  const isKnown = files.some((file) => file.path === path)
  const known = isKnown ? files : [...files, { ...blank(path), sightings }]
  return bounded(known.map((file) => (file.path === path ? touched(file, action, order) : file)))
}

function withNaming(
  files: readonly FileEntry[],
  paths: readonly string[],
  sighting: PathSighting,
): readonly FileEntry[] {
  const named = new Set(paths)
  if (!files.some((file) => named.has(file.path))) return files
  return files.map((file) =>
    named.has(file.path) ? { ...file, sightings: withSighting(file.sightings, sighting) } : file,
  )
}

export interface FoldContext {
  readonly worktree?: string
}

export interface Here extends FoldContext {
  readonly cwd?: string
}

const MAX_MENTIONS = 40

type Namer = Exclude<PathSource, 'edited' | 'read'>

interface Naming {
  readonly here: Here
  readonly by: Namer
  /** Weight of the hits; 1 by default. */
  readonly weight?: number
  /** How many files came up together. */
  readonly among?: number
}

/** Drops typed names that are the end of one of these paths, except for paths with a module's name as a prefix. */
function withoutShorthand(named: readonly NamedEntry[], paths: readonly string[]): readonly NamedEntry[] {
  const whole = paths.filter((path) => !/^[\w-]+\.[\w.-]+\//.test(path))
  const names = new Set(whole.map(baseName))
  return named.filter(
    (entry) =>
      !names.has(baseName(entry.path)) ||
      !isTypedName(entry) ||
      !whole.some((path) => path !== entry.path && endsWithParts(path, entry.path)),
  )
}

function withPaths(state: WorkState, mentioned: readonly string[], { here, by, weight = 1, among }: Naming): WorkState {
  const written = mentioned.flatMap((path) => relativePath(path.replace(/^@/, ''), { worktree: here.worktree }) ?? [])
  if (written.length === 0) return state
  const isPrinted = by === 'found' || by === 'listed'
  const named = isPrinted ? withoutShorthand(state.named, written) : state.named
  const known = [...state.files, ...named].map((entry) => entry.path)
  const paths = asKnownFiles(isPrinted ? written : withoutShorter(written), known)
  const share = isPrinted ? weight / Math.sqrt(among ?? paths.length) : 1
  const sighting = { source: by, order: state.order, share }
  return {
    ...state,
    files: withNaming(state.files, paths, sighting),
    // An agent mentions files that it has read, or that do not exist yet.
    named: by === 'said' ? state.named : withNamed(state, paths, sighting),
  }
}

export function withMentions(state: WorkState, text: string, of: { here: Here; by: Namer }): WorkState {
  return withPaths(state, findPaths(text, MAX_MENTIONS), of)
}

const NOT_THERE = /\b(?:not found|does not exist|doesn't exist|no such file|ENOENT|cannot find)\b/i

const NO_SUCH_FILE = /\b(?:file (?:not found|does(?: not|n't) exist)|no such file|ENOENT)\b/i

/** A missing file was not read. A command may have missed one of several: its error line names it. */
function isNotThere(path: string, tool: ToolCall, { output = '' }: ToolOutcome): boolean {
  // For an edit, the text to be replaced may be what was not found.
  if (tool.kind === 'edit') return NO_SUCH_FILE.test(output)
  const lines = output.split('\n').filter((line) => NOT_THERE.test(line))
  return tool.kind === 'read'
    ? lines.length > 0
    : tool.kind === 'shell' && lines.some((line) => line.includes(baseName(path)))
}

export function withTouches(state: WorkState, event: EventOf<'tool-finished'>, here: Here): WorkState {
  const { tool, outcome } = event
  let next = state
  // A search does not open files.
  const touches = tool.kind === 'search' ? [] : tool.files
  for (const touch of touches) {
    const path = relativePath(touch.path, here)
    if (path === undefined) continue
    if (!outcome.ok && isNotThere(touch.path, tool, outcome)) continue
    // A failed edit changed nothing, but the agent looked there.
    const action = outcome.ok ? touch.action : 'read'
    const { named, sightings } = resolveNames(path, next)
    next = {
      ...next,
      files: withTouch(next.files, path, { action, order: next.order, sightings }),
      named,
      lastEditOrder: action === 'read' ? next.lastEditOrder : next.order,
    }
  }
  return next
}

/** A leading `cd` prints nothing. */
const GOING = /^\s*cd [^&;\n]*&&/

/** With several commands in a line it is unknown which one printed a name. */
const ANOTHER_COMMAND = /&&|\|\||[;\n]/

function printsMore({ kind, command = '' }: ToolCall): boolean {
  return kind === 'search' || isSearchCommand(command) || ANOTHER_COMMAND.test(command.replace(GOING, '').trim())
}

/** The file that a tool read or edited, if it was only one. */
export function openedBy({ tool, outcome }: EventOf<'tool-finished'>, here: Here): string | undefined {
  const [only, ...others] = tool.files
  if (only === undefined || others.length > 0 || !outcome.ok || printsMore(tool)) return undefined
  return relativePath(only.path, here)
}

/** Files in the output of a search, a subagent or a shell, weighted by hits. */
export function withFound(state: WorkState, { tool, outcome }: EventOf<'tool-finished'>, here: Here): WorkState {
  const isSearch = tool.kind === 'search' || tool.kind === 'agent' || isSearchCommand(tool.command ?? '')
  if (!isSearch && tool.kind !== 'shell') return state
  const paths = outcome.paths ?? findPaths(outcome.output ?? '', MAX_MENTIONS)
  const byWeight = new Map<number, string[]>()
  for (const path of paths) {
    const weight = isSearch ? Math.log2(1 + (outcome.hits?.[path] ?? 1)) : 1
    const named = tool.cwd === undefined ? path : pathFrom(tool.cwd, path)
    byWeight.set(weight, [...(byWeight.get(weight) ?? []), named])
  }
  return [...byWeight].reduce(
    (next, [weight, named]) =>
      withPaths(next, named, { here, by: isSearch ? 'found' : 'listed', weight, among: paths.length }),
    state,
  )
}
