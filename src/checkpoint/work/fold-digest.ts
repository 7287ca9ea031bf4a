import type { DecisionRecord, Written } from '../../kernel/checkpoint.ts'
import type { Decision, EventOf } from '../../kernel/event.ts'
import { claimsIn, withClaims } from './claims.ts'
import { type WorkState, LIMITS } from './state.ts'
import { clip, cutUnits } from '../../kernel/text/text.ts'

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

export function withDecisions(
  state: WorkState,
  decisions: readonly Decision[],
  evidence: DecisionRecord['evidence'],
): WorkState {
  const added = decisions.map((decision) => ({
    decision: clip(decision.decision, LIMITS.decisionChars),
    rationale: decision.rationale === undefined ? undefined : clip(decision.rationale, LIMITS.decisionChars),
    alternatives: decision.alternatives?.slice(0, 6).map((alternative) => clip(alternative, 160)),
    evidence,
    lastOrder: state.order,
  }))
  const names = new Set(added.map((record) => record.decision))
  const kept = state.decisions.filter((record) => !names.has(record.decision))
  return { ...state, decisions: [...kept, ...added].slice(-LIMITS.decisions) }
}

export function foldDigest(state: WorkState, event: EventOf<'digest-written'>): WorkState {
  const digest = {
    summary: clip(event.summary, LIMITS.askChars),
    nextAction: event.nextAction === undefined ? undefined : clip(event.nextAction, 400),
    waitingFor: event.waitingFor === undefined ? undefined : clip(event.waitingFor, 400),
    name: event.name === undefined ? undefined : clip(event.name, 120),
    order: state.order,
  }
  const blockers = event.blockers?.slice(-LIMITS.blockers).map((blocker) => clip(blocker, 240)) ?? state.blockers
  // What an agent writes down is claimed like what it says: a digest that "all tests pass" is weighed against the runs.
  const claims = withClaims(state.claims, claimsIn(event.summary, state.order))
  const written = writtenOf(event, state.order)
  return withDecisions({ ...state, digest, written, blockers, claims }, event.decisions ?? [], 'observed')
}
