import { HoldfastError } from './errors.ts'

const MAX_CHARS = 60
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
/** Kept for what is written without being asked for. */
const RESERVED: ReadonlySet<string> = new Set(['autosave', 'autosave-log'])

/** The nearest name that would do; empty when nothing of it can be kept. */
export function suggestCheckpointName(given: string): string {
  const kebab = given
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_CHARS)
    .replaceAll(/^-+|-+$/g, '')
  return RESERVED.has(kebab) ? `my-${kebab}` : kebab
}

/** A checkpoint's name as given; refuses one that is no kebab-case name, and says one that is. */
export function checkpointName(given: string): string {
  if (given.length <= MAX_CHARS && KEBAB.test(given) && !RESERVED.has(given)) return given
  const suggestion = suggestCheckpointName(given)
  const why = RESERVED.has(given)
    ? `"${given}" is kept for what is saved automatically.`
    : `A checkpoint's name has lower-case words joined by hyphens, at most ${MAX_CHARS} characters.`
  throw new HoldfastError('invalid-input', why, {
    hint: `Use ${suggestion === '' ? 'a name such as "auth-refactor"' : `"${suggestion}"`}.`,
  })
}
