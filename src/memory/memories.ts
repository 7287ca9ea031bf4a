import type { MemoryUseCases, RememberInput } from './use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { datedId, EventId, ME_PROJECT, MemoryId, type ProjectId, toSessionId } from '../kernel/id.ts'
import { type Memory, TASK_SOURCE } from '../kernel/memory.ts'
import { compareStatements } from './statement/compare-statements.ts'
import { findExclusion } from './prompt/prompt-threshold.ts'
import { redactMemory } from '../redaction/redact-checkpoint.ts'
import type { Announce, ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { RecordEvents } from '../capture/record-events.ts'
import { createFailureMemory, type FailureMemory } from './failures/failure-memory.ts'
import { createPromptMemories, type PromptMemories } from './prompt/prompt-memories.ts'
import { createMemoryCuration } from './memory-curation.ts'
import { findAnchors, findOutdated } from './anchors/anchors.ts'
import { resolveId } from '../kernel/ports/resolve-id.ts'
import { createStartMemories, type StartMemories } from './start/start-memories.ts'

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
      async forgetMemories(input) {
        const forgotten = await memories.forgetMemories(input)
        failures.refresh()
        return forgotten
      },
    },
  }
}

const MAX_CONTENT_CHARS = 20_000
const DEFAULT_IMPORTANCE = 5
/** `source` of what the MCP tool stores. */
const AGENT_SOURCE = 'mcp'
/** How many similar memories a new one is compared with. */
const COMPARED_MEMORIES = 50

