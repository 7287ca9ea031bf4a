import { hash } from 'node:crypto'
import type { Checkpoint } from '../../kernel/checkpoint.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import type { Receipt } from '../../kernel/start-outcome.ts'

function isKeyed(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function withSortedKeys(value: unknown): unknown {
  if (!isKeyed(value)) return value
  if (Array.isArray(value)) return value.map(withSortedKeys)
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  return Object.fromEntries(keys.toSorted().map((key) => [key, withSortedKeys(value[key])]))
}

/** One text per value, whatever order its keys were written in. NUL and lone surrogates come out escaped. */
export function canonicalJson(value: unknown): string {
  // Sorted beforehand: `stringify` is quick only as long as it need not ask back about every single value.
  return JSON.stringify(withSortedKeys(value))
}

export function sha256(text: string): string {
  return hash('sha256', text)
}

/** Before the first event. */
export const GENESIS_HASH = ''

export function chainHash(previousHash: string, body: string): string {
  return sha256(previousHash + body)
}

// Bodies are read back only by the store that wrote them, and events, checkpoints and receipts only after their hash was checked:
// the shape is the one that was written.

export function readEvent(body: string): SessionEvent {
  return JSON.parse(body)
}

export function readCheckpoint(body: string): Checkpoint {
  return JSON.parse(body)
}

export function readReceipt(body: string): Receipt {
  return JSON.parse(body)
}
