import { HoldfastError } from '../kernel/errors.ts'
import { datedId, ME_PROJECT, MemoryId, type ProjectId } from '../kernel/id.ts'
import { type Memory, type MemoryDraft, PINNED_TAG } from '../kernel/memory.ts'
import { findMatchingIds, pickId, resolveId } from '../kernel/ports/resolve-id.ts'
import type { Announce, ContinuityPorts } from '../kernel/ports/runtime.ts'
import { redactMemory } from '../redaction/redact-checkpoint.ts'
import { checkAnchors } from './anchors/anchors.ts'
import type { MemoryCurationUseCases } from './use-cases.ts'

const MAX_CONTENT_CHARS = 20_000
const MEMORY_PAGE = 500
/** Older versions that are shown. */
const MAX_HISTORY = 50

interface CurationParts {
  readonly refuseSecrets: (content: string, worktree: string, cwd: string) => Promise<void>
  /** What was stored or deleted changes what prompts and tools get. */
  readonly onChange: (projectId: ProjectId) => void
}

/** How a user looks at memories, corrects and deletes them, and decides on proposed ones. */
export function createMemoryCuration(
  deps: ContinuityPorts,
  announce: Announce,
  { refuseSecrets, onChange }: CurationParts,
): MemoryCurationUseCases {
  const { store, clock } = deps

  async function getMemory(given: MemoryId): Promise<Memory> {
    const id = await resolveId(store, 'memory', given)
    const memory = await store.findMemory(MemoryId(id))
    if (memory !== undefined) return memory
    throw new HoldfastError('not-found', `Memory ${id} cannot be read.`, { hint: 'Run `holdfast doctor`.' })
  }

  async function finish(projectId: ProjectId, detail: string): Promise<void> {
    onChange(projectId)
    announce({ seq: await store.lastSeq(), kind: 'memory', detail })
  }

  async function listHistory(memory: Memory): Promise<readonly Memory[]> {
    const older: Memory[] = []
    let next = memory.supersedes
    while (next !== undefined && older.length < MAX_HISTORY) {
      const before = await store.findMemory(next)
      if (before === undefined) break
      older.push(before)
      next = before.supersedes
    }
    return older
  }

  async function getDraft(id: MemoryId): Promise<MemoryDraft> {
    const drafts = new Map((await store.listDrafts({})).map((draft) => [String(draft.memory.id), draft]))
    const draft = drafts.get(pickId('draft', id, findMatchingIds([...drafts.keys()], id)))
    if (draft !== undefined) return draft
    throw new HoldfastError('not-found', `No memory ${id} was proposed or forgotten.`)
  }

  function refuseLength(content: string): void {
    if (content !== '' && content.length <= MAX_CONTENT_CHARS) return
    throw new HoldfastError(
      'invalid-input',
      `A memory must have 1 to ${MAX_CONTENT_CHARS} characters; this one has ${content.length}.`,
    )
  }

  async function setAside(memory: Memory): Promise<void> {
    await store.saveDraft({ state: 'forgotten', at: clock.now(), memory })
    await store.deleteMemory(memory.id)
  }

  /** Pinned memories are selected by their id only. */
  async function select(projectId: ProjectId, text: string | undefined, ids: readonly MemoryId[]) {
    const named = await Promise.all(ids.map(getMemory))
    if (text === undefined) return named
    const wanted = text.toLowerCase()
    const isMatching = ({ content, tags }: Memory) =>
      !tags.includes(PINNED_TAG) && [content, ...tags].some((part) => part.toLowerCase().includes(wanted))
    const matching: Memory[] = []
    for (let after: { afterMemory?: MemoryId } = {}; ; ) {
      const page = await store.listMemories({ projectId, ...after, limit: MEMORY_PAGE })
      matching.push(...page.filter(isMatching))
      const last = page.at(-1)
      // A page is shorter where a row is damaged: only an empty one is the end.
      if (last === undefined) break
      after = { afterMemory: last.id }
    }
    return [...new Map([...named, ...matching].map((memory) => [memory.id, memory])).values()]
  }

  return {
    async getMemory(given, cwd) {
      const memory = await getMemory(given)
      const place = cwd === undefined ? undefined : await deps.locator.locate(cwd)
      const redactor = await deps.redactors.forWorktree(place?.worktree, cwd)
      const isHere = place?.projectId === memory.projectId
      return {
        memory: redactMemory(memory, redactor),
        checks: await checkAnchors(deps, memory, isHere ? place.worktree : undefined),
        history: (await listHistory(memory)).map((older) => redactMemory(older, redactor)),
      }
    },

    async editMemory({ id, cwd, content, type, importance, tags, isPinned, isByAgent = false }) {
      const before = await getMemory(id)
      const text = content?.toWellFormed().trim() ?? before.content
      refuseLength(text)
      const place = await deps.locator.locate(cwd)
      if (isByAgent && (await deps.configFor(place.worktree)).memory.review === 'inbox')
        throw new HoldfastError('forbidden', 'Only a person changes a memory while `memory.review` is inbox.', {
          hint: `Propose other words: \`holdfast remember --supersedes ${before.id} <text>\`.`,
        })
      await refuseSecrets([text, ...(tags ?? [])].join('\n'), place.worktree, cwd)
      const plain = (tags ?? before.tags).filter((tag) => tag !== PINNED_TAG)
      const pinned = isPinned ?? before.tags.includes(PINNED_TAG)
      const changed = {
        ...before,
        type: type ?? before.type,
        importance: importance ?? before.importance,
        tags: [...new Set([...plain, ...(pinned ? [PINNED_TAG] : [])])],
      }
      if (text === before.content) {
        await store.replaceMemory(changed)
        await finish(changed.projectId, changed.id)
        return changed
      }
      const createdAt = clock.now()
      const memory: Memory = {
        ...changed,
        id: MemoryId(datedId('mem', createdAt, deps.entropy.bytes(10))),
        content: text,
        createdAt,
        supersedes: before.id,
        supersededBy: undefined,
        origin: undefined,
      }
      await store.saveMemory(memory)
      await finish(memory.projectId, memory.id)
      return memory
    },

    async shareMemory({ id, cwd, isShared }) {
      const before = await getMemory(id)
      if (before.projectId === ME_PROJECT)
        throw new HoldfastError('conflict', `Memory ${before.id} applies to all of your projects.`, {
          hint: 'Store it for this repository with `holdfast remember --team`.',
        })
      if (before.origin !== undefined && before.origin.principal !== deps.person.id)
        throw new HoldfastError('conflict', `Memory ${before.id} was written by another person.`, {
          hint: 'Only its author can share it or stop sharing it.',
        })
      const place = await deps.locator.locate(cwd)
      if (!(await store.listRepositoryProjects(place.projectId)).includes(before.projectId))
        throw new HoldfastError('not-found', `Memory ${before.id} belongs to another project.`, {
          hint: 'Run the command in a folder of that project.',
        })
      await refuseSecrets([before.content, ...before.tags].join('\n'), place.worktree, cwd)
      const { scope: _, ...own } = before
      const memory: Memory = isShared ? { ...own, scope: 'team' } : own
      await store.replaceMemory(memory)
      await finish(memory.projectId, memory.id)
      return memory
    },

    async forgetMemories({ cwd, text, ids = [], isPreview = false }) {
      if ((text ?? '').trim() === '' && ids.length === 0)
        throw new HoldfastError('invalid-input', 'Neither an id nor a text was given.', {
          hint: 'Give ids, or a text that the memories contain.',
        })
      const place = await deps.locator.locate(cwd)
      const selected = await select(place.projectId, text, ids)
      if (!isPreview) {
        for (const memory of selected) await setAside(memory)
        if (selected.length > 0) await finish(place.projectId, 'forgotten')
      }
      const redactor = await deps.redactors.forWorktree(place.worktree, cwd)
      return selected.map((memory) => redactMemory(memory, redactor))
    },

    async restoreMemories({ ids }) {
      const restored: Memory[] = []
      for (const id of ids) {
        const draft = await getDraft(id)
        if (draft.state !== 'forgotten')
          throw new HoldfastError('conflict', `Memory ${draft.memory.id} is ${draft.state}, not forgotten.`)
        await store.replaceMemory(draft.memory)
        await store.deleteDraft(draft.memory.id)
        await finish(draft.memory.projectId, draft.memory.id)
        restored.push(draft.memory)
      }
      return restored
    },

    async listDrafts({ cwd, states }) {
      const place = await deps.locator.locate(cwd)
      const redactor = await deps.redactors.forWorktree(place.worktree, cwd)
      const drafts = await store.listDrafts({ projectId: place.projectId, states })
      return drafts.map((draft) => ({ ...draft, memory: redactMemory(draft.memory, redactor) }))
    },

    async reviewDraft({ id, action, content }) {
      const draft = await getDraft(id)
      if (draft.state === 'forgotten')
        throw new HoldfastError(
          'conflict',
          `Memory ${draft.memory.id} was forgotten, not proposed: there is nothing to decide.`,
        )
      const at = clock.now()
      if (action === 'reject') {
        const rejected: MemoryDraft = { ...draft, state: 'rejected', at }
        await store.saveDraft(rejected)
        return rejected
      }
      const text = content?.toWellFormed().trim() ?? draft.memory.content
      refuseLength(text)
      await refuseSecrets(text, '', '')
      const memory = { ...draft.memory, content: text }
      // A proposal to share a memory has its id.
      if ((await store.findMemory(memory.id)) === undefined) await store.saveMemory(memory)
      else await store.replaceMemory(memory)
      await store.deleteDraft(memory.id)
      await finish(memory.projectId, memory.id)
      return { state: draft.state, at, memory }
    },
  }
}
