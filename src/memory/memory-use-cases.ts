import type { Announce, ContinuityDeps } from '../kernel/ports/runtime.ts'
import { createMemories, type Memories } from './memories.ts'
import type { Recording } from '../capture/record-events.ts'
import type { SessionEvent } from '../kernel/event.ts'
import type { Announcement, Appended } from '../kernel/ports/ports.ts'
import { createAttemptWatch } from './failures/attempt-watch.ts'
import { type BeforeTool, createBeforeTool } from './failures/before-tool.ts'
import { createFailedApproaches, type FailedApproaches } from './failures/failed-approaches.ts'
import { createLoopBreaker, type LoopBreaker } from './failures/loop-breaker.ts'

/** What is learnt from what fails: kept, told before it is tried again, and taken back once it goes well. */
interface NegativeMemory extends Pick<FailedApproaches, 'refresh' | 'drain'>, LoopBreaker {
  readonly heard: (event: SessionEvent, appended: Appended) => void
  readonly beforeTool: BeforeTool
  /** A checkpoint is the moment to keep what has failed so far: what is kept then survives the session. */
  readonly follow: (announcement: Announcement) => void
}

function createNegativeMemory(deps: ContinuityDeps, announce: Announce): NegativeMemory {
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

export interface Remembering {
  readonly memories: Memories
  readonly negative: NegativeMemory
}

/** What was told to be remembered, and what was seen to fail: both are memories, and whoever forgets one forgets it for both. */
export function createRemembering(deps: ContinuityDeps, recording: Recording, announce: Announce): Remembering {
  const memories = createMemories(deps, recording, announce)
  const negative = createNegativeMemory(deps, announce)
  return {
    negative,
    memories: {
      ...memories,
      async forget(id, cwd) {
        await memories.forget(id, cwd)
        negative.refresh()
      },
    },
  }
}
