import type { WorkSummary } from '../../kernel/checkpoint.ts'
import type { Todo } from '../../kernel/event.ts'
import { openTodos } from '../../checkpoint/work/plan.ts'
import { isSubstantiveRequest } from '../../kernel/text/text.ts'
import type { Item } from '../items/item.ts'
import type { Talk } from '../dialogue/talk.ts'
import { ROOMS } from '../passages/scoring.ts'
import { planStepItems } from './plan-steps.ts'

const DONE_ROOM = 80
const MANY_EVENTS = 12

function fitting(todos: readonly Todo[], room: number): readonly Todo[] {
  let left = room
  return todos.filter(({ text }) => {
    left -= text.length + 2
    return left >= 0
  })
}

/** A request of the user and much work followed: the list is not about the current work. */
function isOldList({ todosOrder, dialogue = [], lastOrder }: WorkSummary): boolean {
  if (todosOrder === undefined || lastOrder - todosOrder < MANY_EVENTS) return false
  return dialogue.some(
    ({ kind, text, order }) => kind === 'request' && order > todosOrder && isSubstantiveRequest(text),
  )
}

function todoItems(work: WorkSummary): readonly Item[] {
  const { todos } = work
  const isOld = isOldList(work)
  const open = isOld ? [] : fitting(openTodos(todos), ROOMS.todos)
  const done = todos.filter(({ status }) => status === 'completed')
  const shown = fitting(
    done.slice(-1),
    Math.min(DONE_ROOM, ROOMS.todos - open.reduce((sum, { text }) => sum + text.length + 2, 0)),
  )
  if (todos.length === 0 || (isOld && done.length === todos.length)) return []
  return [
    ...open.map(
      (todo): Item => ({ section: 'next', content: { kind: 'todo', todo }, origin: 'todos', reason: todo.status }),
    ),
    ...(done.length === 0
      ? []
      : [
          {
            section: 'done',
            content: { kind: 'todos-done', shown, count: done.length, all: todos.length, isOld },
            origin: 'todos',
            reason: 'completed',
          } as const,
        ]),
  ]
}

/** Todos, and the steps of the plan that are left. */
export function taskItems(work: WorkSummary, talk: Talk): readonly Item[] {
  return [...todoItems(work), ...planStepItems(talk, work)]
}
