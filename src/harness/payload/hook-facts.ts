import type { ContextMeasure, EventKind, SessionEvent } from '../../kernel/event.ts'
import { SessionKey } from '../../kernel/id.ts'
import { BOUNDS, bounded, boundedPath } from './bounds.ts'
import type { Receipt } from '../contract/connector.ts'
import { naturalEventId } from './event-id.ts'

/** What every event says besides its own facts. */
export type EventCommon = Omit<SessionEvent, 'kind'>

export interface HookFacts {
  readonly harness: string
  readonly sessionId: string
  readonly cwd?: string
  readonly transcriptPath?: string
  /** Set on what happens inside a subagent. */
  readonly agentId?: string
  readonly agentType?: string
  /** Of the main thread; what a subagent's context holds is not the session's. */
  readonly context?: ContextMeasure | undefined
}

/** The common part of a hook's event, by its kind and the harness's own key for the fact; without a key it is the receipt's. */
export function hookCommon(facts: HookFacts, receipt: Receipt): (kind: EventKind, key?: string) => EventCommon {
  const sessionKey = SessionKey(facts.sessionId.toWellFormed())
  const cwd = boundedPath(facts.cwd)
  const transcriptPath = boundedPath(facts.transcriptPath)
  const agentId = bounded(facts.agentId, BOUNDS.word)
  const agentType = bounded(facts.agentType, BOUNDS.word)
  const { pid, pidStartedAt } = receipt
  return (kind, key) => ({
    id: naturalEventId(facts.harness, sessionKey, kind, key) ?? receipt.id,
    harness: facts.harness,
    ...(receipt.harnessVersion === undefined ? {} : { harnessVersion: receipt.harnessVersion }),
    sessionKey,
    at: receipt.at,
    door: receipt.door,
    ...(cwd === undefined ? {} : { cwd }),
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
    ...(agentId === undefined
      ? {}
      : { subagent: { id: agentId, ...(agentType === undefined ? {} : { type: agentType }) } }),
    ...(pid === undefined
      ? {}
      : { process: { pid, ...(pidStartedAt === undefined ? {} : { startedAt: pidStartedAt }) } }),
    ...(facts.context === undefined || agentId !== undefined ? {} : { context: facts.context }),
  })
}
