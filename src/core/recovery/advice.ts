import type { Checkpoint } from '../checkpoint.ts'
import { clip } from '../work/text.ts'
import { openTodos } from '../work/todos.ts'
import { sanitize } from './sanitize.ts'

/** What a summary of this session must not lose: a short list for the harness's summariser, before it compacts. Empty when nothing is known. */
export function renderAdvice(checkpoint: Checkpoint, budgetChars: number): string {
  const { work, nextAction } = checkpoint
  const goal = work.asks.findLast((ask) => ask.text.length >= 25) ?? work.asks.at(-1)
  const edited = work.files.filter((file) => file.edits > 0).toReversed()
  const failing = work.tests.filter((test) => test.status === 'failing')
  const todos = openTodos(work.todos)
  const lines = [
    ...(goal === undefined ? [] : [`- the user's ask: "${clip(goal.text, 240)}"`]),
    ...(nextAction === undefined ? [] : [`- the next action: ${clip(nextAction, 200)}`]),
    ...(todos.length === 0
      ? []
      : [
          `- open todos: ${todos
            .slice(0, 6)
            .map((todo) => clip(todo.text, 80))
            .join('; ')}`,
        ]),
    ...(edited.length === 0
      ? []
      : [
          `- files being changed: ${edited
            .slice(0, 8)
            .map((file) => file.path)
            .join(', ')}`,
        ]),
    ...(failing.length === 0
      ? []
      : [
          `- still failing: ${failing
            .slice(0, 4)
            .map((test) => clip(test.name, 80))
            .join(', ')}`,
        ]),
    ...work.decisions.slice(-3).map((record) => `- decided: ${clip(record.decision, 140)}`),
    ...work.failedApproaches.slice(-2).map((text) => `- tried and failed: ${clip(text, 140)}`),
  ].map(sanitize)
  if (lines.length === 0) return ''
  let text = 'Keep in the summary:'
  for (const line of lines) {
    if (text.length + 1 + line.length > budgetChars) break
    text += `\n${line}`
  }
  return text.includes('\n') ? text : ''
}
