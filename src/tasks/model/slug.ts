import { HoldfastError } from '../../kernel/errors.ts'

const MAX_SLUG_CHARS = 64
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const WINDOWS_NAMES = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/

function problemOf(slug: string): string | undefined {
  if (slug === '') return 'A task needs a slug.'
  if (slug.length > MAX_SLUG_CHARS) return `A slug has at most ${MAX_SLUG_CHARS} characters.`
  if (WINDOWS_NAMES.test(slug)) return `${JSON.stringify(slug)} cannot be a folder's name on Windows.`
  if (!KEBAB.test(slug))
    return `${JSON.stringify(slug.slice(0, 80))} is no slug: lower-case letters a-z and digits, with single hyphens between.`
  return undefined
}

/** Whether it may name a folder under `tasks/`. What passes holds no separator, no dot and no character a shell acts on. */
export function isSlug(text: string): boolean {
  return problemOf(text) === undefined
}

function suggestionFor(text: string): string | undefined {
  const words = text
    .slice(0, 200)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const slug = words.slice(0, 8).join('-').slice(0, MAX_SLUG_CHARS).replace(/-+$/, '')
  return isSlug(slug) ? slug : undefined
}

/** The slug as it was given, or a refusal with one that would do. */
export function parseSlug(text: string): string {
  const problem = problemOf(text)
  if (problem === undefined) return text
  throw new HoldfastError('invalid-input', problem, {
    hint: `Try ${JSON.stringify(suggestionFor(text) ?? 'feat-user-auth')}.`,
  })
}
