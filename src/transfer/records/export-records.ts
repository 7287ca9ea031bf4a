import { HoldfastError } from '../../kernel/errors.ts'
import { type ProjectId, SessionId, type SessionKey } from '../../kernel/id.ts'
import type { Redactor } from '../../kernel/ports/ports.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import type { Session } from '../../kernel/session.ts'
import { redactCheckpoint, redactMemory } from '../../redaction/redact-checkpoint.ts'
import { redactDeep } from '../../redaction/redact-deep.ts'
import { redactEvent } from '../../redaction/redact-event.ts'
import type { DataRecord } from './record.ts'

const EVENTS_PER_PAGE = 200
const CHECKPOINTS_PER_SESSION = 200
const MAX_LISTED = 100_000
const PER_PAGE = 200

export interface ExportInput {
  /** Exactly one of these three: the project at a folder with all its locations, a session, or everything. */
  readonly cwd?: string
  readonly session?: SessionKey
  readonly isAll?: boolean
  /** From the page before. */
  readonly position?: string
}

export interface ExportPage {
  readonly records: readonly DataRecord[]
  /** Absent on the last page. */
  readonly position?: string
}

interface Scope {
  /** Absent: all. */
  readonly projects?: readonly ProjectId[]
  readonly sessionIds?: readonly SessionId[]
}

const LISTS = ['location', 'memory', 'rule', 'summary'] as const
type ListKind = (typeof LISTS)[number]

export interface RecordExport {
  /** Redacted again. Everything in a fixed order, so that the next page continues where this one ended. */
  exportRecords(input: ExportInput): Promise<ExportPage>
}

export function createRecordExport(ports: ContinuityPorts): RecordExport {
  const { store } = ports

  async function findScope({ cwd, session, isAll = false }: ExportInput): Promise<Scope> {
    if ([cwd !== undefined, session !== undefined, isAll].filter(Boolean).length !== 1)
      throw new HoldfastError('invalid-input', 'Give a project, a session, or everything.')
    if (session !== undefined) {
      const found = await store.findSessionsByKey(session)
      if (found.length === 0) throw new HoldfastError('not-found', `No session ${session}.`)
      return { sessionIds: found.map(({ id }) => id), projects: [] }
    }
    if (cwd === undefined) return {}
    const { projectId } = await ports.locator.locate(cwd)
    return { projects: await store.listRepositoryProjects(projectId) }
  }

  async function listProjects({ projects }: Scope): Promise<readonly ProjectId[]> {
    if (projects !== undefined) return projects
    const [locations, memories] = await Promise.all([
      store.listLocations({}),
      store.listMemories({ includeSuperseded: true, limit: MAX_LISTED }),
    ])
    return [...new Set([...locations, ...memories].map(({ projectId }) => projectId))].toSorted()
  }

  async function listOf(kind: ListKind, scope: Scope): Promise<readonly DataRecord[]> {
    const projects = await listProjects(scope)
    const each = async <Item>(list: (projectId: ProjectId) => Promise<readonly Item[]>) =>
      (await Promise.all(projects.map(list))).flat()
    const isFirst = (id: string, index: number, ids: readonly string[]) => ids.indexOf(id) === index
    const once = <Item extends { readonly id: string }>(items: readonly Item[]) => {
      const ids = items.map(({ id }) => id)
      return items.filter(({ id }, index) => isFirst(id, index, ids))
    }
    switch (kind) {
      case 'location': {
        const known = await each((projectId) => store.listLocations({ projectId }))
        // A stamp identifies a directory of this disk.
        return known.map((location) => ({ kind, value: { ...location, stamp: undefined } }))
      }
      case 'memory': {
        const lists = await each((projectId) =>
          store.listMemories({ projectId, isHereOnly: true, includeSuperseded: true, limit: MAX_LISTED }),
        )
        // A superseded memory is stored before the one that supersedes it.
        return lists
          .toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1))
          .map((value) => ({ kind, value }))
      }
      case 'rule':
        return once(await each((projectId) => store.listRules({ projectId }))).map((value) => ({ kind, value }))
      case 'summary':
        return once(await each((projectId) => store.listSummaries({ projectId, limit: MAX_LISTED }))).map((value) => ({
          kind,
          value,
        }))
    }
  }

  async function nextSession({ projects, sessionIds }: Scope, after: string): Promise<Session | undefined> {
    const ids = sessionIds ?? []
    if (sessionIds !== undefined) {
      const id = ids[after === '' ? 0 : ids.indexOf(SessionId(after)) + 1]
      return id === undefined ? undefined : store.findSession(id)
    }
    const all: Session[] = []
    for (const projectId of projects ?? [undefined])
      all.push(...(await store.listSessions({ ...(projectId !== undefined && { projectId }), limit: MAX_LISTED })))
    // By id: their order in the store changes while they are written.
    return all.toSorted((one, other) => (one.id < other.id ? -1 : 1)).find(({ id }) => id > after)
  }

  function redact(record: DataRecord, redactor: Redactor): DataRecord {
    switch (record.kind) {
      case 'event':
        return { ...record, value: { ...record.value, event: redactEvent(record.value.event, redactor) } }
      case 'checkpoint':
        return { ...record, value: redactCheckpoint(record.value, redactor) }
      case 'memory':
        return { ...record, value: redactMemory(record.value, redactor) }
      case 'location':
      case 'rule':
      case 'summary':
        return redactDeep(record, redactor)
    }
  }

  async function readSession({ id, place, machine }: Session, afterSeq: number) {
    const stored = await store.listEvents({ sessionId: id, afterSeq, limit: EVENTS_PER_PAGE })
    const { id: here, name } = ports.machine
    const events = stored.map(
      ({ event }): DataRecord => ({
        kind: 'event',
        value: { event, ...(place !== undefined && { place }), machine: machine ?? { id: here, name } },
      }),
    )
    const last = stored.at(-1)
    if (last !== undefined && stored.length === EVENTS_PER_PAGE) return { records: events, nextSeq: last.seq }
    const checkpoints = await store.listCheckpoints({ sessionId: id, limit: CHECKPOINTS_PER_SESSION })
    return {
      records: [
        ...events,
        ...checkpoints.toReversed().map(({ checkpoint: value }): DataRecord => ({ kind: 'checkpoint', value })),
      ],
    }
  }

  return {
    async exportRecords(input) {
      const scope = await findScope(input)
      const redactor = await ports.redactors.forWorktree(undefined)
      const [step = LISTS[0], at = '0', seq = '0'] = (input.position ?? `${LISTS[0]}\n0`).split('\n')
      const list = LISTS.find((kind) => kind === step)
      if (list !== undefined) {
        const all = await listOf(list, scope)
        const from = Number(at)
        const records = all.slice(from, from + PER_PAGE).map((record) => redact(record, redactor))
        const following = LISTS[LISTS.indexOf(list) + 1]
        const isMore = all.length > from + PER_PAGE
        const position = isMore
          ? `${list}\n${from + PER_PAGE}`
          : following === undefined
            ? 'session\n'
            : `${following}\n0`
        return { records, position }
      }
      const current = Number(seq) > 0 ? await store.findSession(SessionId(at)) : await nextSession(scope, at)
      if (current === undefined) return { records: [] }
      const { records, nextSeq } = await readSession(current, Number(seq))
      return {
        records: records.map((record) => redact(record, redactor)),
        position: `session\n${current.id}${nextSeq === undefined ? '' : `\n${nextSeq}`}`,
      }
    },
  }
}
