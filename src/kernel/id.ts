declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** Identifies one event everywhere and for ever: a second arrival of the same id is a no-op. */
export type EventId = Branded<'EventId'>
/** The harness's own id for a session. Unique within its harness only. */
export type SessionKey = Branded<'SessionKey'>
/** `<harness>/<sessionKey>`: unique across harnesses. */
export type SessionId = Branded<'SessionId'>
export type CheckpointId = Branded<'CheckpointId'>
export type MemoryId = Branded<'MemoryId'>
/** A digest of the project's identity; never a path. */
export type ProjectId = Branded<'ProjectId'>

export const EventId = (value: string): EventId => value as EventId
export const SessionKey = (value: string): SessionKey => value as SessionKey
export const SessionId = (value: string): SessionId => value as SessionId
export const CheckpointId = (value: string): CheckpointId => value as CheckpointId
export const MemoryId = (value: string): MemoryId => value as MemoryId
export const ProjectId = (value: string): ProjectId => value as ProjectId

/** No harness has longer ones. What is longer is refused at every door, so that one door's session is never unknown at another. */
export const MAX_KEY_CHARS = 512

export function sessionIdOf(harness: string, key: SessionKey): SessionId {
  return SessionId(`${harness}/${key}`)
}

/** What keys of our own begin with, all alike. */
const OWN_KEY = /^(?:session-\d{4}-\d{2}-\d{2}|handoff|task)-/

/** As people are shown it: enough to tell sessions apart. Before a colon stands what the session's harness calls itself. */
export function shortKey(key: string): string {
  const alike = OWN_KEY.exec(key)?.[0].length ?? key.lastIndexOf(':') + 1
  return key.slice(0, alike + 8)
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Date + random: sortable by eye, and never a race for the next number. */
export function datedId(prefix: string, at: string, randomBytes: Uint8Array): string {
  let random = ''
  for (const byte of randomBytes.subarray(0, 10)) random += ALPHABET[byte % 32]
  return `${prefix}-${at.slice(0, 10)}-${random}`
}
