import { localProbe } from '../../core/context/local-probe.ts'
import { judge, type ProbeSample, type SafetyMetrics } from '../../core/context/probe.ts'
import { messageOf } from '../../core/errors.ts'
import type { StoredEvent } from '../../core/event.ts'
import type { Session } from '../../core/session.ts'
import type { TaskSession } from '../../core/task/task-session.ts'
import type { OpenTask } from '../open-task.ts'
import { findSpeaker } from '../speaking.ts'
import type { TaskWorld } from '../world.ts'
import { changeSafety, readSafety } from './safety-record.ts'

/** Far enough back for two thousand tokens, whatever else was written to the log meanwhile. */
const LOOKBACK_SEQS = 4_000
const MAX_EVENTS = 500
const MIN_ANSWERS = 3

const KINDS = ['prompt-submitted', 'tool-finished', 'turn-ended'] as const

function sampleOf(events: readonly StoredEvent[]): ProbeSample {
  const answers: string[] = []
  const given: string[] = []
  for (const { event } of events) {
    if (event.kind === 'turn-ended' && event.lastMessage !== undefined) answers.push(event.lastMessage)
    if (event.kind === 'tool-finished' && event.outcome.output !== undefined) given.push(event.outcome.output)
  }
  return { answers, given }
}

async function readEnd(world: TaskWorld, { id, lastEventSeq }: Session): Promise<ProbeSample> {
  const afterSeq = Math.max(0, lastEventSeq - LOOKBACK_SEQS)
  return sampleOf(await world.continuity.listEvents({ sessionId: id, afterSeq, kinds: KINDS, limit: MAX_EVENTS }))
}

/**
 * What the probe says of the end of the session behind a task, against the session's own beginning. Undefined where nothing was
 * seen of it. The first sample with enough answers is the baseline.
 */
export async function sampleSafety(
  world: TaskWorld,
  { folder }: OpenTask,
  session: TaskSession,
): Promise<SafetyMetrics | undefined> {
  if (session.harness_session === null) return undefined
  const behind = await findSpeaker(world, session)
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
