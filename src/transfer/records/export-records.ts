import { HoldfastError } from '../../kernel/errors.ts'
import { type ProjectId, SessionId, type SessionKey } from '../../kernel/id.ts'
import type { Memory } from '../../kernel/memory.ts'
import { type KnownMachine, listKeyParts } from '../../kernel/ports/record-store.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import type { Session } from '../../kernel/session.ts'
import { isOwnSession, toLocationRecord, toMemoryRecord, toRecordedSession, toRuleRecord } from './own-records.ts'
import type { DataRecord } from './record.ts'
import { isChanging, readRecordedSession, redactRecord, withoutLocalFacts } from './redact-record.ts'
import { createRecordVersions } from './versions.ts'

const EVENTS_PER_PAGE = 200
const CHECKPOINTS_PER_SESSION = 200
const MAX_LISTED = 100_000
const PER_PAGE = 200

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return compare(one.id, other.id)
}

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

interface ExportScope {
  /** Absent: all. */
  readonly projects?: readonly ProjectId[]
  readonly sessionIds?: readonly SessionId[]
}

/** In this order; then the sessions, one after the other. */
const LISTS = [
  'machine',
  'location',
  'memory',
  'rule',
  'summary',
  'entity',
  'intent',
  'deletion',
  'tombstone',
  'checkpoint',
] as const
type ListKind = (typeof LISTS)[number]

export interface RecordExport {
  /** Redacted again. Everything in a fixed order, so that the next page continues where this one ended. */
  exportRecords(input: ExportInput): Promise<ExportPage>
}

export interface ThingList {
  /** Everything that can change, and what was erased, in one reading: no events and no checkpoints. Redacted again. */
  listThings(): Promise<readonly DataRecord[]>
}

