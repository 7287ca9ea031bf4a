import type { ProjectId } from './id.ts'

/** `other` is a custom marker such as `[-]` or `[?]`: an item that is neither open nor done. */
/** How an aborted verification ended. */
export const RUN_ENDS = ['signal', 'timeout', 'not-started'] as const

export const ITEM_STATUSES = ['pending', 'in_progress', 'done', 'verified', 'blocked', 'other'] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]

export const MARK_STATUSES = ['pending', 'in_progress', 'done', 'verified', 'blocked'] as const
export type MarkStatus = (typeof MARK_STATUSES)[number]

export interface ParsedChecklistItem {
  /** Stable when lines above and below change: made of the section and the text. */
  readonly id: string
  /** The nearest heading above; `General` before the first. */
  readonly section: string
  readonly text: string
  readonly status: ItemStatus
  /** From 1. */
  readonly line: number
  /** What is written under the item, as part of it. */
  readonly body?: string
}

/** A verification command and its expected output, as the checklist states them. */
export interface StatedVerification {
  readonly command: string
  readonly expect?: string
}

export interface VerificationRun {
  readonly command: string
  /** Exit status 0, and the expected text was found. */
  readonly ok: boolean
  /** Absent if a signal or our time limit ended it. */
  readonly exitStatus?: number
  readonly endedBy?: (typeof RUN_ENDS)[number]
  readonly expect?: string
  readonly isMatched?: boolean
  /** The end of its output, redacted and bounded. */
  readonly output: string
  readonly at: string
  readonly durationMs: number
}

/** One marking or verification of an item, stored beside the file, which has only the marker. */
export interface ItemRecord {
  readonly itemId: string
  readonly section: string
  readonly text: string
  readonly status: ItemStatus
  readonly note?: string
  /** A session id, or the entry point. */
  readonly by: string
  readonly at: string
  readonly run?: VerificationRun
}

export interface StoredItemRecord extends ItemRecord {
  /** A second arrival of the same id is a no-op. */
  readonly id: string
  readonly projectId: ProjectId
}

export interface ChecklistEvidence {
  record(entry: ItemRecord): Promise<void>
  /** Oldest first; only the newest are stored. */
  list(): Promise<readonly ItemRecord[]>
}

export type DiscrepancyReason =
  | 'stub'
  | 'placeholder-value'
  | 'local-host'
  | 'mocked-test'
  | 'skipped-test'
  | 'trivial-test'
  | 'missing-file'
  | 'missing-name'
  | 'verification-failed'
  | 'no-evidence'

/** A ticked item and an observation that contradicts it. */
export interface Discrepancy {
  readonly itemId: string
  readonly section: string
  readonly text: string
  readonly line: number
  readonly status: ItemStatus
  readonly reason: DiscrepancyReason
  /** `src/auth.ts:42`, or the command. */
  readonly where: string
  readonly detail: string
}

/** A ticked item, or a part of what it names, that was not compared with code. */
export interface NotLookedAt {
  readonly itemId: string
  readonly text: string
  /** `src/big.ts: it has 900000 bytes, the limit is 524288`. */
  readonly because: string
}

/** Compared without markup and case, with single spaces. */
function normalizeItemText(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[*_`~]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

const ID_LENGTH = 10

/** Gives each item its id; the second of two equal ones in a section ends in `-2`. */
export function withIds<T extends Omit<ParsedChecklistItem, 'id'>>(
  items: readonly T[],
  hash: (text: string) => string,
): readonly (T & Pick<ParsedChecklistItem, 'id'>)[] {
  const seen = new Map<string, number>()
  return items.map((item) => {
    const key = `${normalizeItemText(item.section)}\n${normalizeItemText(item.text)}`
    const nth = (seen.get(key) ?? 0) + 1
    seen.set(key, nth)
    const id = hash(key).slice(0, ID_LENGTH)
    return { ...item, id: nth === 1 ? id : `${id}-${nth}` }
  })
}

export type ItemMatch<T> =
  | { readonly kind: 'one'; readonly item: T }
  | { readonly kind: 'many'; readonly items: readonly T[] }
  | { readonly kind: 'none'; readonly closest: readonly T[] }

const MAX_SUGGESTIONS = 3

const LIKE_ENOUGH = 0.25

function pairs(text: string): ReadonlySet<string> {
  const letters = normalizeItemText(text)
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, n) => letters.slice(n, n + 2)))
}

/** Shared letter pairs over those of the shorter text: close for a typing error or a part of the text. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const pair of a) if (b.has(pair)) shared += 1
  return shared / Math.max(1, Math.min(a.size, b.size))
}

function closestTo<T extends ParsedChecklistItem>(wanted: string, items: readonly T[]): readonly T[] {
  const asked = pairs(wanted)
  const scored = items
    .map((item) => ({ item, score: likeness(asked, pairs(item.text)) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_SUGGESTIONS)
  const floor = Math.max(LIKE_ENOUGH, (scored[0]?.score ?? 0) / 2)
  return scored.filter(({ score }) => score >= floor).map(({ item }) => item)
}

/** By id, by whole text, or by a unique prefix or part of it. */
export function findItem<T extends ParsedChecklistItem>(wanted: string, items: readonly T[]): ItemMatch<T> {
  const byId = items.find((item) => item.id === wanted.trim())
  if (byId !== undefined) return { kind: 'one', item: byId }
  const text = normalizeItemText(wanted)
  const ways: readonly ((candidate: string) => boolean)[] = [
    (candidate) => candidate === text,
    (candidate) => candidate.startsWith(text),
    (candidate) => candidate.includes(text),
  ]
  for (const isMatch of text === '' ? [] : ways) {
    const [first, ...more] = items.filter((item) => isMatch(normalizeItemText(item.text)))
    if (first !== undefined)
      return more.length === 0 ? { kind: 'one', item: first } : { kind: 'many', items: [first, ...more] }
  }
  return { kind: 'none', closest: closestTo(wanted, items) }
}

export function countByStatus(items: readonly ParsedChecklistItem[]): Readonly<Record<ItemStatus, number>> {
  const counts: Record<ItemStatus, number> = { pending: 0, in_progress: 0, done: 0, verified: 0, blocked: 0, other: 0 }
  for (const item of items) counts[item.status] += 1
  return counts
}

/** The item in progress, else the first open one. */
export function currentItem<T extends ParsedChecklistItem>(items: readonly T[]): T | undefined {
  return items.find((item) => item.status === 'in_progress') ?? items.find((item) => item.status === 'pending')
}
