import { isEnvFile } from '../../redaction/env-files.ts'
import type { FileTouch, TodoUpdate, ToolCall, ToolKind } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPath } from '../payload/bounds.ts'
import { editNames } from '../payload/edit-names.ts'
import { readContentText, type JsonObject, asObject, asText } from '../../kernel/json-shape.ts'
import { readShell } from '../payload/shell-files.ts'
import { readTodos, todoStatus } from '../payload/todo.ts'
import { readBackgroundId } from './outcomes.ts'

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

function getKind(name: string): ToolKind {
  if (name.startsWith('mcp__')) return 'mcp'
  return (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined) ?? 'other'
}

function listFiles(name: string, kind: ToolKind, input: JsonObject, response: unknown): readonly FileTouch[] {
  const path = boundedPath(input.file_path ?? input.notebook_path ?? input.path)
  if (path === undefined) return []
  // A search in an env file prints lines of it, and output that touches an env file is not stored.
  if (kind === 'search') return isEnvFile(path) ? [{ path, action: 'read' }] : []
  if (kind !== 'read' && kind !== 'edit') return []
  const isNew = name === 'Write' && asObject(response).type === 'create'
  return [{ path, action: kind === 'read' ? 'read' : isNew ? 'created' : 'edited' }]
}

function readChange(input: JsonObject): Pick<ToolCall, 'fragment' | 'names'> {
  const edits = Array.isArray(input.edits) ? input.edits.map(asObject) : [input]
  const parts = edits.flatMap((edit) => [edit.old_string, edit.new_string ?? edit.content ?? edit.new_source])
  const share = Math.floor(BOUNDS.fragment / Math.max(1, Math.min(parts.length, 6)))
  const texts = parts.slice(0, 6).flatMap((part) => bounded(part, share) ?? [])
  const fragment = bounded(texts.join('\n'), BOUNDS.fragment)
  return fragment === undefined ? {} : { fragment, ...editNames(parts, fragment) }
}

const PLAN_FILE = /(?:^|\/)\.claude\/plans\/[^/]+\.md$/

function readPlan(name: string, input: JsonObject): string | undefined {
  if (name === 'ExitPlanMode') return bounded(input.plan, BOUNDS.plan)
  const isPlanFile = PLAN_FILE.test(asText(input.file_path) ?? '')
  return isPlanFile ? bounded(input.content ?? input.new_string, BOUNDS.plan) : undefined
}

function readTodoUpdate(name: string, input: JsonObject, response: unknown): TodoUpdate | undefined {
  switch (name) {
    case 'TodoWrite':
      return Array.isArray(input.todos) ? { kind: 'list', todos: readTodos(input.todos) } : undefined
    case 'TaskList': {
      const tasks = asObject(response).tasks
      return Array.isArray(tasks) ? { kind: 'list', todos: readTodos(tasks) } : undefined
    }
    case 'TaskCreate': {
      const text = bounded(input.subject ?? input.description, BOUNDS.line)
      const created = asObject(response).task
      const id =
        bounded(asObject(created).id, BOUNDS.word) ?? /Task #(\w+) created/.exec(readContentText(response) ?? '')?.[1]
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

function readDescription(name: string, input: JsonObject): string | undefined {
  if (name === 'Skill') return bounded(input.skill, BOUNDS.line)
  return name === 'TaskCreate' ? undefined : bounded(input.description, BOUNDS.line)
}

export interface RawToolCall {
  readonly name: string
  readonly input: unknown
  readonly callId?: string
  /** The tool's result, where it is already known. */
  readonly response?: unknown
}

/** Translates a tool call of Claude Code; the same for its hooks and its transcript. */
export function readToolCall(raw: RawToolCall): ToolCall {
  const name = bounded(raw.name, BOUNDS.word) ?? 'unknown'
  const input = asObject(raw.input)
  const kind = getKind(name)
  const command = kind === 'shell' ? bounded(input.command, BOUNDS.command) : undefined
  const shell = kind === 'shell' ? readShell(asText(input.command) ?? '', { staysThere: true }) : undefined
  const query =
    kind === 'search' || kind === 'web'
      ? bounded(input.pattern ?? input.query ?? input.url ?? input.path, BOUNDS.line)
      : undefined
  const todo = kind === 'todo' ? readTodoUpdate(name, input, raw.response) : undefined
  const plan = readPlan(name, input)
  const description = readDescription(name, input)
  const isBackground = input.run_in_background === true || readBackgroundId(raw.response) !== undefined
  return {
    ...(raw.callId === undefined ? {} : { callId: raw.callId }),
    name,
    kind,
    files: shell?.files ?? listFiles(name, kind, input, raw.response),
    ...(command === undefined ? {} : { command }),
    ...(shell?.cwd === undefined ? {} : { cwd: shell.cwd }),
    ...(query === undefined ? {} : { query }),
    ...(kind === 'edit' ? readChange(input) : {}),
    ...(plan === undefined ? {} : { plan }),
    ...(todo === undefined ? {} : { todo }),
    ...(description === undefined ? {} : { description }),
    ...(isBackground ? { isBackground } : {}),
  }
}
