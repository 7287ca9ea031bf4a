import { isEnvFile } from './env-file.ts'

/** More names than this in one word nobody writes; of the others the first are looked at. */
const MOST_NAMES = 64
/** No name of an env file is longer, with the folders in front of it. */
const WORD_CHARS = 1_024
/** What a pattern is tried on, beside what it begins with. */
const USUAL_NAMES: readonly string[] = ['.env', '.env.local', '.env.production', '.env.development', '.env.test']
const BRACES = /\{([^{}]*,[^{}]*)\}/

/** `.env{,.local}` as the shell writes it out. */
function expandBraces(word: string): readonly string[] {
  let names: readonly string[] = [word]
  for (;;) {
    let isChanged = false
    const next: string[] = []
    for (const name of names) {
      const found = BRACES.exec(name)
      if (found === null) {
        next.push(name)
        continue
      }
      isChanged = true
      const [whole, choices = ''] = found
      for (const choice of choices.split(','))
        next.push(name.slice(0, found.index) + choice + name.slice(found.index + whole.length))
    }
    if (!isChanged || next.length > MOST_NAMES) return next.slice(0, MOST_NAMES)
    names = next
  }
}

/** A set of characters counts as any one character: whether it holds the right one is not worth knowing here. */
function withoutSets(glob: string): string {
  return glob.replace(/\[[^\]]*\]/g, '?')
}

/** Whether a pattern of `*` and `?` matches a name, in time that grows with the product of their lengths. */
function matches(glob: string, name: string): boolean {
  let at = 0
  let star = -1
  let tried = 0
  let index = 0
  while (index < name.length) {
    if (glob[at] === '*') {
      star = at
      tried = index
      at += 1
    } else if (glob[at] === '?' || glob[at] === name[index]) {
      at += 1
      index += 1
    } else if (star >= 0) {
      at = star + 1
      tried += 1
      index = tried
    } else return false
  }
  while (glob[at] === '*') at += 1
  return at === glob.length
}

function mayBeEnvFile(path: string): boolean {
  if (isEnvFile(path)) return true
  const name = withoutSets(path.slice(path.lastIndexOf('/') + 1))
  const first = name.search(/[*?]/)
  if (first < 0) return false
  // `.env.my*` matches names of which nobody can make a list; `.env.example*` is an example with its `*` or without.
  return (
    (name.startsWith('.env.') && isEnvFile(name.replaceAll('*', ''))) || USUAL_NAMES.some((one) => matches(name, one))
  )
}

/** Whether a word of a command line names an env file: `.env`, `HEAD:app/.env.local`, `if=.env`, `.env*`, `.env{,.local}`. */
export function namesEnvFile(word: string): boolean {
  if (word.length > WORD_CHARS) return false
  return expandBraces(word).some((name) => {
    const colon = name.lastIndexOf(':')
    const equals = name.lastIndexOf('=')
    return [name, name.slice(colon + 1), name.slice(equals + 1)].some(mayBeEnvFile)
  })
}
