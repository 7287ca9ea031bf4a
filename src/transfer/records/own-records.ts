import type { KnownLocation, MachineRef, Origin } from '../../kernel/location.ts'
import type { Memory } from '../../kernel/memory.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import type { Rule } from '../../kernel/rule.ts'
import type { Session } from '../../kernel/session.ts'
import type { ChangingRecord, RecordedSession } from './record.ts'

type LocalIdentity = Pick<ContinuityPorts, 'machine' | 'person'>

/** The author of what has none in this store. */
export function getOwnOrigin({ machine, person }: LocalIdentity, at: MachineRef = machine): Origin {
  return { principal: person.id, machine: { id: at.id, name: at.name } }
}

export function isOwnOrigin(origin: Origin | undefined, { machine }: LocalIdentity): boolean {
  return origin === undefined || origin.machine.id === machine.id || origin.machine.id === machine.hostId
}

/** As it is stored here: what this home wrote has no author of its own. */
export function withoutOwnOrigin<Value extends { readonly origin?: Origin }>(value: Value, here: LocalIdentity): Value {
  return isOwnOrigin(value.origin, here) ? { ...value, origin: undefined } : value
}

/** How often a memory was used is counted by each machine for itself. */
export function toMemoryRecord(memory: Memory, here: LocalIdentity): ChangingRecord {
  return {
    kind: 'memory',
    value: { ...memory, hits: 0, lastHitAt: undefined, origin: memory.origin ?? getOwnOrigin(here) },
  }
}

export function toRuleRecord(rule: Rule, here: LocalIdentity): ChangingRecord {
  return { kind: 'rule', value: { ...rule, origin: rule.origin ?? getOwnOrigin(here) } }
}

/** A stamp identifies a directory of one disk. */
export function toLocationRecord(location: KnownLocation, here: LocalIdentity): ChangingRecord {
  const { machineId: id } = location
  const origin = location.origin ?? getOwnOrigin(here, { id, name: here.machine.name })
  return { kind: 'location', value: { ...location, stamp: undefined, origin } }
}

export function toRecordedSession(session: Session, here: LocalIdentity): RecordedSession {
  const {
    transcriptPath: _transcript,
    process: _process,
    machine,
    projectSince: _since,
    lastEventSeq: _seq,
    promptsSinceCheckpoint: _prompts,
    hasNewWork: _work,
    lastCheckpointAt: _at,
    epoch: _epoch,
    recoveredEpoch: _recovered,
    labels: _labels,
    ...facts
  } = session
  return { ...facts, origin: session.origin ?? getOwnOrigin(here, machine) }
}

/** As it is stored here. Positions in the log are of this store. */
export function toReceivedSession(recorded: RecordedSession, here: LocalIdentity): Session {
  return {
    ...recorded,
    machine: recorded.origin.machine,
    origin: isOwnOrigin(recorded.origin, here) ? undefined : recorded.origin,
    lastEventSeq: 0,
    promptsSinceCheckpoint: 0,
    hasNewWork: false,
    epoch: 0,
    recoveredEpoch: 0,
  }
}

/** Whether this home decides what is true of the session. */
export function isOwnSession({ origin, machine }: Session, here: LocalIdentity): boolean {
  return origin === undefined && (machine === undefined || machine.id === here.machine.id)
}
