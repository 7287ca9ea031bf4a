import { getErrorMessage } from '../../kernel/errors.ts'
import { buildIndex, type ChainFile, type CheckpointIndex, type IndexEntry } from '../chain/checkpoint-index.ts'
import type { CloudEvent } from '../model/cloud-event.ts'
import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import { type TaskSession, withChildren } from '../model/task-session.ts'
import type { RunManifest, TaskStatus } from '../model/task.ts'
import type { Incident } from '../tasks.ts'
import type { ChainInput, UnreadableFile } from '../chain/verify-chain.ts'
import { parseJson } from '../../platform/base/json.ts'
import { parse } from '../../platform/base/parse.ts'
import {
  CheckpointIndexSchema,
  IncidentSchema,
  MemoryIdsSchema,
  RunManifestSchema,
  TaskCheckpointSchema,
  TaskDefinitionSchema,
  TaskSessionSchema,
  TaskStatusSchema,
} from './task-file-schemas.ts'
import type { TaskFolder } from './task-folder.ts'
import { type TaskPorts } from './task-ports.ts'
import type { OpenTask } from './open-task.ts'
import { sha256 } from '../../platform/base/crypto.ts'

/** Appends a line of `log-lines.ts` to the session's log, as text and as JSON. One file per session, so that clones never conflict. */
export async function addLogLine(
  ports: Pick<TaskPorts, 'clock'>,
  { folder, governance }: OpenTask,
  sessionId: string | undefined,
  line: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (sessionId === undefined) return
  const time = ports.clock.now()
  await folder.locked(() => {
    folder.append(`logs/sessions/${sessionId}.log`, `${line.replace(/[\r\n]+/g, ' ')}\n`)
    folder.appendJson(`logs/sessions/${sessionId}.ndjson`, {
      time,
      service: governance.service,
      task: folder.slug,
      session_id: sessionId,
      trace_id: sha256(sessionId).slice(0, 32),
      line,
      ...fields,
    })
  })
}

export const STATUS = 'json/task-status.json'
export const INDEX = 'json/checkpoint-index.json'
export const MANIFEST = 'json/run-manifest.json'
export const MEMORY_IDS = 'json/memory-ids.json'
const OUTBOX = 'json/events.ndjson'
export const EMERGENCY = 'json/emergency-checkpoint.json'
const INCIDENTS = 'logs/incidents.ndjson'
export const PROGRESS = 'work/implementation-log.md'
export const DEFINITION = 'meta/task.json'

export const checkpointPath = (id: string) => `json/checkpoints/${id}.json`
export const sessionPath = (id: string) => `json/sessions/${id}.json`

export const readStatus = (folder: TaskFolder) => folder.json(STATUS, TaskStatusSchema)
export const readDefinition = (folder: TaskFolder) => folder.json(DEFINITION, TaskDefinitionSchema)
export const readMemoryIds = (folder: TaskFolder) => folder.json(MEMORY_IDS, MemoryIdsSchema) ?? { primary: null }
export const readManifest = (folder: TaskFolder): RunManifest => folder.json(MANIFEST, RunManifestSchema) ?? {}

export function updateStatus(folder: TaskFolder, change: (status: TaskStatus) => TaskStatus): Promise<TaskStatus> {
  return folder.locked(() => {
    const before = readStatus(folder)
    if (before === undefined) throw new Error(`${folder.resolvePath(STATUS)} is gone.`)
    const after = change(before)
    folder.writeJson(STATUS, after)
    return after
  })
}

/** Unknown keys are preserved. */
export function updateManifest(folder: TaskFolder, change: (manifest: RunManifest) => RunManifest): Promise<void> {
  return folder.locked(() => void folder.writeJson(MANIFEST, change(readManifest(folder))))
}

export interface ChainFiles {
  readonly files: readonly ChainFile[]
  readonly unreadable: readonly UnreadableFile[]
}

export function parseCheckpoint(text: string): TaskCheckpoint {
  return parse(TaskCheckpointSchema, parseJson(text))
}

export function readSession(folder: TaskFolder, id: string): TaskSession | undefined {
  return folder.json(sessionPath(id), TaskSessionSchema)
}

/** Writes a new session's file and names it in its parent's. */
export function addSessionFile(folder: TaskFolder, session: TaskSession): void {
  folder.writeJson(sessionPath(session.session_id), session)
  const parent = session.parent_session === null ? undefined : readSession(folder, session.parent_session)
  if (parent === undefined || parent.child_sessions.includes(session.session_id)) return
  const child_sessions = [...parent.child_sessions, session.session_id]
  folder.writeJson(sessionPath(parent.session_id), { ...parent, child_sessions })
}

