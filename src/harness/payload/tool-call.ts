import { isEnvFile } from '../../redaction/env-files.ts'
import type { FileTouch, TodoUpdate, ToolCall, ToolKind } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPath, MAX_FILES } from './bounds.ts'
import { editNames } from './edit-names.ts'
import { type JsonObject, asObject, asText } from '../../kernel/json-shape.ts'
import { readShell } from './shell-files.ts'
import { readChecklist, readTodos } from './todo.ts'

/** Kinds of tools by the names that several harnesses share. */
const KINDS: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  view: 'read',
  read_file: 'read',
  read_many_files: 'read',
  view_image: 'read',
  edit: 'edit',
  write: 'edit',
  create: 'edit',
  patch: 'edit',
  multiedit: 'edit',
  str_replace: 'edit',
  str_replace_editor: 'edit',
  apply_patch: 'edit',
  write_file: 'edit',
  replace: 'edit',
  grep: 'search',
  glob: 'search',
  list: 'search',
  ls: 'search',
  list_directory: 'search',
  search_file_content: 'search',
  grep_search: 'search',
  rg: 'search',
  bash: 'shell',
  shell: 'shell',
  exec_command: 'shell',
  local_shell: 'shell',
  write_stdin: 'shell',
  run_shell_command: 'shell',
  powershell: 'shell',
  read_bash: 'shell',
  write_bash: 'shell',
  stop_bash: 'shell',
  read_powershell: 'shell',
  write_powershell: 'shell',
  stop_powershell: 'shell',
  todowrite: 'todo',
  update_plan: 'todo',
  write_todos: 'todo',
  update_todo: 'todo',
  update_todo_list: 'todo',
  manage_todo_list: 'todo',
  task: 'agent',
  agent: 'agent',
  spawn_agent: 'agent',
  webfetch: 'web',
  web_fetch: 'web',
  web_search: 'web',
  google_web_search: 'web',
}

function getKind(name: string): ToolKind {
  if (name.startsWith('mcp_')) return 'mcp'
  const key = name.toLowerCase()
  return (Object.hasOwn(KINDS, key) ? KINDS[key] : undefined) ?? 'other'
}

const PATCHED_FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/gm
const ACTIONS = { Add: 'created', Update: 'edited', Delete: 'deleted' } as const

/** The files of a patch in the format of `apply_patch` tools. */
function listPatchedFiles(patch: string): readonly FileTouch[] {
  return [...patch.matchAll(PATCHED_FILE)].slice(0, MAX_FILES).flatMap(([, verb, name]) => {
    const path = boundedPath(name?.trim())
    if (path === undefined || (verb !== 'Add' && verb !== 'Update' && verb !== 'Delete')) return []
    return [{ path, action: ACTIONS[verb] }]
  })
}

function readCommand(input: JsonObject): string | undefined {
  const command = input.command ?? input.cmd
  // `["bash", "-lc", "…"]`: the last word is the command.
  return Array.isArray(command) ? asText(command.at(-1)) : asText(command)
}

/** Codex and OpenCode say `workdir`, Gemini CLI `dir_path` and earlier `directory`, others `cwd`. */
function readWorkdir(input: JsonObject): string | undefined {
  return boundedPath(input.workdir ?? input.dir_path ?? input.directory ?? input.cwd)
}

function findPatch(input: JsonObject, text: string | undefined): string | undefined {
  const patch = text ?? asText(input.patchText) ?? asText(input.patch) ?? asText(input.input) ?? readCommand(input)
  return patch?.includes('*** Begin Patch') === true ? patch : undefined
}

const NAMED_IN_PATCH = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm

/** The content of an env file is not stored. An event names only some files of a patch, so all are checked here. */
function isEnvFilePatched(patch: string): boolean {
  return [...patch.matchAll(NAMED_IN_PATCH)].some(([, name = '']) => isEnvFile(name.trim()))
}

function readPatchChange(patch: string): Pick<ToolCall, 'fragment' | 'names'> {
  if (isEnvFilePatched(patch)) return {}
  const fragment = bounded(patch, BOUNDS.fragment)
  return fragment === undefined ? {} : { fragment, ...editNames([patch], fragment) }
}

function readChange(input: JsonObject): Pick<ToolCall, 'fragment' | 'names'> {
  const before = input.old_string ?? input.oldString ?? input.old_str
  const after = input.new_string ?? input.newString ?? input.new_str ?? input.content ?? input.file_text
  const half = BOUNDS.fragment / 2
  const fragment = bounded(
    [bounded(before, half), bounded(after, half)].filter((part) => part !== undefined).join('\n'),
    BOUNDS.fragment,
  )
  return fragment === undefined ? {} : { fragment, ...editNames([before, after], fragment) }
}

function readTodoUpdate(input: JsonObject): TodoUpdate | undefined {
  const items = input.todos ?? input.plan ?? input.items ?? input.todoList
  if (typeof items === 'string') return { kind: 'list', todos: readChecklist(items) }
  return Array.isArray(items) ? { kind: 'list', todos: readTodos(items) } : undefined
}

export interface ForeignCall {
  readonly name: string
  /** An object of arguments, or text where the tool takes plain text. */
  readonly input: unknown
  readonly callId?: string
}

/** Translates a tool call of a harness whose tools have the usual names. */
export function readForeignCall({ name, input, callId }: ForeignCall): ToolCall {
  const args = asObject(input)
  const patch = findPatch(args, asText(input))
  const kind = patch === undefined ? getKind(name) : 'edit'
  const command = kind === 'shell' ? readCommand(args) : undefined
  const path = boundedPath(args.file_path ?? args.filePath ?? args.path ?? args.absolute_path)
  // A search in an env file prints lines of it, and output that touches an env file is not stored.
  const isSearched = kind === 'search' && path !== undefined && isEnvFile(path)
  const own: readonly FileTouch[] =
    path !== undefined && (kind === 'read' || kind === 'edit' || isSearched)
      ? [{ path, action: kind !== 'edit' ? 'read' : name === 'create' ? 'created' : 'edited' }]
      : []
  const shell = command === undefined ? undefined : readShell(command, { workdir: readWorkdir(args) })
  const files = patch === undefined ? (shell?.files ?? own) : listPatchedFiles(patch)
  const query =
    kind === 'search' || kind === 'web'
      ? bounded(args.pattern ?? args.query ?? args.url ?? args.prompt, BOUNDS.line)
      : undefined
  const change = patch === undefined ? (kind === 'edit' ? readChange(args) : {}) : readPatchChange(patch)
  const todo = kind === 'todo' ? readTodoUpdate(args) : undefined
  const description = bounded(args.description, BOUNDS.line)
  const line = bounded(command, BOUNDS.command)
  return {
    ...(callId === undefined ? {} : { callId }),
    name: bounded(name, BOUNDS.word) ?? 'unknown',
    kind,
    files,
    ...(line === undefined ? {} : { command: line }),
    ...(shell?.cwd === undefined ? {} : { cwd: shell.cwd }),
    ...(query === undefined ? {} : { query }),
    ...change,
    ...(todo === undefined ? {} : { todo }),
    ...(description === undefined ? {} : { description }),
  }
}
