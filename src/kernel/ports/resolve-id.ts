import { HoldfastError } from '../errors.ts'
import type { Store } from './ports.ts'

/** Ids that the message about an ambiguous beginning names. */
const MAX_NAMED = 5
const HINTS = {
  memory: '`holdfast memories list` shows the ids.',
  checkpoint:
    '`holdfast checkpoints list` shows the ids, `holdfast checkpoints resume <name>` one that was saved by name.',
} as const

/** The id that begins with the given text, or whose random part does; refuses an unknown or ambiguous one. */
export async function resolveId(
  store: Pick<Store, 'findIds'>,
  kind: keyof typeof HINTS,
  given: string,
): Promise<string> {
  const found = given === '' ? [] : await store.findIds(kind, given, MAX_NAMED)
  const [only] = found
  if (only !== undefined && (found.length === 1 || found.includes(given))) return found.includes(given) ? given : only
  if (only === undefined)
    throw new HoldfastError('not-found', `No ${kind} ${given} exists.`, {
      hint: HINTS[kind],
    })
  throw new HoldfastError('conflict', `Several ids match ${given}.`, {
    hint: `Give more characters. They are ${found.join(' and ')}.`,
  })
}
