import type { MemoryUseCases } from './use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { datedId, EventId, MemoryId, toSessionId } from '../kernel/id.ts'
import type { Memory } from '../kernel/memory.ts'
import { redactMemory } from '../redaction/redact-checkpoint.ts'
import type { Announce, ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { RecordEvents } from '../capture/record-events.ts'
import { createPromptMemories, type PromptMemories } from './prompt/prompt-memories.ts'
import type { SessionEvent } from '../kernel/event.ts'
import type { Announcement, AppendResult } from '../kernel/ports/ports.ts'
import { createAttemptWatch } from './failures/attempt-watch.ts'
import { type BeforeTool, createBeforeTool } from './failures/before-tool.ts'
import { createFailedApproaches, type FailedApproaches } from './failures/failed-approaches.ts'
import { createLoopBreaker, type LoopBreaker } from './failures/loop-breaker.ts'

/** Failed approaches: detected, stored, injected before the same command runs again, and retired once it succeeds. */
interface FailureMemory extends Pick<FailedApproaches, 'refresh' | 'drain'>, LoopBreaker {
  readonly onEvent: (event: SessionEvent, appended: AppendResult) => void
  readonly beforeTool: BeforeTool
  /** Stores what has failed so far whenever a checkpoint is taken. */
  readonly onAnnouncement: (announcement: Announcement) => void
}

function createFailureMemory(deps: ContinuityPorts, announce: Announce): FailureMemory {
  const watch = createAttemptWatch(deps, (heard) => failures.afterRun(heard))
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

export interface ProjectMemory {
  readonly memories: Memories
  readonly failures: FailureMemory
}

/** Memories that were saved on request, and failed approaches that were detected. Forgetting a memory refreshes both. */
export function createProjectMemory(
  deps: ContinuityPorts,
  recordEvents: RecordEvents,
  announce: Announce,
): ProjectMemory {
  const memories = createMemories(deps, recordEvents, announce)
  const failures = createFailureMemory(deps, announce)
  return {
    failures,
    memories: {
      ...memories,
      async forget(id, cwd) {
        await memories.forget(id, cwd)
        failures.refresh()
      },
    },
  }
}

const MAX_CONTENT_CHARS = 20_000

export interface Memories extends MemoryUseCases, Pick<PromptMemories, 'forPrompt' | 'listConsidered'> {}

function createMemories(deps: ContinuityPorts, recordEvents: RecordEvents, announce: Announce): Memories {
  const prompts = createPromptMemories(deps)

  async function refuseSecrets(content: string, worktree: string, cwd: string): Promise<void> {
    const redactor = await deps.redactors.forWorktree(worktree, cwd)
    const findings = redactor.findings(content)
    if (findings.length === 0) return
    throw new HoldfastError(
      'secret-refused',
      `The memory contains a secret (${findings.join(', ')}) and was not saved.`,
      {
        hint: 'Describe where the secret is stored, not its value.',
      },
    )
  }

  async function refuseOtherProject(id: MemoryId, cwd: string): Promise<void> {
    const [memory, place] = await Promise.all([deps.store.findMemory(id), deps.locator.locate(cwd)])
    if (memory === undefined || memory.projectId === place.projectId) return
    throw new HoldfastError('not-found', `Memory ${id} belongs to another project.`, {
      hint: 'Run the command in a folder of that project, or pass --any-project.',
    })
  }

  return {
    forPrompt: (session, event, maxChars) => prompts.forPrompt(session, event, maxChars),
    listConsidered: (session) => prompts.listConsidered(session),

    async remember(input) {
      const content = input.content.toWellFormed().trim()
      if (content === '' || content.length > MAX_CONTENT_CHARS) {
        throw new HoldfastError(
          'invalid-input',
          `A memory must have 1 to ${MAX_CONTENT_CHARS} characters; this one has ${content.length}.`,
        )
      }
      const importance = input.importance ?? 5
      if (!Number.isInteger(importance) || importance < 1 || importance > 10) {
        throw new HoldfastError('invalid-input', `Importance must be a whole number from 1 to 10, not ${importance}.`)
      }
      const place = await deps.locator.locate(input.cwd)
      await refuseSecrets([content, ...(input.tags ?? [])].join('\n'), place.worktree, input.cwd)
      const createdAt = deps.clock.now()
      const memory: Memory = {
        id: MemoryId(datedId('mem', createdAt, deps.entropy.bytes(10))),
        projectId: place.projectId,
        type: input.type ?? 'note',
        content,
        importance,
        tags: input.tags ?? [],
        source: input.source,
        ...(input.session && { sessionId: toSessionId(input.session.harness, input.session.sessionKey) }),
        createdAt,
        supersedes: input.supersedes,
        hits: 0,
      }
      await deps.store.saveMemory(memory)
      prompts.noteSaved(place.projectId)
      announce({ seq: await deps.store.lastSeq(), kind: 'memory', detail: memory.id })
      if (input.session !== undefined) {
        await recordEvents(
          [
            {
              kind: 'remembered',
              id: EventId(`${memory.id}/remembered`),
              ...input.session,
              at: createdAt,
              door: 'api',
              cwd: input.cwd,
              content,
              memoryId: memory.id,
            },
          ],
          'note',
        )
      }
      return memory
    },

    async recall(input) {
      const place = await deps.locator.locate(input.cwd)
      const hits = await deps.store.searchMemories({
        projectId: place.projectId,
        text: input.text,
        types: input.types,
        limit: input.limit,
      })
      await deps.store.recordHits(
        hits.map((hit) => hit.memory.id),
        deps.clock.now(),
      )
      const redactor = await deps.redactors.forWorktree(place.worktree, input.cwd)
      return hits.map((hit) => ({ ...hit, memory: redactMemory(hit.memory, redactor) }))
    },

    async listMemories({ cwd, types, limit }) {
      const place = await deps.locator.locate(cwd)
      const memories = await deps.store.listMemories({ projectId: place.projectId, types, limit })
      const redactor = await deps.redactors.forWorktree(place.worktree, cwd)
      return memories.map((memory) => redactMemory(memory, redactor))
    },

    async forget(id, cwd) {
      if (cwd !== undefined) await refuseOtherProject(id, cwd)
      if (await deps.store.deleteMemory(id)) return
      throw new HoldfastError('not-found', `No memory ${id} exists.`, {
        hint: 'Run `holdfast recall <words>` to find its id.',
      })
    },
  }
}
