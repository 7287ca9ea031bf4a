import { HoldfastError } from '../kernel/errors.ts'
import { isLive } from '../kernel/ports/liveness.ts'
import { listNewestSessions } from '../kernel/ports/newest-first.ts'
import type { SessionKey } from '../kernel/id.ts'
import type { Session } from '../kernel/session.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { formatReopening } from '../kernel/shell/format-command.ts'
import { oneLine } from '../kernel/text/text.ts'
import { createListRemovals } from './removals.ts'
import { type ContentEntry, toEntries } from './session-content.ts'
import type { CaptureUseCases, LabelInput } from './use-cases.ts'

/** Number of sessions that the error for an ambiguous prefix lists. */
const MAX_NAMED = 5
const MAX_TITLE_CHARS = 120
const MAX_TAGS = 32
const EVENT_PAGE = 500
/** Archived sessions are filtered after the query; this many times the limit is read. */
const ARCHIVED_SPARE = 5
const OPEN_PHASES = ['idle', 'working', 'compacting'] as const
const MAX_OPEN = 500

type Queries = Omit<CaptureUseCases, 'record' | 'recordAll'>

export function createSessionQueries(ports: ContinuityPorts): Queries {
  async function getSession(key: SessionKey, harness?: string): Promise<Session> {
    const isMeant = (session: Session) => harness === undefined || session.harness === harness
    const exact = (await ports.store.findSessionsByKey(key)).filter(isMeant)
    const known =
      exact.length > 0 || key === '' ? exact : (await ports.store.findSessionsByPrefix(key, MAX_NAMED)).filter(isMeant)
    const [session] = known
    if (session === undefined) {
      throw new HoldfastError('not-found', `No session ${key}${harness === undefined ? '' : ` of ${harness}`}.`, {
        hint: 'Run `holdfast sessions list` to see the known ones.',
      })
    }
    if (known.length === 1) return session
    if (exact.length === 0)
      throw new HoldfastError(
        'conflict',
        `Several sessions begin with ${key}: ${known.map((one) => one.key).join(', ')}.`,
        {
          hint: 'Give more characters.',
        },
      )
    const harnesses = known.map((candidate) => candidate.harness).join(', ')
    throw new HoldfastError('conflict', `Session ${key} exists in several harnesses: ${harnesses}.`, {
      hint: 'Say which one you mean with --harness.',
    })
  }

  async function changeLabels(input: LabelInput): Promise<Session> {
    const session = await getSession(input.sessionKey, input.harness)
    if (input.isShared === true && session.origin !== undefined && session.origin.principal !== ports.person.id)
      throw new HoldfastError('conflict', `Session ${session.key} belongs to another person.`, {
        hint: 'Only its author can share it.',
      })
    const redactor = await ports.redactors.forWorktree(session.place?.worktree, session.cwd)
    const { title, tags, isPinned, archivedAt, isShared = false } = session.labels ?? { tags: [], isPinned: false }
    const named = input.title === undefined ? title : redactor.redact(oneLine(input.title))
    if ((named?.length ?? 0) > MAX_TITLE_CHARS)
      throw new HoldfastError('invalid-input', `A title has at most ${MAX_TITLE_CHARS} characters.`)
    const removed = new Set(input.removeTags)
    const wanted = [...tags, ...(input.addTags ?? []).map((tag) => redactor.redact(oneLine(tag)))]
    const archived = input.isArchived === undefined ? archivedAt : input.isArchived ? ports.clock.now() : undefined
    const labels = {
      ...(named !== undefined && named !== '' && { title: named }),
      tags: [...new Set(wanted)].filter((tag) => tag !== '' && !removed.has(tag)).slice(0, MAX_TAGS),
      isPinned: input.isPinned ?? isPinned,
      ...((input.isShared ?? isShared) && { isShared: true }),
      ...(archived !== undefined && { archivedAt: archived }),
    }
    return (await ports.store.saveLabels(session.id, labels)) ?? session
  }

  return {
    getSession,
    listRemovals: createListRemovals(ports),
    async listSessions({ cwd, phases, isLive: isLiveOnly = false, includeArchived = false, afterSession, limit }) {
      const projectId = cwd === undefined ? undefined : (await ports.locator.locate(cwd)).projectId
      if (isLiveOnly) {
        const { daemon } = await ports.configFor(undefined)
        const open = { projectId, phases: phases ?? OPEN_PHASES, afterSession, limit: MAX_OPEN }
        const sessions = await listNewestSessions(ports.store, open)
        return sessions.filter((session) => isLive(session, ports, daemon.assumeLiveMs)).slice(0, limit)
      }
      const listed = await listNewestSessions(ports.store, { projectId, phases, afterSession, limit })
      if (includeArchived || listed.every(({ labels }) => labels?.archivedAt === undefined)) return listed
      const wider = await listNewestSessions(ports.store, {
        projectId,
        phases,
        afterSession,
        limit: limit * ARCHIVED_SPARE,
      })
      return wider.filter(({ labels }) => labels?.archivedAt === undefined).slice(0, limit)
    },
    labelSession: changeLabels,
    async readSession({ sessionKey, harness, afterSeq, limit }) {
      const session = await getSession(sessionKey, harness)
      const redactor = await ports.redactors.forWorktree(session.place?.worktree, session.cwd)
      const entries: ContentEntry[] = []
      let from = afterSeq
      // Many events have no text: pages are read until there are enough entries.
      while (entries.length < limit) {
        const events = await ports.store.listEvents({ sessionId: session.id, afterSeq: from, limit: EVENT_PAGE })
        entries.push(...toEntries(events))
        from = events.at(-1)?.seq
        if (events.length < EVENT_PAGE) break
      }
      return entries.slice(0, limit).map((entry) => ({ ...entry, text: redactor.redact(entry.text) }))
    },
    async reopenCommand(key, harness) {
      const session = await getSession(key, harness)
      const command = ports.resumeCommand?.(session.harness, session.key)
      const { worktree } = session.place ?? {}
      const cwd = session.cwd ?? worktree
      return {
        harness: session.harness,
        sessionKey: session.key,
        ...(cwd !== undefined && { cwd }),
        ...(command !== undefined && { command, text: formatReopening(command, cwd) }),
      }
    },
    listEvents: (query) => ports.store.listEvents(query),
    locate: (cwd) => ports.locator.locate(cwd),
    sightings: (harness) => ports.store.listSightings(harness),
    counts: () => ports.store.counts(),
  }
}