export interface Memories extends MemoryUseCases, Pick<PromptMemories, 'forPrompt' | 'listConsidered'> {
  readonly forStart: StartMemories
}

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
    if (memory === undefined || memory.projectId === ME_PROJECT) return
    if ((await deps.store.listRepositoryProjects(place.projectId)).includes(memory.projectId)) return
    throw new HoldfastError('not-found', `Memory ${id} belongs to another project.`, {
      hint: 'Run the command in a folder of that project, or pass --any-project.',
    })
  }

  /** The memory that already says this, and the one whose value this changes. */
  async function findEarlier(
    projectId: ProjectId,
    text: string,
    { supersedes, source, scope }: Pick<RememberInput, 'supersedes' | 'source' | 'scope'>,
  ): Promise<{ readonly same?: Memory; readonly changed?: Memory }> {
    if (supersedes !== undefined || source === TASK_SOURCE) return {}
    // A changed value may share no keyword with the old one: "we use pnpm", "we use npm now".
    const [hits, newest] = await Promise.all([
      deps.store.searchMemories({ projectId, text, isLiteral: true, limit: COMPARED_MEMORIES }),
      deps.store.listMemories({ projectId, withoutTasks: true, limit: COMPARED_MEMORIES }),
    ])
    const earlier = [...hits.map(({ memory }) => memory), ...newest]
      .filter((memory) => findExclusion(memory) === undefined)
      .map((memory) => ({ memory, relation: compareStatements(memory.content, text) }))
    const same = earlier.find(({ relation }) => relation === 'same')?.memory
    // A statement about one project does not change a memory of all projects.
    const changed = earlier.find(
      ({ relation, memory }) => relation === 'changed' && (memory.projectId === ME_PROJECT) === (scope === 'me'),
    )?.memory
    return same === undefined ? { ...(changed !== undefined && { changed }) } : { same }
  }

  return {
    ...createMemoryCuration(deps, announce, { refuseSecrets, onChange: (projectId) => prompts.noteSaved(projectId) }),
    forStart: createStartMemories(deps),
    forPrompt: prompts.forPrompt,
    listConsidered: prompts.listConsidered,

    async remember(input) {
      const content = input.content.toWellFormed().trim()
      if (content === '' || content.length > MAX_CONTENT_CHARS) {
        throw new HoldfastError(
          'invalid-input',
          `A memory must have 1 to ${MAX_CONTENT_CHARS} characters; this one has ${content.length}.`,
        )
      }
      const importance = input.importance ?? DEFAULT_IMPORTANCE
      if (!Number.isInteger(importance) || importance < 1 || importance > 10) {
        throw new HoldfastError('invalid-input', `Importance must be a whole number from 1 to 10, not ${importance}.`)
      }
      const place = await deps.locator.locate(input.cwd)
      await refuseSecrets([content, ...(input.tags ?? [])].join('\n'), place.worktree, input.cwd)
      const createdAt = deps.clock.now()
      const { same, changed } = await findEarlier(place.projectId, content, input)
      if (input.supersedes !== undefined) await refuseOtherProject(input.supersedes, input.cwd)
      const replaced = input.supersedes === undefined ? same : await deps.store.findMemory(input.supersedes)
      const isMine = input.scope === 'me' || (input.scope === undefined && replaced?.projectId === ME_PROJECT)
      const isShared = input.scope === 'team' || (input.scope === undefined && replaced?.scope === 'team')
      const anchors = isMine ? [] : await findAnchors(deps, content, place.worktree)
      // The session that stated it first: for another session it is a statement of others.
      const sessionId =
        same?.sessionId ?? (input.session && toSessionId(input.session.harness, input.session.sessionKey))
      const memory: Memory = {
        id: same?.id ?? MemoryId(datedId('mem', createdAt, deps.entropy.bytes(10))),
        projectId: isMine ? ME_PROJECT : place.projectId,
        ...(isMine ? { scope: 'me' as const } : isShared ? { scope: 'team' as const } : {}),
        type: input.type ?? same?.type ?? changed?.type ?? (isMine ? 'preference' : 'note'),
        content,
        importance: input.importance ?? same?.importance ?? changed?.importance ?? DEFAULT_IMPORTANCE,
        tags: [...new Set([...(same?.tags ?? []), ...(input.tags ?? [])])],
        source: input.source,
        ...(sessionId !== undefined && { sessionId }),
        createdAt,
        supersedes: input.supersedes ?? same?.supersedes ?? changed?.id,
        ...(same?.origin !== undefined && { origin: same.origin }),
        hits: same?.hits ?? 0,
        ...(same?.lastHitAt !== undefined && { lastHitAt: same.lastHitAt }),
        ...(anchors.length > 0 && { anchors }),
      }
      const { memory: settings } = await deps.configFor(place.worktree)
      const isByAgent = input.isByAgent === true || input.session !== undefined || input.source === AGENT_SOURCE
      // What is shared is a person's decision.
      const needsReview = settings.review === 'inbox' || (isShared && same?.scope !== 'team')
      if (needsReview && isByAgent) {
        // It is known. Whether other words for it are better is the user's decision.
        if (same !== undefined && !isShared) return same
        await deps.store.saveDraft({ state: 'proposed', at: createdAt, memory })
        announce({ seq: await deps.store.lastSeq(), kind: 'memory', detail: memory.id })
        return { ...memory, isProposed: true }
      }
      if (same === undefined) await deps.store.saveMemory(memory)
      else await deps.store.replaceMemory(memory)
      prompts.noteSaved(memory.projectId)
      announce({ seq: await deps.store.lastSeq(), kind: 'memory', detail: memory.id })
      if (input.session !== undefined) {
        await recordEvents(
          [
            {
              kind: 'remembered',
              id: EventId(`${memory.id}/remembered/${createdAt}`),
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
        scope: input.scope,
        includeTasks: input.includeTasks,
        now: deps.clock.now(),
        limit: input.limit,
      })
      await deps.store.recordHits(
        hits.map((hit) => hit.memory.id),
        deps.clock.now(),
      )
      const redactor = await deps.redactors.forWorktree(place.worktree, input.cwd)
      return await Promise.all(
        hits.map(async (hit) => {
          const outdated = await findOutdated(deps, hit.memory, place.worktree)
          return { ...hit, memory: redactMemory(hit.memory, redactor), ...(outdated.length > 0 && { outdated }) }
        }),
      )
    },

    async listMemories({ cwd, types, scope, includeTasks = false, afterMemory, limit }) {
      const place = await deps.locator.locate(cwd)
      const memories = await deps.store.listMemories({
        projectId: place.projectId,
        types,
        scope,
        withoutTasks: !includeTasks,
        afterMemory,
        limit,
      })
      const redactor = await deps.redactors.forWorktree(place.worktree, cwd)
      return memories.map((memory) => redactMemory(memory, redactor))
    },

    async forget(given, cwd) {
      const id = MemoryId(await resolveId(deps.store, 'memory', given))
      if (cwd !== undefined) await refuseOtherProject(id, cwd)
      const memory = await deps.store.findMemory(id)
      if (memory !== undefined) await deps.store.saveDraft({ state: 'forgotten', at: deps.clock.now(), memory })
      await deps.store.deleteMemory(id)
    },
  }
}
