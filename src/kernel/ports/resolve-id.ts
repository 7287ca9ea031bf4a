import { HoldfastError } from '../errors.ts'
import type { Store } from './ports.ts'

/** Ids that the message about an ambiguous beginning names. */
const MAX_NAMED = 5
const HINTS = {
  memory: '`holdfast memories list` shows the ids.',
  checkpoint:
    '`holdfast checkpoints list` shows the ids, `holdfast checkpoints resume <name>` one that was saved by name.',
  draft: '`holdfast memories review --all` shows the ids.',
} as const
const NAMES = { memory: 'memory', checkpoint: 'checkpoint', draft: 'proposed or forgotten memory' } as const

/** As `findIds` of the store. */
export function findMatchingIds(ids: readonly string[], given: string): readonly string[] {
  return given === '' ? [] : ids.filter((id) => id.startsWith(given) || id.includes(`-${given}`))
}

/** The one that is meant of the ids that match; refuses none and several. */
export function pickId(kind: keyof typeof HINTS, given: string, found: readonly string[]): string {
  const [only] = found
  if (only !== undefined && (found.length === 1 || found.includes(given))) return found.includes(given) ? given : only
  if (only === undefined)
    throw new HoldfastError('not-found', `No ${NAMES[kind]} ${given} exists.`, {
      hint: HINTS[kind],
    })
  throw new HoldfastError('conflict', `Several ids match ${given}.`, {
    hint: `Give more characters. They are ${found.slice(0, MAX_NAMED).join(' and ')}.`,
  })
}

/** The id that begins with the given text, or whose random part does; refuses an unknown or ambiguous one. */
export async function resolveId(
  store: Pick<Store, 'findIds'>,
  kind: 'memory' | 'checkpoint',
  given: string,
): Promise<string> {
  return pickId(kind, given, given === '' ? [] : await store.findIds(kind, given, MAX_NAMED))
}
