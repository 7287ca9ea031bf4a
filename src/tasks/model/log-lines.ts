import type { SessionOutcome } from './task-session.ts'

export type HealthVerdict = 'pass' | 'fail' | 'skipped'

/** The log lines of the governance protocol, word for word: scripts match them. */
export const logLine = {
  sessionStart: (service: string, sessionId: string, checkpointId: string | null) =>
    `[${service}] Session start: ${sessionId} resuming from ${checkpointId ?? 'none'}`,
  healthCheck: (service: string, verdict: HealthVerdict) => `[${service}] Health check: ${verdict}`,
  goal: (service: string, goal: string) => `[${service}] Session starting: ${goal}`,
  checkpointCreated: (service: string, checkpointId: string) => `[${service}] Checkpoint created: ${checkpointId}`,
  sessionEnd: (service: string, sessionId: string, outcome: SessionOutcome | 'interrupted' | 'terminated') =>
    `[${service}] Session end: ${sessionId} outcome=${outcome}`,
  contextBudget: (service: string) => `[${service}] Context budget reached`,
  contextRefresh: (service: string, tokens: number) =>
    `[${service}] Context refresh complete (tokens_flushed=${tokens})`,
  memoryParity: (service: string, isVerified: boolean, file: string) =>
    `[${service}] MEMORY_PARITY:${isVerified ? 'OK' : 'FAILED'} file=${file}`,
}
