import type { Todo, TodoStatus } from '../../kernel/event.ts'
import { BOUNDS, bounded, MAX_TODOS } from './bounds.ts'
import { asObject } from '../../kernel/json-shape.ts'

const STATUS: Readonly<Record<string, TodoStatus>> = {
  pending: 'pending',
  todo: 'pending',
  open: 'pending',
  in_progress: 'in_progress',
  'in-progress': 'in_progress',
  completed: 'completed',
  done: 'completed',
  'not-started': 'pending',
  blocked: 'pending',
}
/** Neither open nor done. */
const GIVEN_UP: ReadonlySet<unknown> = new Set(['cancelled', 'canceled', 'deleted'])

export function todoStatus(value: unknown): TodoStatus | undefined {
  return typeof value === 'string' && Object.hasOwn(STATUS, value) ? STATUS[value] : undefined
}

/** Reads todo items in any of the shapes that harnesses use; items without text are left out. */
export function readTodos(items: readonly unknown[]): readonly Todo[] {
  return items.slice(0, MAX_TODOS).flatMap((item) => {
    const fields = asObject(item)
    const text = bounded(
      fields.content ?? fields.subject ?? fields.step ?? fields.title ?? fields.description,
      BOUNDS.line,
    )
    if (text === undefined || GIVEN_UP.has(fields.status)) return []
    const id = bounded(fields.id, BOUNDS.word)
    return [{ ...(id === undefined ? {} : { id }), text, status: todoStatus(fields.status) ?? 'pending' }]
  })
}

const BOX = /^\s*(?:[-*+]|\d+[.)])?\s*\[([ xX~>/-])\]\s+(.+)$/

/** A Markdown checklist, as the todo tools of Copilot CLI and Roo take it. */
export function readChecklist(text: string): readonly Todo[] {
  return text
    .slice(0, BOUNDS.plan)
    .split('\n')
    .flatMap((line): readonly Todo[] => {
      const [, mark = '', rest] = BOX.exec(line) ?? []
      const item = bounded(rest, BOUNDS.line)
      if (item === undefined) return []
      return [{ text: item, status: /x/i.test(mark) ? 'completed' : mark === ' ' ? 'pending' : 'in_progress' }]
    })
    .slice(0, MAX_TODOS)
}
