import type { Checkpoint } from '../../kernel/checkpoint.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import type { StartOutcome } from '../../kernel/start-outcome.ts'
import { sha256 } from '../../platform/base/crypto.ts'
import { canonicalJson } from '../../kernel/json-shape.ts'

/** Before the first event. */
export const GENESIS_HASH = ''

export function chainHash(previousHash: string, body: string): string {
  return sha256(previousHash + body)
}

/** The stored text of a value and the hash that covers it. */
export function sealBody(value: unknown): { readonly body: string; readonly hash: string } {
  const body = canonicalJson(value)
  return { body, hash: sha256(body) }
}

// Bodies are read only by the store that wrote them, and events, checkpoints and receipts only after their hash was checked:
// so the shape is known.

export function readEvent(body: string): SessionEvent {
  return JSON.parse(body)
}

export function readCheckpoint(body: string): Checkpoint {
  return JSON.parse(body)
}

export function readReceipt(body: string): StartOutcome {
  return JSON.parse(body)
}

/** The body of an event whose text was erased; its hash stays, for the chain. */
export const ERASED_BODY = '"erased"'
