import type { SessionEvent } from '../../kernel/event.ts'
import type { Announcement, AppendResult } from '../../kernel/ports/ports.ts'
import type { Announce, ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { createAttemptWatch } from './attempt-watch.ts'
import { type BeforeTool, createBeforeTool } from './before-tool.ts'
import { createFailedApproaches, type FailedApproaches } from './failed-approaches.ts'
import { createLoopBreaker, type LoopBreaker } from './compaction-loop.ts'

/** Failed approaches: detected, stored, injected before the same command runs again, and retired once it succeeds. */
export interface FailureMemory extends Pick<FailedApproaches, 'refresh' | 'drain'>, LoopBreaker {
  readonly onEvent: (event: SessionEvent, appended: AppendResult) => void
  readonly beforeTool: BeforeTool
  /** Stores what has failed so far whenever a checkpoint is taken. */
  readonly onAnnouncement: (announcement: Announcement) => void
}

export function createFailureMemory(deps: ContinuityPorts, announce: Announce): FailureMemory {
  const watch = createAttemptWatch(deps, (run) => failures.afterRun(run))
  const failures: FailedApproaches = createFailedApproaches(deps, watch, announce)
  return {
    refresh: failures.refresh,
    drain() {
      watch.flush()
      return failures.drain()
    },
    ...createLoopBreaker(deps, watch),
    onEvent: watch.onEvent,
    beforeTool: createBeforeTool(deps, watch, failures),
    onAnnouncement({ kind, sessionId }) {
      if (kind === 'checkpoint' && sessionId !== undefined) void failures.settle(sessionId)
    },
  }
}
