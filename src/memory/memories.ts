import type { MemoryUseCases } from './use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { datedId, EventId, MemoryId, sessionIdOf } from '../kernel/id.ts'
import type { Memory } from '../kernel/memory.ts'
import { redactMemory } from '../redaction/redact-memory.ts'
import type { Announce, ContinuityDeps } from '../kernel/ports/runtime.ts'
import type { Recording } from '../capture/record-events.ts'
import { createPromptMemories, type PromptMemories } from './prompt/prompt-memories.ts'

const MAX_CONTENT_CHARS = 20_000

export interface Memories extends MemoryUseCases, Pick<PromptMemories, 'forPrompt' | 'considered'> {}

export function createMemories(deps: ContinuityDeps, recording: Recording, announce: Announce): Memories {
  const prompts = createPromptMemories(deps)

  async function refuseSecrets(content: string, worktree: string, cwd: string): Promise<void> {
    const redactor = await deps.redactors.forWorktree(worktree, cwd)
    const findings = redactor.findings(content)
    if (findings.length === 0) return
    throw new HoldfastError(
      'secret-refused',
      `That memory holds a secret (${findings.join(', ')}), so it was not kept.`,
      {
        hint: 'Say where the secret is kept instead of what it is, and remember that.',
      },
    )
  }

  async function refuseOtherProject(id: MemoryId, cwd: string): Promise<void> {
    const [memory, place] = await Promise.all([deps.store.findMemory(id), deps.places.locate(cwd)])
    if (memory === undefined || memory.projectId === place.projectId) return
    throw new HoldfastError('not-found', `There is no memory ${id} in this project; another one has it.`, {
      hint: 'Run it in a folder of that project, or say --any-project.',
    })
  }

  return {
    forPrompt: (session, event, maxChars) => prompts.forPrompt(session, event, maxChars),
    considered: (session) => prompts.considered(session),

    async remember(input) {
      const content = input.content.toWellFormed().trim()
      if (content === '' || content.length > MAX_CONTENT_CHARS) {
        throw new HoldfastError(
          'invalid-input',
          `A memory has 1 to ${MAX_CONTENT_CHARS} characters; this one has ${content.length}.`,
        )
      }
      const importance = input.importance ?? 5
      if (!Number.isInteger(importance) || importance < 1 || importance > 10) {
        throw new HoldfastError('invalid-input', `Importance goes from 1 to 10; ${importance} is not in that range.`)
      }
      const place = await deps.places.locate(input.cwd)
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
        ...(input.session && { sessionId: sessionIdOf(input.session.harness, input.session.sessionKey) }),
        createdAt,
        supersedes: input.supersedes,
        hits: 0,
      }
      await deps.store.keepMemory(memory)
      prompts.noteKept(place.projectId)
      announce({ seq: await deps.store.lastSeq(), kind: 'memory', detail: memory.id })
      if (input.session !== undefined) {
        await recording.recordAll([
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
        ])
      }
      return memory
    },

    async recall(input) {
      const place = await deps.places.locate(input.cwd)
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
      const place = await deps.places.locate(cwd)
      const memories = await deps.store.listMemories({ projectId: place.projectId, types, limit })
      const redactor = await deps.redactors.forWorktree(place.worktree, cwd)
      return memories.map((memory) => redactMemory(memory, redactor))
    },

    async forget(id, cwd) {
      if (cwd !== undefined) await refuseOtherProject(id, cwd)
      if (await deps.store.deleteMemory(id)) return
      throw new HoldfastError('not-found', `There is no memory ${id}.`, {
        hint: 'Run `holdfast recall <words>` to find its id.',
      })
    },
  }
}
