declare const brand: unique symbol
type BrandedString<Name extends string> = string & { readonly [brand]: Name }

/** Globally unique: a second arrival of the same id is a no-op. */
export type EventId = BrandedString<'EventId'>
/** The harness's own id for a session. Unique within its harness only. */
export type SessionKey = BrandedString<'SessionKey'>
/** `<harness>/<sessionKey>`: unique across harnesses. */
export type SessionId = BrandedString<'SessionId'>
export type CheckpointId = BrandedString<'CheckpointId'>
export type MemoryId = BrandedString<'MemoryId'>
/** A digest of the project's identity; never a path. */
export type ProjectId = BrandedString<'ProjectId'>

export const EventId = (value: string): EventId => value as EventId
export const SessionKey = (value: string): SessionKey => value as SessionKey
export const SessionId = (value: string): SessionId => value as SessionId
export const CheckpointId = (value: string): CheckpointId => value as CheckpointId
export const MemoryId = (value: string): MemoryId => value as MemoryId
export const ProjectId = (value: string): ProjectId => value as ProjectId

/** In place of a project's id, for memories of every project. */
export const ME_PROJECT = ProjectId('me')

/** No harness has longer keys. Every entry point refuses longer ones, so that all of them know the same sessions. */
export const MAX_KEY_CHARS = 512

export function toSessionId(harness: string, key: SessionKey): SessionId {
  return SessionId(`${harness}/${key}`)
}

/** Prefixes of keys that we generate. */
const OWN_KEY = /^(?:session-\d{4}-\d{2}-\d{2}|handoff|task)-/

/** For display: enough to distinguish sessions. A prefix up to a colon, which some harnesses add, is kept. */
export function shortKey(key: string): string {
  const alike = OWN_KEY.exec(key)?.[0].length ?? key.lastIndexOf(':') + 1
  return key.slice(0, alike + 8)
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Date and random characters: sortable, without a counter. */
export function datedId(prefix: string, at: string, randomBytes: Uint8Array): string {
  let random = ''
  for (const byte of randomBytes.subarray(0, 10)) random += ALPHABET[byte % 32]
  return `${prefix}-${at.slice(0, 10)}-${random}`
}
