import { HoldfastError } from '../../kernel/errors.ts'

/** Written by Holdfast itself; users cannot save under these names. */
export const AUTOSAVE = 'autosave'
export const AUTOSAVE_LOG = 'autosave-log'

const MAX_NAME_CHARS = 64
/** File names have at most 255 bytes, including `.md` and a temporary suffix. */
const MAX_NAME_BYTES = 180

/** Words that do not identify a task; a name of nothing else is refused. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  'task work save untitled backup wip todo tmp temp test tests stuff misc thing things checkpoint progress session state status current latest last new old final done next fix fixes bug bugs update updates change changes draft foo bar baz asdf continue later part resume todos 工作 任务 保存 备份 未命名 测试 临时 my the a an in of on for to and'.split(
    ' ',
  ),
)
/** One word this short is an unclear abbreviation. Scripts without letter case write a word in one character. */
const MIN_WORD_CHARS = 4
const WINDOWS_NAMES = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/

const KEBAB = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+)*$/u

export type NameVerdict =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly problem: string; readonly suggestion?: string }

/** The nearest valid name, if any. */
export function suggestName(text: string): string | undefined {
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

function isEmptyName(name: string): boolean {
  const words = name
    .split('-')
    // `checkpoint2` is as unspecific as `checkpoint-2`.
    .map((word) => word.replace(/(?<=^\p{Ll}+)\p{N}+$/u, ''))
    .filter((word) => !EMPTY_WORDS.has(word) && !/^(?:\p{N}+|\p{Ll})$/u.test(word))
  if (words.length > 1) return false
  const [word] = words
  return word === undefined || (/^\p{Ll}+$/u.test(word) && name === word && word.length < MIN_WORD_CHARS)
}

function findNameProblem(name: string): string | undefined {
  if (name === '') return 'A checkpoint needs a name.'
  if (name === AUTOSAVE || name === AUTOSAVE_LOG) return `${JSON.stringify(name)} is reserved for Holdfast's own files.`
  if (isEmptyName(name)) return `${JSON.stringify(name)} does not describe the work.`
  if (WINDOWS_NAMES.test(name)) return `${JSON.stringify(name)} cannot be a file's name on Windows.`
  if (!isShort(name)) return `A name has at most ${MAX_NAME_CHARS} characters.`
  if (!KEBAB.test(name))
    return `${JSON.stringify(name)} is not kebab-case: lower-case words and digits separated by hyphens.`
  return undefined
}

/** Validates a name and suggests another, from the name or from `task`. */
export function judgeName(given: string, task?: string): NameVerdict {
  const name = given.normalize('NFC').trim()
  const problem = findNameProblem(name)
  if (problem === undefined) return { ok: true, name }
  const candidates = [suggestName(name), task === undefined ? undefined : suggestName(task)]
  const suggestion = candidates.find((candidate) => candidate !== undefined && findNameProblem(candidate) === undefined)
  return { ok: false, problem, ...(suggestion !== undefined && { suggestion }) }
}

/** Refuses an invalid name, suggesting a valid one. */
export function parseName(given: string, task?: string): string {
  const verdict = judgeName(given, task)
  if (verdict.ok) return verdict.name
  throw new HoldfastError('invalid-input', verdict.problem, {
    hint: `Try ${JSON.stringify(verdict.suggestion ?? 'build-login-page')}.`,
  })
}
