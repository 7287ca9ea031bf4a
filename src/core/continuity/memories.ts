import type { Continuity, InjectionText } from '../continuity.ts'
import { HoldfastError } from '../errors.ts'
import type { EventOf } from '../event.ts'
import type { ProjectId } from '../id.ts'
import { datedId, EventId, MemoryId, sessionIdOf } from '../id.ts'
import type { Memory } from '../memory.ts'
import { clearsBar, relevanceOf } from '../memory-relevance.ts'
import { fence } from '../recovery/fence.ts'
import type { Session } from '../session.ts'
import { TASK_CHECKPOINT_TAG } from '../task/memory-adapter.ts'
import { leadingSentences } from '../work/text.ts'
import type { Announce, ContinuityDeps } from './deps.ts'
import type { Recording } from './recording.ts'
import { injectionOf } from './recovering.ts'

const MAX_CONTENT_CHARS = 20_000
const INJECTION_BUDGET_CHARS = 1_200
/** Of one memory before a prompt: a long one must neither fill the budget nor fall out of it. */
const SHOWN_CHARS = 500
const SEARCH_WIDTH = 20
const LEDGER_LOOKBACK = 200
const EMPTY_FOR_MS = 5_000

export interface Memories extends Pick<Continuity, 'remember' | 'recall' | 'listMemories' | 'forget'> {
  /** The few memories that clear the bar for this prompt and were not shown to this session yet. */
  forPrompt(session: Session, event: EventOf<'prompt-submitted'>, maxChars: number): Promise<InjectionText | undefined>
}

export function createMemories(deps: ContinuityDeps, recording: Recording, announce: Announce): Memories {
  const emptyProjects = new Map<ProjectId, number>()

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

  /** Most projects have none, and every prompt would ask. Another machine's memories are seen a few seconds later. */
  async function mayHaveMemories(projectId: ProjectId): Promise<boolean> {
    const known = emptyProjects.get(projectId)
    if (known !== undefined && deps.clock.monotonicMs() - known < EMPTY_FOR_MS) return false
    const [any] = await deps.store.listMemories({ projectId, limit: 1 })
    if (any === undefined) emptyProjects.set(projectId, deps.clock.monotonicMs())
    return any !== undefined
  }

  async function shownTo(session: Session): Promise<ReadonlySet<string>> {
    const past = await deps.store.listInjections({ sessionId: session.id, kind: 'memories', limit: LEDGER_LOOKBACK })
    return new Set(past.flatMap((injection) => injection.sources))
  }

  return {
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
      emptyProjects.delete(place.projectId)
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
      return hits
    },

    async listMemories({ cwd, limit }) {
      const place = await deps.places.locate(cwd)
      return deps.store.listMemories({ projectId: place.projectId, limit })
    },

    async forget(id) {
      if (await deps.store.deleteMemory(id)) return
      throw new HoldfastError('not-found', `There is no memory ${id}.`, {
        hint: 'Run `holdfast recall <words>` to find its id.',
      })
    },

    async forPrompt(session, event, maxChars) {
      const { memory: config } = await deps.configFor(session.place?.worktree)
      if (!config.inject || session.place === undefined || event.subagent !== undefined) return undefined
      const { projectId } = session.place
      if (!(await mayHaveMemories(projectId))) return undefined
      const found = await deps.store.searchMemories({ projectId, text: event.prompt, limit: SEARCH_WIDTH })
      // Mirrors of a task's checkpoints are there to be searched: nobody said that they are worth telling.
      // What was seen to fail has its own moment: before the command that it is about.
      const hits = found.filter(
        ({ memory }) => !memory.tags.includes(TASK_CHECKPOINT_TAG) && memory.evidence === undefined,
      )
      const relevant = hits.filter((hit) => clearsBar(event.prompt, hit, config))
      if (relevant.length === 0) return undefined
      const shown = await shownTo(session)
      const chosen = relevant.filter((hit) => !shown.has(hit.memory.id)).slice(0, config.maxPerPrompt)
      if (chosen.length === 0) return undefined
      const lines = chosen.map(
        ({ memory: { type, createdAt, content } }) =>
          `- (${type}, ${createdAt.slice(0, 10)}) ${leadingSentences(content, SHOWN_CHARS)}`,
      )
      const fenced = fence({
        heading: '## Remembered for this project',
        lines,
        budgetChars: Math.min(INJECTION_BUDGET_CHARS, maxChars),
        sha256: deps.sha256,
      })
      if (fenced.lineCount === 0) return undefined
      const kept = chosen.slice(0, fenced.lineCount)
      return injectionOf(deps, session, 'memories', {
        text: fenced.text,
        sources: kept.map((hit) => hit.memory.id),
        reasons: kept.map((hit, index) => ({
          line: lines[index] ?? '',
          origin: hit.memory.id,
          reason: `shares ${relevanceOf(event.prompt, hit.memory.content).matched.slice(0, 8).join(', ')} with the prompt`,
          score: hit.score,
        })),
      })
    },
  }
}
