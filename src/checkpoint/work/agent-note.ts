import type { Written } from '../../kernel/checkpoint.ts'
import type { EventOf } from '../../kernel/event.ts'
import { LIMITS } from './state.ts'
import { cutUnits } from '../../kernel/text/text.ts'

const MAX_FIELD_CHARS = LIMITS.writtenFieldChars

/** Whoever reads one that was cut sees it. */
function bounded(text: string, maxChars: number): string {
  const whole = text.toWellFormed()
  return whole.length <= maxChars ? whole : `${cutUnits(whole, maxChars - 1)}…`
}

function field(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : bounded(text, MAX_FIELD_CHARS)
}

/** What a digest says, byte for byte: blanks, line ends and odd characters are the writer's own business. */
export function writtenOf(event: EventOf<'digest-written'>, order: number): Written {
  const nextAction = field(event.nextAction)
  const waitingFor = field(event.waitingFor)
  return {
    summary: bounded(event.summary, LIMITS.writtenChars),
    ...(nextAction === undefined ? {} : { nextAction }),
    ...(waitingFor === undefined ? {} : { waitingFor }),
    decisions: (event.decisions ?? []).slice(-LIMITS.decisions).map(({ decision, rationale, alternatives }) => ({
      decision: bounded(decision, MAX_FIELD_CHARS),
      ...(rationale === undefined ? {} : { rationale: bounded(rationale, MAX_FIELD_CHARS) }),
      ...(alternatives === undefined
        ? {}
        : { alternatives: alternatives.slice(0, 6).map((text) => bounded(text, MAX_FIELD_CHARS)) }),
    })),
    blockers: (event.blockers ?? []).slice(-LIMITS.blockers).map((text) => bounded(text, MAX_FIELD_CHARS)),
    order,
  }
}
