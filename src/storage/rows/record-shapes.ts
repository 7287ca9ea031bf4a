import { isObject } from '../../kernel/json-shape.ts'
import type { Origin } from '../../kernel/location.ts'
import { ANCHOR_KINDS, type MemoryAnchor } from '../../kernel/memory.ts'
import { CHANGING_KINDS } from '../../kernel/ports/record-store.ts'

/** The columns of the tables that serve the exchange with other homes, as in `row-integrity.ts`. */
export const RECORD_SHAPES = {
  record_versions: {
    id: 'text',
    kind: CHANGING_KINDS,
    project_id: 'text?',
    count: 'number',
    machine: 'text',
    hash: 'text',
    body: 'text?',
  },
  machines: { id: 'text', name: 'text', person: 'text', person_name: 'text', public_key: 'text?' },
  taken_work: { worktree: 'text', session_id: 'text', seq: 'number', at: 'time' },
  erased_ids: { digest: 'text', tombstone: 'text' },
} as const

export function isOriginValue(value: unknown): value is Origin {
  if (!isObject(value) || typeof value['principal'] !== 'string' || !isObject(value['machine'])) return false
  return typeof value['machine']['id'] === 'string' && typeof value['machine']['name'] === 'string'
}

export function isAnchorList(value: unknown): value is readonly MemoryAnchor[] {
  return (
    Array.isArray(value) &&
    value.every(
      (one) => isObject(one) && ANCHOR_KINDS.some((kind) => kind === one['kind']) && typeof one['name'] === 'string',
    )
  )
}
