import type { Todo, TodoUpdate } from '../../kernel/event.ts'
import { LIMITS } from './state.ts'
import { clip } from '../../kernel/text/text.ts'

function tidy(todo: Todo): Todo {
  return { ...todo, text: clip(todo.text, LIMITS.todoChars) }
}

/** A harness that names its todos by number and does not tell the number on creation counts from one. */
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
