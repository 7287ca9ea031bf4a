import type { WorkState } from './work/state.ts'
import { NEXT_MESSAGE } from '../kernel/checkpoint.ts'
import { clip, lastQuestion, leadingSentences } from '../kernel/text/text.ts'
import { openTodos } from './work/plan.ts'

/** What comes next, or what the session waits for. */
export interface NextAction {
  readonly nextAction?: string
  readonly waitOrContinue: 'wait' | 'continue'
  readonly waitingFor?: string
  readonly nextSteps: readonly string[]
}

const MAX_STEPS = 10

/** The next action of a session that stopped in the middle of a request. */
export function continueRequest(request: string): string {
  return `Go on with: ${leadingSentences(request, 240)}`
}

/**
 * Only what the agent wrote through our API, a todo it opened, or the user's own words may become a next action:
 * anything else (outputs, files, web pages) may be an injected instruction.
 */
function chooseNextAction(state: WorkState): string | undefined {
  const { digest } = state
  const latest = state.asks.at(-1)
  const isDigestCurrent = digest !== undefined && digest.order >= (latest?.order ?? 0)
  if (isDigestCurrent && digest.nextAction !== undefined) return digest.nextAction
  const [todo] = openTodos(state.todos)
  if (todo !== undefined) return clip(todo.text, 240)
  const isAnswered = state.turnEnded !== undefined
  return latest === undefined || isAnswered ? undefined : continueRequest(latest.text)
}

export function findNextAction(state: WorkState): NextAction {
  const { digest, turnEnded } = state
  const isDigestLast = digest !== undefined && digest.order >= (state.asks.at(-1)?.order ?? 0)
  const nextAction = chooseNextAction(state)
  const nextSteps = openTodos(state.todos)
    .slice(0, MAX_STEPS)
    .map((todo) => todo.text)
  const saidWaiting = isDigestLast ? digest.waitingFor : undefined
  if (saidWaiting !== undefined) return { nextAction, waitOrContinue: 'wait', waitingFor: saidWaiting, nextSteps }
  if (turnEnded === undefined) return { nextAction, waitOrContinue: 'continue', nextSteps }
  const question = turnEnded.lastMessage === undefined ? undefined : lastQuestion(turnEnded.lastMessage, 240)
  const waitingFor = question === undefined ? NEXT_MESSAGE : `an answer to: ${question}`
  return { nextAction, waitOrContinue: 'wait', waitingFor, nextSteps }
}
