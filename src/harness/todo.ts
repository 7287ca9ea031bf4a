import type { Todo, TodoStatus } from '../core/event.ts'
import { BOUNDS, bounded, MAX_TODOS } from './bounds.ts'
import { objectOf } from './json-shape.ts'

const STATUS: Readonly<Record<string, TodoStatus>> = {
  pending: 'pending',
  todo: 'pending',
  open: 'pending',
  in_progress: 'in_progress',
  'in-progress': 'in_progress',
  completed: 'completed',
  done: 'completed',
}

export function todoStatus(value: unknown): TodoStatus | undefined {
  return typeof value === 'string' && Object.hasOwn(STATUS, value) ? STATUS[value] : undefined
}

/** Todo items out of a list in any of the shapes harnesses use; what has no text is left out. */
export function readTodos(items: readonly unknown[]): readonly Todo[] {
  return items.slice(0, MAX_TODOS).flatMap((item) => {
    const fields = objectOf(item)
    const text = bounded(fields.content ?? fields.subject ?? fields.step ?? fields.description, BOUNDS.line)
    if (text === undefined) return []
    const id = bounded(fields.id, BOUNDS.word)
    return [{ ...(id === undefined ? {} : { id }), text, status: todoStatus(fields.status) ?? 'pending' }]
  })
}
