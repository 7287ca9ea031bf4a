import type { ToolCall, Todo, TodoUpdate } from '../../kernel/event.ts'
import type { FoldLocation } from './fold-paths.ts'
import { relativePath, baseName } from '../../kernel/paths/paths.ts'
import { LIMITS, type Plan, type WorkState } from './state.ts'
import { clip, cutUnits, withoutCode } from '../../kernel/text/text.ts'
import { isSearchCommand } from '../../kernel/shell/command.ts'

function tidy(todo: Todo): Todo {
  return { ...todo, text: clip(todo.text, LIMITS.todoChars) }
}

/** A harness that numbers its todos without reporting the number counts from one. */
function nextId(todos: readonly Todo[]): string {
  const largest = todos.reduce((max, todo) => Math.max(max, Number(todo.id ?? 0) || 0), 0)
  return String(largest + 1)
}

function changed(todos: readonly Todo[], update: Extract<TodoUpdate, { kind: 'change' }>): readonly Todo[] {
  if (update.status === 'deleted') return todos.filter((todo) => todo.id !== update.id)
  const status = update.status
  return todos.map((todo) =>
    todo.id === update.id ? tidy({ ...todo, text: update.text ?? todo.text, status: status ?? todo.status }) : todo,
  )
}

/** Keeps every open item before any finished one when the list is too long. */
function bounded(todos: readonly Todo[]): readonly Todo[] {
  if (todos.length <= LIMITS.todos) return todos
  const open = todos.filter((todo) => todo.status !== 'completed').slice(-LIMITS.todos)
  const room = LIMITS.todos - open.length
  const finished = room > 0 ? todos.filter((todo) => todo.status === 'completed').slice(-room) : []
  const kept = new Set([...open, ...finished])
  return todos.filter((todo) => kept.has(todo))
}

export function applyTodos(todos: readonly Todo[], update: TodoUpdate): readonly Todo[] {
  switch (update.kind) {
    case 'list':
      return bounded(update.todos.filter((todo) => todo.text.trim() !== '').map(tidy))
    case 'add': {
      const id = update.id ?? nextId(todos)
      const rest = todos.filter((todo) => todo.id !== id)
      return bounded([...rest, tidy({ id, text: update.text, status: 'pending' })])
    }
    case 'change':
      return changed(todos, update)
  }
}

export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  const open = todos.filter((todo) => todo.status !== 'completed')
  return [
    ...open.filter((todo) => todo.status === 'in_progress'),
    ...open.filter((todo) => todo.status !== 'in_progress'),
  ]
}

/** Standard documents and agent instructions: their checkboxes are not a plan. */
const STANDING =
  /^(?:readme|contributing|changelog|changes|history|releas(?:e|es|ing)|code_of_conduct|security|support|licen[cs]e|claude|agents|gemini|skill|conventions)(?:[._-]|$)/i
/** Templates and agent definitions. */
const FORM_FOLDER =
  /(?:^|\/)(?:\.github|\.gitlab|node_modules|vendor|templates?|checklists?|skills|rules|commands|agents)\//i
const WRITING = /(?:\.(?:md|mdx|markdown|txt|text|rst|org|adoc)|^[^.]+)$/i

function layOutWork(path: string): boolean {
  const slashed = path.replaceAll('\\', '/')
  const name = baseName(slashed)
  return WRITING.test(name) && !STANDING.test(name) && !/template/i.test(name) && !FORM_FOLDER.test(slashed)
}

/** The plan document that a tool read, without a file for an issue or a web page; undefined if it is not a plan. */
export function planDocument({ files, command }: ToolCall): { readonly file?: string } | undefined {
  // Searches and git show lines of many files.
  if (command !== undefined && (isSearchCommand(command) || /^\s*git\b/.test(command))) return undefined
  if (files.length === 0) return {}
  const file = files.map(({ path }) => path).find(layOutWork)
  return file === undefined ? undefined : { file }
}

const MAX_TITLE_CHARS = 120
/** Title and file. */
const MAX_PLACE_CHARS = 200
const TITLE = /^#{1,3}[ \t]+(\S[^\n]*)$/m
const SAYS_PLAN = /^(?:implementation )?plan[ \t]*[:–—-][ \t]*(?=\S)/i
/** A Markdown heading may have closing hashes. */
const CLOSING = /[ \t#]+$/

function findTitle(text: string): string | undefined {
  const [, heading = ''] = TITLE.exec(withoutCode(text)) ?? []
  const title = cutUnits(heading, 2 * MAX_TITLE_CHARS)
    .replace(SAYS_PLAN, '')
    .replace(CLOSING, '')
  return title === '' ? undefined : clip(title, MAX_TITLE_CHARS)
}

/** The title with its file; a plan that is presented again without a file keeps the one it had. */
function withFile(title: string | undefined, file: string | undefined, state: WorkState): string | undefined {
  const before = state.plan?.title?.text
  if (file === undefined) return title !== undefined && before?.startsWith(`${title} (`) === true ? before : title
  return clip(title === undefined ? file : `${title} (${file})`, MAX_PLACE_CHARS)
}

interface PlanText {
  readonly tool: ToolCall
  readonly text: string
}

/** A plan that the agent wrote counts like a request: the user saw it. */
export function withWrittenPlan(state: WorkState, { tool, text }: PlanText, here: FoldLocation): WorkState {
  const heading = findTitle(text)
  if (heading === undefined) return state
  const file = tool.files[0] === undefined ? undefined : relativePath(tool.files[0].path, here)
  const title = withFile(heading, file, state)
  return title === undefined ? state : { ...state, plan: { title: { text: title, lastOrder: state.order } } }
}

/** A document with checkboxes is the plan if there is no other. */
export function withDocument(state: WorkState, { tool, text }: PlanText, here: FoldLocation): WorkState {
  const document = planDocument(tool)
  if (document === undefined || (state.plan !== undefined && state.plan.isDocument !== true)) return state
  const file = document.file === undefined ? undefined : relativePath(document.file, here)
  const title = withFile(findTitle(text), file, state)
  const plan: Plan = {
    ...(title === undefined ? {} : { title: { text: title, lastOrder: state.order } }),
    isDocument: true,
  }
  return { ...state, plan }
}
