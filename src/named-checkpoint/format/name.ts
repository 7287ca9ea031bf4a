import { HoldfastError } from '../../kernel/errors.ts'

/** Written by Holdfast itself, never by name. */
export const AUTOSAVE = 'autosave'
export const AUTOSAVE_LOG = 'autosave-log'

const MAX_NAME_CHARS = 64
/** A file name may hold 255 bytes, and `.md` and a temporary's ending come on top. */
const MAX_NAME_BYTES = 180

/** S3's list: names that say nothing. */
const EMPTY_NAMES = ['task', 'work', 'save', 'untitled', 'backup'] as const
const WINDOWS_NAMES = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/

const KEBAB = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+)*$/u

export type NameVerdict =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly problem: string; readonly suggestion?: string }

/** The nearest name that would do; undefined when nothing is left of it. */
export function slugOf(text: string): string | undefined {
  const words = text
    .normalize('NFC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1-$2')
    .toLowerCase()
    .split(/[^\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
  let slug = ''
  for (const word of words.slice(0, 8)) {
    const longer = slug === '' ? word : `${slug}-${word}`
    if (!isShort(longer)) break
    slug = longer
  }
  return KEBAB.test(slug) && isShort(slug) ? slug : undefined
}

function isShort(name: string): boolean {
  return Array.from(name).length <= MAX_NAME_CHARS && new TextEncoder().encode(name).length <= MAX_NAME_BYTES
}

function problemOf(name: string): string | undefined {
  if (name === '') return 'A checkpoint needs a name.'
  if (name === AUTOSAVE || name === AUTOSAVE_LOG)
    return `${JSON.stringify(name)} is the name of what Holdfast saves by itself.`
  if (EMPTY_NAMES.some((known) => known === name)) return `${JSON.stringify(name)} does not say what the work is.`
  if (WINDOWS_NAMES.test(name)) return `${JSON.stringify(name)} cannot be a file's name on Windows.`
  if (!isShort(name)) return `A name has at most ${MAX_NAME_CHARS} characters.`
  if (!KEBAB.test(name))
    return `${JSON.stringify(name)} is not kebab-case: lower-case words and digits with a hyphen between.`
  return undefined
}

/** Whether a checkpoint may be saved under this name, and if not, a name near it that may. `task` helps to suggest one. */
export function judgeName(given: string, task?: string): NameVerdict {
  const name = given.normalize('NFC').trim()
  const problem = problemOf(name)
  if (problem === undefined) return { ok: true, name }
  const candidates = [slugOf(name), task === undefined ? undefined : slugOf(task)]
  const suggestion = candidates.find((candidate) => candidate !== undefined && problemOf(candidate) === undefined)
  return { ok: false, problem, ...(suggestion !== undefined && { suggestion }) }
}

/** The name as it is kept. Refuses with a name that would do. */
export function parseName(given: string, task?: string): string {
  const verdict = judgeName(given, task)
  if (verdict.ok) return verdict.name
  throw new HoldfastError('invalid-input', verdict.problem, {
    hint: `Try ${JSON.stringify(verdict.suggestion ?? 'build-login-page')}.`,
  })
}
