import { termsOf } from '../terms.ts'

/** What a prompt asks about, and the other thing of that sort that a text is about instead. */
export interface Rival {
  readonly asked: string
  readonly said: string
}

/** Of each line one is meant, and then the others are not. Forms of the same word stand side by side. */
const SORTS: readonly string[] = [
  'production/prod staging development/dev local/localhost preview canary sandbox',
  'frontend backend',
  'client server',
  'android ios',
  'windows linux macos/mac',
  'chrome firefox safari',
  'postgres/postgresql/pg mysql sqlite mariadb mongodb redis',
  'npm pnpm yarn bun',
  'python ruby java rust golang php',
  'javascript/js typescript/ts',
  'aws gcp azure',
  'github gitlab bitbucket',
  'primary replica',
  'internal external',
  'public private',
  'request response',
  'upload download',
  'import export',
  'encode decode',
  'encrypt decrypt',
  'minimum/min maximum/max',
  'tabs spaces',
  'monday tuesday wednesday thursday friday saturday sunday',
]

interface Member {
  readonly sort: number
  readonly form: number
}

const MEMBERS: ReadonlyMap<string, Member> = new Map(
  SORTS.flatMap((line, sort) =>
    line
      .split(' ')
      .flatMap((forms, form) =>
        forms.split('/').flatMap((word) => termsOf(word).map((term) => [term, { sort, form }] as const)),
      ),
  ),
)

/** "staging" where "production" is asked for: the one is there and the other is not. */
function ofTheSameSort(prompt: readonly string[], text: readonly string[]): Rival | undefined {
  const membersOf = (terms: readonly string[]) =>
    terms.flatMap((term) => {
      const member = MEMBERS.get(term)
      return member === undefined ? [] : [{ term, ...member }]
    })
  const said = membersOf(text)
  const asked = membersOf(prompt)
  const has = (members: readonly Member[], { sort, form }: Member) =>
    members.some((other) => other.sort === sort && other.form === form)
  for (const one of asked) {
    if (has(said, one)) continue
    const other = said.find((member) => member.sort === one.sort && !has(asked, member))
    if (other !== undefined) return { asked: one.term, said: other.term }
  }
  return undefined
}

/** Which one of several: a number, a version, two letters. What is left of "don't" tells nothing. */
function isMarker(term: string): boolean {
  return /^\p{L}{2}$/u.test(term) || (/\d/.test(term) && term.length <= 4)
}

/** v1 for v2, US for EU: beside the same word the one has this and the other has that. */
function inTheSamePlace(prompt: readonly string[], text: readonly string[]): Rival | undefined {
  const [inPrompt, inText] = [new Set(prompt), new Set(text)]
  for (const [at, asked] of prompt.entries()) {
    if (inText.has(asked) || !isMarker(asked)) continue
    for (const step of [-1, 1]) {
      const beside = text.indexOf(prompt[at + step] ?? '')
      const said = beside === -1 ? undefined : text[beside - step]
      if (said !== undefined && !inPrompt.has(said) && isMarker(said)) return { asked, said }
    }
  }
  return undefined
}

/** Both by their terms in order. */
export function findRival(prompt: readonly string[], text: readonly string[]): Rival | undefined {
  return ofTheSameSort(prompt, text) ?? inTheSamePlace(prompt, text)
}
