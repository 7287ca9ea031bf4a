import type { Written } from '../../kernel/checkpoint.ts'
import type { Decision } from '../../kernel/event.ts'
import { exactLines } from '../../kernel/text/exact-lines.ts'
import type { WrittenNote } from '../merge/merge-checkpoints.ts'
import type { SessionState } from '../../kernel/ports/runtime.ts'

function decisionText({ decision, rationale, alternatives = [] }: Decision): string {
  const because = rationale === undefined ? '' : ` because ${rationale}`
  return `${decision}${because}${alternatives.length === 0 ? '' : ` (instead of: ${alternatives.join(', ')})`}`
}

function linesOf(label: string, text: string | undefined): readonly string[] {
  return text === undefined ? [] : exactLines(label, text)
}

/** What was written down for the next session, byte for byte. */
export function writtenLines({ isOvertaken, ...written }: WrittenNote): readonly string[] {
  const { summary, nextAction, waitingFor, decisions, blockers }: Written = written
  return [
    ...exactLines(isOvertaken ? 'Noted by the agent, before the last ask' : 'Noted by the agent', summary),
    ...linesOf(isOvertaken ? 'Next, as it was then' : 'Next', nextAction),
    ...linesOf('Waiting for', waitingFor),
    ...decisions.flatMap((decision) => exactLines('Decided', decisionText(decision))),
    ...blockers.flatMap((blocker) => exactLines('Blocked by', blocker)),
  ]
}

/** As the origin of what it says. */
export const SESSION_STATE = 'SESSION-STATE.md'

export function sessionStateLines({ text, isEarlier = false }: SessionState): readonly string[] {
  return exactLines(isEarlier ? `${SESSION_STATE}, of the session before` : SESSION_STATE, text)
}
