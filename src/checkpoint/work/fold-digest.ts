import type { DecisionRecord, AgentNote } from '../../kernel/checkpoint.ts'
import type { Decision, EventOf } from '../../kernel/event.ts'
import { withClaims } from './claims.ts'
import { type WorkState, LIMITS } from './state.ts'
import { clip, truncate } from '../../kernel/text/text.ts'

const MAX_FIELD_CHARS = LIMITS.writtenFieldChars
const MAX_NAME_CHARS = 120

/** What a checkpoint stores of a next action, of what is awaited and of a decision. */
export function clipStatement(text: string): string {
  return clip(text, LIMITS.decisionChars)
}

export function clipBlocker(text: string): string {
  return clip(text, 240)
}

function field(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : truncate(text.toWellFormed(), MAX_FIELD_CHARS)
}

/** The digest byte for byte, with its spaces and newlines. */
export function toAgentNote(event: EventOf<'digest-written'>, order: number): AgentNote {
  const nextAction = field(event.nextAction)
  const waitingFor = field(event.waitingFor)
  return {
    summary: truncate(event.summary.toWellFormed(), LIMITS.writtenChars),
    ...(nextAction === undefined ? {} : { nextAction }),
    ...(waitingFor === undefined ? {} : { waitingFor }),
    decisions: (event.decisions ?? []).slice(-LIMITS.decisions).map(({ decision, rationale, alternatives }) => ({
      decision: truncate(decision.toWellFormed(), MAX_FIELD_CHARS),
      ...(rationale === undefined ? {} : { rationale: truncate(rationale.toWellFormed(), MAX_FIELD_CHARS) }),
      ...(alternatives === undefined
        ? {}
        : { alternatives: alternatives.slice(0, 6).map((text) => truncate(text.toWellFormed(), MAX_FIELD_CHARS)) }),
    })),
    blockers: (event.blockers ?? [])
      .slice(-LIMITS.blockers)
      .map((text) => truncate(text.toWellFormed(), MAX_FIELD_CHARS)),
    ...(event.author === undefined ? {} : { author: event.author }),
    ...(event.name === undefined ? {} : { name: clip(event.name, MAX_NAME_CHARS) }),
    order,
  }
}

export function withDecisions(
  state: WorkState,
  decisions: readonly Decision[],
  { evidence, savedAs }: Pick<DecisionRecord, 'evidence' | 'savedAs'>,
): WorkState {
  const added = decisions.map((decision) => ({
    decision: clipStatement(decision.decision),
    rationale: decision.rationale === undefined ? undefined : clipStatement(decision.rationale),
    alternatives: decision.alternatives?.slice(0, 6).map((alternative) => clip(alternative, 160)),
    evidence,
    ...(savedAs === undefined ? {} : { savedAs }),
    lastOrder: state.order,
  }))
  const names = new Set(added.map((record) => record.decision))
  const kept = state.decisions.filter((record) => !names.has(record.decision))
  return { ...state, decisions: [...kept, ...added].slice(-LIMITS.decisions) }
}

export function foldDigest(state: WorkState, event: EventOf<'digest-written'>): WorkState {
  const order = Math.min(event.asOfOrder ?? state.order, state.order)
  const digest = {
    summary: clip(event.summary, LIMITS.askChars),
    nextAction: event.nextAction === undefined ? undefined : clipStatement(event.nextAction),
    waitingFor: event.waitingFor === undefined ? undefined : clipStatement(event.waitingFor),
    name: event.name === undefined ? undefined : clip(event.name, MAX_NAME_CHARS),
    order,
  }
  const blockers = event.blockers?.slice(-LIMITS.blockers).map(clipBlocker) ?? state.blockers
  // A digest is claimed like a message: "all tests pass" is checked against the runs.
  const claims = withClaims(state.claims, event.summary, order)
  const written = toAgentNote(event, order)
  // The statement of a decision was observed; the decision itself is only claimed.
  const savedAs = digest.name
  return withDecisions({ ...state, digest, written, blockers, claims }, event.decisions ?? [], {
    evidence: 'claimed',
    ...(savedAs === undefined ? {} : { savedAs }),
  })
}