export function createRecordExport(ports: ContinuityPorts): RecordExport & ThingList {
  const { store } = ports
  const versions = createRecordVersions(ports)

  async function findScope({ cwd, session, isAll = false }: ExportInput): Promise<ExportScope> {
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

  async function listMachines(): Promise<readonly KnownMachine[]> {
    const { machine, person, keys } = ports
    const publicKey = (await keys?.loadSigner())?.publicKey
    const own = { id: machine.id, name: machine.name, person, ...(publicKey !== undefined && { publicKey }) }
    return [own, ...(await store.listMachines()).filter(({ id }) => id !== own.id)].toSorted(byId)
  }

  async function listMemories(projectId: ProjectId): Promise<readonly Memory[]> {
    const stored = await store.listMemories({ projectId, isHereOnly: true, includeSuperseded: true, limit: MAX_LISTED })
    const proposed = (await store.listDrafts({ projectId, states: ['proposed'] }))
      .filter(({ memory }) => memory.projectId === projectId && !stored.some(({ id }) => id === memory.id))
      .map(({ memory }) => ({ ...memory, isProposed: true }))
    return [...stored, ...proposed]
  }

  /** Checkpoints whose session has no row of its own, such as those of a handoff. */
  async function listLoneCheckpoints(projects: readonly ProjectId[] | undefined): Promise<readonly DataRecord[]> {
    const sessions = await store.listSessionsOfCheckpointsOnly(projects)
    const all = await Promise.all(
      sessions.map((sessionId) => store.listCheckpoints({ sessionId, limit: CHECKPOINTS_PER_SESSION })),
    )
    return all.flatMap((list) =>
      list.toReversed().map(({ checkpoint: value }): DataRecord => ({ kind: 'checkpoint', value })),
    )
  }

  async function listOf(kind: ListKind, { projects: chosen }: ExportScope): Promise<readonly DataRecord[]> {
    const projects = chosen ?? (await store.listProjectIds())
    const each = async <Item>(list: (projectId: ProjectId) => Promise<readonly Item[]>) =>
      (await Promise.all(projects.map(list))).flat()
    /** The lists of a project include those of its repository's other locations. */
    const eachOwn = async <Item extends { readonly id: string; readonly projectId: ProjectId }>(
      list: (projectId: ProjectId) => Promise<readonly Item[]>,
    ) =>
      (
        await each(async (projectId) => (await list(projectId)).filter((item) => item.projectId === projectId))
      ).toSorted(byId)
    switch (kind) {
      case 'machine':
        return (await listMachines()).map((value) => ({ kind, value }))
      case 'location':
        return (await each((projectId) => store.listLocations({ projectId })))
          .toSorted((one, other) => compare(listKeyParts(one), listKeyParts(other)))
          .map((location) => toLocationRecord(location, ports))
      case 'memory':
        // A superseded memory is stored before the one that supersedes it.
        return (await each(listMemories))
          .toSorted((one, other) => compare(one.createdAt, other.createdAt) || byId(one, other))
          .map((memory) => toMemoryRecord(memory, ports))
      case 'rule':
        return (await eachOwn((projectId) => store.listRules({ projectId }))).map((rule) => toRuleRecord(rule, ports))
      case 'summary':
        return (await eachOwn((projectId) => store.listSummaries({ projectId, limit: MAX_LISTED }))).map((value) => ({
          kind,
          value,
        }))
      case 'entity':
        return (await each((projectId) => store.listOwnEntities(projectId))).map((value) => ({ kind, value }))
      case 'intent':
        return (await eachOwn((projectId) => store.listIntents({ projectId, limit: MAX_LISTED }))).map((value) => ({
          kind,
          value,
        }))
      case 'deletion':
        return (await store.listDeleted({ ...(chosen !== undefined && { projectIds: chosen }) })).map(
          ({ kind: of, id, projectId }) => ({ kind, value: { of, id, ...(projectId !== undefined && { projectId }) } }),
        )
      case 'tombstone':
        return (await store.listTombstones()).map((value) => ({ kind, value }))
      case 'checkpoint':
        return listLoneCheckpoints(chosen)
    }
  }

  async function nextSession({ projects, sessionIds }: ExportScope, after: string): Promise<Session | undefined> {
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

  /** What its own machine said of a session of another home, and never what we derived from its events. */
  async function toSessionRecords(session: Session): Promise<readonly DataRecord[]> {
    if (isOwnSession(session, ports)) return [{ kind: 'session', value: toRecordedSession(session, ports) }]
    const [noted] = await store.findVersions('session', [session.id])
    if (noted?.body === undefined) return []
    const { count, machine, body } = noted
    return [{ kind: 'session', value: readRecordedSession(body), version: { count, machine } }]
  }

  async function readSession(session: Session, afterSeq: number) {
    const { id, place } = session
    const stored = await store.listEvents({ sessionId: id, afterSeq, limit: EVENTS_PER_PAGE })
    const machine = session.machine ?? { id: ports.machine.id, name: ports.machine.name }
    const head: readonly DataRecord[] = afterSeq > 0 ? [] : listHead(session, await toSessionRecords(session))
    const records = [
      ...head,
      ...stored.map(
        ({ event }): DataRecord => ({
          kind: 'event',
          value: {
            event: withoutLocalFacts(event),
            ...(place !== undefined && { place }),
            machine: { id: machine.id, name: machine.name },
          },
        }),
      ),
    ]
    const last = stored.at(-1)
    if (last !== undefined && stored.length === EVENTS_PER_PAGE) return { records, nextSeq: last.seq }
    const checkpoints = await store.listCheckpoints({ sessionId: id, limit: CHECKPOINTS_PER_SESSION })
    return {
      records: [
        ...records,
        ...checkpoints.toReversed().map(({ checkpoint: value }): DataRecord => ({ kind: 'checkpoint', value })),
      ],
    }
  }

  /** Redacted again, and each with its version. A page at a time: what hooks report meanwhile is answered in between. */
  async function finish(records: readonly DataRecord[]): Promise<readonly DataRecord[]> {
    const redactor = await ports.redactors.forWorktree(undefined)
    const finished: DataRecord[] = []
    for (let from = 0; from < records.length; from += PER_PAGE) {
      const clean = records.slice(from, from + PER_PAGE).map((record) => redactRecord(record, redactor))
      const changing = clean.filter(isChanging).filter(({ version }) => version === undefined)
      const versioned = await versions.addVersions(changing)
      const byRecord = new Map<DataRecord, DataRecord>(
        changing.map((record, index) => [record, versioned[index] ?? record]),
      )
      finished.push(...clean.map((record) => byRecord.get(record) ?? record))
      if (finished.length < records.length) await new Promise((resolve) => setTimeout(resolve, 0))
    }
    return finished
  }

  function listHead(session: Session, own: readonly DataRecord[]): readonly DataRecord[] {
    const { id, labels } = session
    return [...own, ...(labels === undefined ? [] : [{ kind: 'labels' as const, value: { sessionId: id, labels } }])]
  }

  return {
    async listThings() {
      const records: DataRecord[] = []
      for (const kind of LISTS) if (kind !== 'checkpoint') records.push(...(await listOf(kind, {})))
      for (const session of await store.listSessions({ limit: MAX_LISTED }))
        records.push(...listHead(session, isOwnSession(session, ports) ? await toSessionRecords(session) : []))
      return finish(records)
    },
    async exportRecords(input) {
      const scope = await findScope(input)
      const lists = input.session === undefined ? LISTS : LISTS.slice(0, 1)
      const [step = LISTS[0], at = '0', seq = '0'] = (input.position ?? `${LISTS[0]}\n0`).split('\n')
      const list = lists.find((kind) => kind === step)
      if (list !== undefined) {
        const all = await listOf(list, scope)
        const from = Number(at)
        const following = lists[lists.indexOf(list) + 1]
        const isMore = all.length > from + PER_PAGE
        const position = isMore
          ? `${list}\n${from + PER_PAGE}`
          : following === undefined
            ? 'session\n'
            : `${following}\n0`
        return { records: await finish(all.slice(from, from + PER_PAGE)), position }
      }
      const current = Number(seq) > 0 ? await store.findSession(SessionId(at)) : await nextSession(scope, at)
      if (current === undefined) return { records: [] }
      const { records, nextSeq } = await readSession(current, Number(seq))
      return {
        records: await finish(records),
        position: `session\n${current.id}${nextSeq === undefined ? '' : `\n${nextSeq}`}`,
      }
    },
  }
}
