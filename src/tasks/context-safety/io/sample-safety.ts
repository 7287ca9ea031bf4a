import { localProbe, judgeSafety, type ProbeSample, type SafetyMetrics } from '../safety-probe.ts'
import { getErrorMessage, HoldfastError } from '../../../kernel/errors.ts'
import type { EventOf, StoredEvent } from '../../../kernel/event.ts'
import type { Session } from '../../../kernel/session.ts'
import type { TaskSession } from '../../model/task-session.ts'
import type { OpenTask } from '../../files/open-task.ts'
import { findHarnessSession, HOLDFAST_HARNESS } from '../../files/task-events.ts'
import type { TaskContinuity, TaskPorts } from '../../files/task-ports.ts'
import { updateSafety, readSafety } from './safety-record.ts'
import { isScratch, relativePath } from '../../../kernel/paths/paths.ts'
import { readProjectFile } from '../../../platform/files/project-file.ts'

/** As much as the probe reads in all. */
const SHOWN_CHARS = 8_000
const MAX_BYTES = 1_000_000

interface ShownFile {
  readonly path: string
  readonly cwd: string | undefined
  readonly worktree: string
}

/**
 * The start of a file that the agent read, as it is now, because events do not hold the content. Undefined if it is outside the
 * worktree, missing or not a regular file.
 */
export function readFileShown({ path, cwd, worktree }: ShownFile): string | undefined {
  const inside = relativePath(path, { worktree, ...(cwd !== undefined && { cwd }) })
  if (inside === undefined || isScratch(inside)) return undefined
  try {
    const file = readProjectFile({ root: worktree, path: inside }, MAX_BYTES)
    return file === undefined
      ? undefined
      : new TextDecoder().decode(file.bytes.subarray(0, SHOWN_CHARS * 4)).slice(0, SHOWN_CHARS)
  } catch (thrown) {
    // A link, a pipe or a huge file must not fail the checkpoint.
    if (thrown instanceof HoldfastError) return undefined
    throw thrown
  }
}

/** Far enough back for 2,000 tokens beside other sessions' events. */
const LOOKBACK_SEQS = 4_000
const MAX_EVENTS = 500
const MIN_ANSWERS = 3

const KINDS = ['prompt-submitted', 'tool-finished', 'turn-ended'] as const

/** The newest; more do not fit into a sample. */
const MAX_FILES = 4

interface ToolText {
  readonly text?: string
  /** Path of a file whose content the event does not hold. */
  readonly opened?: string
  readonly cwd: string | undefined
}

function readToolTexts({ tool, outcome, cwd }: EventOf<'tool-finished'>): readonly ToolText[] {
  if (outcome.output !== undefined) return [{ text: outcome.output, cwd }]
  if (tool.kind !== 'read' || !outcome.ok) return []
  return tool.files.filter(({ action }) => action === 'read').map(({ path }) => ({ opened: path, cwd }))
}

/** The newest events, oldest first. */
export async function lastEvents(
  continuity: Pick<TaskContinuity, 'listEvents'>,
  { id, lastEventSeq }: Pick<Session, 'id' | 'lastEventSeq'>,
): Promise<readonly StoredEvent[]> {
  let afterSeq = Math.max(0, lastEventSeq - LOOKBACK_SEQS)
  let newest: readonly StoredEvent[] = []
  for (;;) {
    const page = await continuity.listEvents({ sessionId: id, afterSeq, kinds: KINDS, limit: MAX_EVENTS })
    newest = [...newest, ...page].slice(-MAX_EVENTS)
    afterSeq = page.at(-1)?.seq ?? afterSeq
    if (page.length < MAX_EVENTS) return newest
  }
}

async function readSample(ports: TaskPorts, session: Session): Promise<ProbeSample> {
  const { place: location } = session
  const events = await lastEvents(ports.continuity, session)
  const answers = events.flatMap(({ event }) => (event.kind === 'turn-ended' ? (event.lastMessage ?? []) : []))
  const given = events.flatMap(({ event }) => (event.kind === 'tool-finished' ? readToolTexts(event) : []))
  const newest = [...new Set(given.flatMap(({ opened }) => opened ?? []).toReversed())].slice(0, MAX_FILES)
  const redactor = await ports.redactors.forWorktree(location?.worktree)
  const texts = given.map(({ text, opened, cwd }, index) => {
    if (opened === undefined) return text
    const isLast = given.findLastIndex((later) => later.opened === opened) === index
    if (location === undefined || !isLast || !newest.includes(opened)) return undefined
    const shown = readFileShown({ path: opened, cwd, worktree: location.worktree })
    return shown === undefined ? undefined : redactor.redact(shown)
  })
  return { answers, given: texts.filter((text) => text !== undefined) }
}

const SESSIONS_LOOKED_AT = 20
const LINKS_LOOKED_AT = 500

/** The harness session of a task session: the one it was started with, or one that its supervisor linked. */
export async function findWorkingSession(
  ports: Pick<TaskPorts, 'continuity'>,
  session: TaskSession,
  worktree: string,
): Promise<Session | undefined> {
  if (session.harness_session !== null) return findHarnessSession(ports, session)
  const { continuity } = ports
  for (const found of await continuity.listSessions({ cwd: worktree, limit: SESSIONS_LOOKED_AT })) {
    if (found.harness === HOLDFAST_HARNESS) continue
    const kinds = ['task-session-changed'] as const
    const events = await continuity.listEvents({ sessionId: found.id, kinds, limit: LINKS_LOOKED_AT })
    const isLinked = events.some(
      ({ event }) => event.kind === 'task-session-changed' && event.taskSession === session.session_id,
    )
    if (isLinked) return found
  }
  return undefined
}

/**
 * Compares the end of the harness session with its own baseline, which is the first sample with enough answers. Undefined if
 * there is no harness session.
 */
export async function sampleSafety(
  ports: TaskPorts,
  { folder, location }: OpenTask,
  session: TaskSession,
): Promise<SafetyMetrics | undefined> {
  const working = await findWorkingSession(ports, session, location.worktree)
  if (working === undefined) return undefined
  const sample = await readSample(ports, working)
  const probe = ports.probe ?? localProbe
  let reading
  let name = probe.name
  try {
    reading = await probe.read(sample)
  } catch (thrown) {
    ports.log.warn('safety probe failed', { probe: probe.name, error: getErrorMessage(thrown) })
    reading = await localProbe.read(sample)
    name = `${localProbe.name} (${probe.name} failed)`
  }
  const known = readSafety(folder, session.session_id).baseline_refusal_rate
  if (known === null && sample.answers.length >= MIN_ANSWERS) {
    const baseline = reading.refusalRate
    await updateSafety(folder, session.session_id, (record) => ({ ...record, baseline_refusal_rate: baseline }))
  }
  return judgeSafety(reading, known ?? reading.refusalRate, name)
}
