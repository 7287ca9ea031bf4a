import type { EventId, ProjectId, SessionId } from './id.ts'
import type { Origin } from './location.ts'

/** proposed: an agent suggested it; it binds once a person confirms it. */
export const RULE_STATES = ['active', 'retired', 'proposed'] as const
export type RuleState = (typeof RULE_STATES)[number]

/** found: in a message of the user. added: by a person, on the command line or over the API. proposed: by an agent. */
export const RULE_SOURCES = ['found', 'added', 'proposed'] as const
export type RuleSource = (typeof RULE_SOURCES)[number]

/** work: a condition of one piece of work, which ends with it. */
export const RULE_SCOPES = ['project', 'work'] as const
export type RuleScope = (typeof RULE_SCOPES)[number]

/** Rules that the user gave, verbatim. */
export interface Rule {
  readonly id: string
  readonly projectId: ProjectId
  readonly text: string
  /** When it was said or added. */
  readonly since: string
  readonly state: RuleState
  readonly source: RuleSource
  readonly scope: RuleScope
  /** Where it was said; absent if it was added by hand. */
  readonly sessionId?: SessionId
  readonly eventId?: EventId
  /** The later rule that contradicts it. */
  readonly supersededBy?: string
  readonly retiredAt?: string
  /** Absent: found or added in this home. */
  readonly origin?: Origin
}
