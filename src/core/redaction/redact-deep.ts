import type { Redactor } from '../ports.ts'
import type { Announcement } from './announcements.ts'
import { nameEndAfter, nextAnnouncement } from './announcements.ts'
import { strengthOf } from './name.ts'
import { pattern } from './patterns.ts'
import { markFor } from './span.ts'
import { isSecretBehindName } from './value.ts'

/** Deeper than this nothing real is nested, and a serializer that recurses may not come back. */
const MAX_DEPTH = 64
const TOO_DEEP = '[nested too deeply]'

function lastAnnouncement(name: string): Announcement | undefined {
  let last: Announcement | undefined
  for (let found = nextAnnouncement(name, 0); found !== undefined; found = nextAnnouncement(name, found.end))
    last = found
  return last
}

/** What a field's name makes of its text: `password`, `secret`, or undefined when it makes nothing of it. */
export function secretKindOfField(name: string, value: string): string | undefined {
  const last = lastAnnouncement(name)
  if (last === undefined || nameEndAfter(name, last.end) !== name.length) return undefined
  const { word, start } = last
  const strength = strengthOf({ word, before: name.slice(0, start), wordBefore: '' })
  if (strength === undefined || !isSecretBehindName({ value, strength, isLiteral: true })) return undefined
  return strength === 'password' || strength === 'pass' ? 'password' : 'secret'
}

function redactText(text: string, name: string, redactor: Redactor): string {
  const kind = name === '' ? undefined : secretKindOfField(name, text)
  return kind === undefined ? redactor.redact(text) : markFor(kind)
}

/** `{"name": "DB_PASSWORD", "value": "…"}`: the value's name is in the field beside it. */
function nameBeside(value: object): string | undefined {
  for (const [field, name] of Object.entries(value))
    if (pattern.pairNameField.test(field) && typeof name === 'string') return name
  return undefined
}

interface Place {
  /** The field the value belongs to; an array's elements belong to the array's. */
  readonly name: string
  readonly depth: number
}

function redactAt(value: unknown, place: Place, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactText(value, place.name, redactor)
  if (typeof value !== 'object' || value === null) return value
  if (place.depth >= MAX_DEPTH) return TOO_DEEP
  const depth = place.depth + 1
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item: unknown) => redactAt(item, { name: place.name, depth }, redactor))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  let isChanged = false
  const entries = Object.entries(value).map(([name, field]: [string, unknown]) => {
    const isPair = typeof field === 'string' && pattern.pairValueField.test(name)
    const clean = redactAt(field, { name: (isPair ? nameBeside(value) : undefined) ?? name, depth }, redactor)
    if (clean !== field) isChanged = true
    return [name, clean] as const
  })
  // `fromEntries` defines properties rather than assigning them, so a field named `__proto__` stays a field.
  return isChanged ? Object.fromEntries(entries) : value
}

/**
 * A JSON value with every string redacted, fields named like a secret by their name. Keys, order and everything that
 * is no string stay; the very same value when nothing was found.
 */
export function redactDeep(value: unknown, redactor: Redactor): unknown {
  return redactAt(value, { name: '', depth: 0 }, redactor)
}
