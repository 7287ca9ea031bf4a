import { isEnvFile } from '../../redaction/env-file.ts'
import type { FileTouch, TodoUpdate, ToolCall, ToolKind, ToolOutcome } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPath } from '../payload/bounds.ts'
import { editNames } from '../payload/edit-names.ts'
import { contentText, isObject, type JsonObject, listOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import { readShell } from '../payload/shell-files.ts'
import { readTodos, todoStatus } from '../payload/todo.ts'
import { readOutcome } from '../payload/tool-output.ts'

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: 'read',
  NotebookRead: 'read',
  Edit: 'edit',
  MultiEdit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Grep: 'search',
  Glob: 'search',
  LS: 'search',
  ToolSearch: 'search',
  Bash: 'shell',
  BashOutput: 'other',
  TodoWrite: 'todo',
  TaskCreate: 'todo',
  TaskUpdate: 'todo',
  TaskList: 'todo',
  Agent: 'agent',
  Task: 'agent',
  WebFetch: 'web',
  WebSearch: 'web',
}

function kindOf(name: string): ToolKind {
  if (name.startsWith('mcp__')) return 'mcp'
  return (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined) ?? 'other'
}

function filesOf(name: string, kind: ToolKind, input: JsonObject, response: unknown): readonly FileTouch[] {
  const path = boundedPath(input.file_path ?? input.notebook_path ?? input.path)
  if (path === undefined) return []
  // A search in an env file prints lines of it, and what is known to touch one is not kept.
  if (kind === 'search') return isEnvFile(path) ? [{ path, action: 'read' }] : []
  if (kind !== 'read' && kind !== 'edit') return []
  const isNew = name === 'Write' && objectOf(response).type === 'create'
  return [{ path, action: kind === 'read' ? 'read' : isNew ? 'created' : 'edited' }]
}

function changeOf(input: JsonObject): Pick<ToolCall, 'fragment' | 'names'> {
  const edits = Array.isArray(input.edits) ? input.edits.map(objectOf) : [input]
  const parts = edits.flatMap((edit) => [edit.old_string, edit.new_string ?? edit.content ?? edit.new_source])
  const share = Math.floor(BOUNDS.fragment / Math.max(1, Math.min(parts.length, 6)))
  const texts = parts.slice(0, 6).flatMap((part) => bounded(part, share) ?? [])
  const fragment = bounded(texts.join('\n'), BOUNDS.fragment)
  return fragment === undefined ? {} : { fragment, ...editNames(parts, fragment) }
}

const PLAN_FILE = /(?:^|\/)\.claude\/plans\/[^/]+\.md$/

function planOf(name: string, input: JsonObject): string | undefined {
  if (name === 'ExitPlanMode') return bounded(input.plan, BOUNDS.plan)
  const isPlanFile = PLAN_FILE.test(textOf(input.file_path) ?? '')
  return isPlanFile ? bounded(input.content ?? input.new_string, BOUNDS.plan) : undefined
}

function todoOf(name: string, input: JsonObject, response: unknown): TodoUpdate | undefined {
  switch (name) {
    case 'TodoWrite':
      return Array.isArray(input.todos) ? { kind: 'list', todos: readTodos(input.todos) } : undefined
    case 'TaskList': {
      const tasks = objectOf(response).tasks
      return Array.isArray(tasks) ? { kind: 'list', todos: readTodos(tasks) } : undefined
    }
    case 'TaskCreate': {
      const text = bounded(input.subject ?? input.description, BOUNDS.line)
      const created = objectOf(response).task
      const id =
        bounded(objectOf(created).id, BOUNDS.word) ?? /Task #(\w+) created/.exec(contentText(response) ?? '')?.[1]
      return text === undefined ? undefined : { kind: 'add', ...(id === undefined ? {} : { id }), text }
    }
    case 'TaskUpdate': {
      const id = bounded(input.taskId, BOUNDS.word)
      const text = bounded(input.subject, BOUNDS.line)
      const status = input.status === 'deleted' ? 'deleted' : todoStatus(input.status)
      if (id === undefined || (text === undefined && status === undefined)) return undefined
      return {
        kind: 'change',
        id,
        ...(text === undefined ? {} : { text }),
        ...(status === undefined ? {} : { status }),
      }
    }
    default:
      return undefined
  }
}

function descriptionOf(name: string, input: JsonObject): string | undefined {
  if (name === 'Skill') return bounded(input.skill, BOUNDS.line)
  return name === 'TaskCreate' ? undefined : bounded(input.description, BOUNDS.line)
}

export interface RawToolCall {
  readonly name: string
  readonly input: unknown
  readonly callId?: string
  /** What the tool gave back, where it is known already. */
  readonly response?: unknown
}

/** Claude Code's tool call in our words; the same from its hooks and from its transcript. */
export function readToolCall(raw: RawToolCall): ToolCall {
  const name = bounded(raw.name, BOUNDS.word) ?? 'unknown'
  const input = objectOf(raw.input)
  const kind = kindOf(name)
  const command = kind === 'shell' ? bounded(input.command, BOUNDS.command) : undefined
  const shell = kind === 'shell' ? readShell(textOf(input.command) ?? '', { staysThere: true }) : undefined
  const query =
    kind === 'search' || kind === 'web'
      ? bounded(input.pattern ?? input.query ?? input.url ?? input.path, BOUNDS.line)
      : undefined
  const todo = kind === 'todo' ? todoOf(name, input, raw.response) : undefined
  const plan = planOf(name, input)
  const description = descriptionOf(name, input)
  return {
    ...(raw.callId === undefined ? {} : { callId: raw.callId }),
    name,
    kind,
    files: shell?.files ?? filesOf(name, kind, input, raw.response),
    ...(command === undefined ? {} : { command }),
    ...(shell?.cwd === undefined ? {} : { cwd: shell.cwd }),
    ...(query === undefined ? {} : { query }),
    ...(kind === 'edit' ? changeOf(input) : {}),
    ...(plan === undefined ? {} : { plan }),
    ...(todo === undefined ? {} : { todo }),
    ...(description === undefined ? {} : { description }),
  }
}

function responseText(response: unknown): string | undefined {
  const plain = contentText(response)
  if (plain !== undefined) return plain
  if (!isObject(response)) return undefined
  const streams = [response.stdout, response.stderr].filter((part) => typeof part === 'string' && part !== '')
  if (streams.length > 0) return streams.join('\n')
  if ('stdout' in response) return undefined
  const names = listOf(response.filenames).filter((part) => typeof part === 'string')
  return (
    contentText(response.content) ??
    textOf(objectOf(response.file).content) ??
    textOf(response.result) ??
    (names.length > 0 ? names.join('\n') : undefined)
  )
}

/** The outcome of a call that the harness took for a success. */
export function readSuccess(call: ToolCall, response: unknown, durationMs?: number): ToolOutcome {
  const interrupted = objectOf(response).interrupted === true
  return readOutcome(call.kind, { ok: true, text: responseText(response), interrupted, durationMs })
}

/** The outcome of a call that failed or was refused, from the text the model was given about it. */
export function readFailure(
  call: ToolCall,
  error: string | undefined,
  facts: { interrupted?: boolean; durationMs?: number } = {},
): ToolOutcome {
  const text = error?.replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>\s*$/, '$1')
  return readOutcome(call.kind, { ok: false, text, ...facts })
}
