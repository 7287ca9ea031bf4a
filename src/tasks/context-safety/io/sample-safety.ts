import { localProbe } from '../local-probe.ts'
import { judge, type ProbeSample, type SafetyMetrics } from '../probe.ts'
import { messageOf, HoldfastError } from '../../../kernel/errors.ts'
import type { EventOf, StoredEvent } from '../../../kernel/event.ts'
import type { Session } from '../../../kernel/session.ts'
import type { TaskSession } from '../../model/task-session.ts'
import type { OpenTask } from '../../files/open-task.ts'
import { findSpeaker, OWN_HARNESS } from '../../files/task-events.ts'
import type { TaskContinuity, TaskWorld } from '../../files/task-ports.ts'
import { changeSafety, readSafety } from './safety-record.ts'
import { isScratch, relativePath } from '../../../kernel/paths/paths.ts'
import { readProjectFile } from '../../../platform/files/project-file.ts'

/** As much as the probe looks at in all. */
const SHOWN_CHARS = 8_000
const MAX_BYTES = 1_000_000

interface Opened {
  readonly path: string
  readonly cwd: string | undefined
  readonly worktree: string
}

/**
 * The beginning of a file that an agent opened, as it is now: of what a file-reading tool showed nothing is kept. Undefined for what
 * lies outside the worktree, is no plain file of it, or is gone.
 */
export function readFileShown({ path, cwd, worktree }: Opened): string | undefined {
  const inside = relativePath(path, { worktree, ...(cwd !== undefined && { cwd }) })
  if (inside === undefined || isScratch(inside)) return undefined
  try {
    const file = readProjectFile({ root: worktree, path: inside }, MAX_BYTES)
    return file === undefined
      ? undefined
      : new TextDecoder().decode(file.bytes.subarray(0, SHOWN_CHARS * 4)).slice(0, SHOWN_CHARS)
  } catch (thrown) {
    // A link, a pipe, something huge: whatever it is, no checkpoint fails over it.
    if (thrown instanceof HoldfastError) return undefined
    throw thrown
  }
}

/** Far enough back for two thousand tokens, whatever else was written to the log meanwhile. */
const LOOKBACK_SEQS = 4_000
/** Looked at in the end, and asked for at a time. */
const MAX_EVENTS = 500
const MIN_ANSWERS = 3

const KINDS = ['prompt-submitted', 'tool-finished', 'turn-ended'] as const

/** Files looked at again in one sample, the newest: more do not fit into what a probe reads. */
const MAX_FILES = 4

interface Given {
  readonly text?: string
  /** Of a file whose content the event does not hold. */
  readonly opened?: string
  readonly cwd: string | undefined
}

function givenBy({ tool, outcome, cwd }: EventOf<'tool-finished'>): readonly Given[] {
  if (outcome.output !== undefined) return [{ text: outcome.output, cwd }]
  if (tool.kind !== 'read' || !outcome.ok) return []
  return tool.files.filter(({ action }) => action === 'read').map(({ path }) => ({ opened: path, cwd }))
}

/** The newest, oldest first. */
export async function lastEvents(
  continuity: Pick<TaskContinuity, 'listEvents'>,
  { id, lastEventSeq }: Pick<Session, 'id' | 'lastEventSeq'>,
): Promise<readonly StoredEvent[]> {
  let afterSeq = Math.max(0, lastEventSeq - LOOKBACK_SEQS)
  let kept: readonly StoredEvent[] = []
  for (;;) {
    const page = await continuity.listEvents({ sessionId: id, afterSeq, kinds: KINDS, limit: MAX_EVENTS })
    kept = [...kept, ...page].slice(-MAX_EVENTS)
    afterSeq = page.at(-1)?.seq ?? afterSeq
    if (page.length < MAX_EVENTS) return kept
  }
}

async function readEnd(world: TaskWorld, session: Session): Promise<ProbeSample> {
  const { place } = session
  const events = await lastEvents(world.continuity, session)
  const answers = events.flatMap(({ event }) => (event.kind === 'turn-ended' ? (event.lastMessage ?? []) : []))
  const given = events.flatMap(({ event }) => (event.kind === 'tool-finished' ? givenBy(event) : []))
  const newest = [...new Set(given.flatMap(({ opened }) => opened ?? []).toReversed())].slice(0, MAX_FILES)
  const redactor = await world.redactors.forWorktree(place?.worktree)
  const texts = given.map(({ text, opened, cwd }, index) => {
    if (opened === undefined) return text
    const isLast = given.findLastIndex((later) => later.opened === opened) === index
    if (place === undefined || !isLast || !newest.includes(opened)) return undefined
    const shown = readFileShown({ path: opened, cwd, worktree: place.worktree })
    return shown === undefined ? undefined : redactor.redact(shown)
  })
  return { answers, given: texts.filter((text) => text !== undefined) }
}

const SESSIONS_LOOKED_AT = 20
const LINKS_LOOKED_AT = 500

/** The harness session at work for a task session: the one it was started with, or one that its supervisor has linked. */
export async function findAtWork(
  world: Pick<TaskWorld, 'continuity'>,
  session: TaskSession,
  worktree: string,
): Promise<Session | undefined> {
  if (session.harness_session !== null) return findSpeaker(world, session)
  const { continuity } = world
  for (const found of await continuity.listSessions({ cwd: worktree, limit: SESSIONS_LOOKED_AT })) {
    if (found.harness === OWN_HARNESS) continue
    const kinds = ['task-session-changed'] as const
    const said = await continuity.listEvents({ sessionId: found.id, kinds, limit: LINKS_LOOKED_AT })
    const isLinked = said.some(
      ({ event }) => event.kind === 'task-session-changed' && event.taskSession === session.session_id,
    )
    if (isLinked) return found
  }
  return undefined
}

/**
 * What the probe says of the end of the session behind a task, against the session's own beginning. Undefined where nothing was
 * seen of it. The first sample with enough answers is the baseline.
 */
export async function sampleSafety(
  world: TaskWorld,
  { folder, place }: OpenTask,
  session: TaskSession,
): Promise<SafetyMetrics | undefined> {
  const behind = await findAtWork(world, session, place.worktree)
  if (behind === undefined) return undefined
  const sample = await readEnd(world, behind)
  const probe = world.probe ?? localProbe
  let reading
  let name = probe.name
  try {
    reading = await probe.read(sample)
  } catch (thrown) {
    world.log.warn('safety probe failed', { probe: probe.name, error: messageOf(thrown) })
    reading = await localProbe.read(sample)
    name = `${localProbe.name} (${probe.name} failed)`
  }
  const known = readSafety(folder, session.session_id).baseline_refusal_rate
  if (known === null && sample.answers.length >= MIN_ANSWERS) {
    const baseline = reading.refusalRate
    await changeSafety(folder, session.session_id, (record) => ({ ...record, baseline_refusal_rate: baseline }))
  }
  return judge(reading, known ?? reading.refusalRate, name)
}
