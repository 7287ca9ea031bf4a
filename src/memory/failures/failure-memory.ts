import type { SessionEvent } from '../../kernel/event.ts'
import type { Announcement, Appended } from '../../kernel/ports.ts'
import { createAttemptWatch } from './attempt-watch.ts'
import { type BeforeTool, createBeforeTool } from './before-tool.ts'
import type { Announce, ContinuityDeps } from '../../kernel/runtime.ts'
import { createFailedApproaches, type FailedApproaches } from './failed-approaches.ts'
import { createLoopBreaker, type LoopBreaker } from './loop-breaker.ts'

/** What is learnt from what fails: kept, told before it is tried again, and taken back once it goes well. */
export interface NegativeMemory extends Pick<FailedApproaches, 'refresh' | 'drain'>, LoopBreaker {
  readonly heard: (event: SessionEvent, appended: Appended) => void
  readonly beforeTool: BeforeTool
  /** A checkpoint is the moment to keep what has failed so far: what is kept then survives the session. */
  readonly follow: (announcement: Announcement) => void
}

export function createNegativeMemory(deps: ContinuityDeps, announce: Announce): NegativeMemory {
  const watch = createAttemptWatch(deps, (heard) => failures.afterRun(heard))
  const failures: FailedApproaches = createFailedApproaches(deps, watch, announce)
  return {
    refresh: failures.refresh,
    drain() {
      watch.flush()
      return failures.drain()
    },
    ...createLoopBreaker(deps, watch),
    heard: watch.heard,
    beforeTool: createBeforeTool(deps, watch, failures),
    follow({ kind, sessionId }) {
      if (kind === 'checkpoint' && sessionId !== undefined) void failures.settle(sessionId)
    },
  }
}