function readChainFile(folder: TaskFolder, file: string): ChainFile | UnreadableFile | undefined {
  try {
    const bytes = folder.bytes(`json/checkpoints/${file}`)
    if (bytes === undefined) return undefined
    const checkpoint = parseCheckpoint(bytes.toString('utf8'))
    if (`${checkpoint.checkpoint_id}.json` !== file) return { file, problem: `it holds ${checkpoint.checkpoint_id}.` }
    if (checkpoint.task_slug !== folder.slug)
      return { file, problem: `it belongs to the task ${checkpoint.task_slug}.` }
    return { file, sha256: sha256(bytes), checkpoint }
  } catch (thrown) {
    return { file, problem: getErrorMessage(thrown) }
  }
}

export function readChain(folder: TaskFolder): ChainFiles {
  const files: ChainFile[] = []
  const unreadable: UnreadableFile[] = []
  for (const name of folder.list('json/checkpoints')) {
    if (!name.endsWith('.json')) continue
    const read = readChainFile(folder, name)
    if (read === undefined) continue
    if ('problem' in read) unreadable.push(read)
    else files.push(read)
  }
  return { files, unreadable }
}

export function readIndex(folder: TaskFolder): ChainInput['index'] {
  try {
    return folder.json(INDEX, CheckpointIndexSchema) ?? 'missing'
  } catch (thrown) {
    return { problem: getErrorMessage(thrown) }
  }
}

/** Appends one entry. Existing entries are kept, so that a change to an older file stays visible. */
export function appendToIndex(folder: TaskFolder, added: ChainFile): CheckpointIndex {
  const before = readIndex(folder)
  const after =
    before === 'missing' || 'problem' in before
      ? buildIndex(folder.slug, readChain(folder).files, sha256)
      : withEntry(before, added)
  folder.writeJson(INDEX, after)
  return after
}

function withEntry(index: CheckpointIndex, added: ChainFile): CheckpointIndex {
  const [built] = buildIndex(index.task_slug, [added], sha256).checkpoints
  if (built === undefined) return index
  const entry: IndexEntry = { ...built, chain: sha256(`${index.checkpoints.at(-1)?.chain ?? ''}${added.sha256}`) }
  const followed = new Set([entry.parent_checkpoint_id, ...entry.joins])
  const heads = [...index.heads.filter((id) => !followed.has(id)), entry.checkpoint_id]
  return { ...index, head: entry.checkpoint_id, heads, checkpoints: [...index.checkpoints, entry] }
}

/** Skips invalid files; chain verification reports what refers to them. */
export function readSessions(folder: TaskFolder): readonly TaskSession[] {
  const sessions = folder
    .list('json/sessions')
    .filter((name) => name.endsWith('.json'))
    .flatMap((name): readonly TaskSession[] => {
      try {
        const session = folder.json(`json/sessions/${name}`, TaskSessionSchema)
        return session === undefined || `${session.session_id}.json` !== name ? [] : [session]
      } catch {
        return []
      }
    })
  return withChildren(
    sessions.sort((a, b) => (`${a.started_at} ${a.session_id}` < `${b.started_at} ${b.session_id}` ? -1 : 1)),
  )
}

export function listUnreadableSessions(folder: TaskFolder, sessions: readonly TaskSession[]): readonly string[] {
  const known = new Set(sessions.map(({ session_id }) => `${session_id}.json`))
  return folder.list('json/sessions').filter((name) => name.endsWith('.json') && !known.has(name))
}

export function readIncidents(folder: TaskFolder): readonly Incident[] {
  return (folder.text(INCIDENTS) ?? '').split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [parse(IncidentSchema, parseJson(line))]
    } catch {
      // Skips a line damaged by a merge or an editor.
      return []
    }
  })
}

export function addIncident(folder: TaskFolder, incident: Incident): Promise<void> {
  return folder.locked(() => folder.appendJson(INCIDENTS, incident))
}

/** Adds nothing if the checkpoint has an incident already. */
export function addIncidentOnce(folder: TaskFolder, incident: Incident): Promise<void> {
  return folder.locked(() => {
    if (readIncidents(folder).some(({ checkpoint_id: id }) => id === incident.checkpoint_id)) return
    folder.appendJson(INCIDENTS, incident)
  })
}

export function appendOutbox(folder: TaskFolder, event: CloudEvent): Promise<void> {
  return folder.locked(() => folder.appendJson(OUTBOX, event))
}
