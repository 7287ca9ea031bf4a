import type { MemoryId, ProjectId, SessionId } from '../kernel/id.ts'
import type { Origin } from '../kernel/location.ts'
import type { EraseSelection } from '../kernel/ports/library-store.ts'
import { digestErased } from '../kernel/ports/tombstone.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'

const MAX_LISTED = 100_000

interface ErasedThings {
  readonly selection: Required<Pick<EraseSelection, 'sessionIds' | 'memoryIds' | 'ruleIds'>> &
    Pick<EraseSelection, 'projectId'>
  readonly digests: readonly string[]
}

interface ErasureFilter {
  readonly sessionIds?: readonly SessionId[]
  readonly projectId?: ProjectId
  /** Everything that this person wrote, in every project. */
  readonly isPerson?: boolean
}

/** The ids that an erasure deletes: other homes delete them too, and they are never stored again. */
export async function listErasedThings(
  { store, person, sha256 }: ContinuityPorts,
  { sessionIds, projectId, isPerson = false }: ErasureFilter,
): Promise<ErasedThings> {
  const isOwn = ({ origin }: { readonly origin?: Origin }) => origin === undefined || origin.principal === person.id
  const all = isPerson || projectId !== undefined
  const listed = all
    ? await store.listSessions({ ...(projectId !== undefined && { projectId }), limit: MAX_LISTED })
    : []
  const lone = all ? await store.listSessionsOfCheckpointsOnly(projectId === undefined ? undefined : [projectId]) : []
  const sessions = new Set<SessionId>([
    ...(sessionIds ?? []),
    ...listed.filter((session) => !isPerson || isOwn(session)).map(({ id }) => id),
    ...lone,
  ])
  const isOfSession = ({ sessionId }: { readonly sessionId?: SessionId }) =>
    sessionId !== undefined && sessions.has(sessionId)
  const digests: string[] = [...sessions].map((id) => digestErased('session', id, sha256))
  const memoryIds: MemoryId[] = []
  const ruleIds: string[] = []
  for (const id of projectId === undefined ? await store.listProjectIds() : [projectId]) {
    const isWanted = (item: { readonly origin?: Origin; readonly sessionId?: SessionId }) =>
      isOfSession(item) || projectId !== undefined || (isPerson && isOwn(item))
    const memories = await store.listMemories({
      projectId: id,
      isHereOnly: true,
      includeSuperseded: true,
      limit: MAX_LISTED,
    })
    const drafts = (await store.listDrafts({ projectId: id })).map(({ memory }) => memory)
    for (const memory of [...memories, ...drafts.filter((draft) => draft.projectId === id)])
      if (isWanted(memory)) {
        digests.push(digestErased('memory', memory.id, sha256))
        memoryIds.push(memory.id)
      }
    for (const rule of await store.listRules({ projectId: id }))
      if (rule.projectId === id && isWanted(rule)) {
        digests.push(digestErased('rule', rule.id, sha256))
        ruleIds.push(rule.id)
      }
    if (projectId === undefined) continue
    for (const { id: summary, projectId: of } of await store.listSummaries({ projectId: id, limit: MAX_LISTED }))
      if (of === id) digests.push(digestErased('summary', summary, sha256))
    for (const { id: intent } of await store.listIntents({ projectId: id, limit: MAX_LISTED }))
      digests.push(digestErased('intent', intent, sha256))
  }
  return {
    selection: { sessionIds: [...sessions], memoryIds, ruleIds, ...(projectId !== undefined && { projectId }) },
    digests: [...new Set(digests)],
  }
}
