import { queryTermsOf, termsOf } from '../../kernel/text/terms.ts'

/** What a prompt asks about, and the other thing of that sort that a text is about instead. */
export interface Rival {
  readonly asked: string
  readonly said: string
}

/** A prompt or a memory: its terms in order, and which of its short words are written as names. */
export interface Spoken {
  readonly terms: readonly string[]
  readonly names: ReadonlySet<string>
}

/** EU, UK, and the eu of eu-west: two letters in any other place are a word. */
const SHORT_NAME = /\b(?:[A-Z]{2}\b|[a-z]{2}(?=-(?:north|south|east|west|central)))/g

export function spokenOf(text: string): Spoken {
  const names = Array.from(text.matchAll(SHORT_NAME), ([name]) => name.toLowerCase())
  return { terms: queryTermsOf(text), names: new Set(names) }
}

/**
 * Of each line one is meant, and then the others are not. Forms of the same word stand side by side. `bench/rivals` measures them:
 * two halves of one thing (client and server, import and export, minimum and maximum) are no rivals, and neither are words with a
 * second meaning in every project (sandbox) or that stand beside each other in one (JavaScript and TypeScript).
 */
const SORTS: readonly string[] = [
  'production/prod staging development/dev local/localhost preview canary',
  'frontend backend',
  'android ios',
  'windows linux macos/mac',
  'chrome firefox safari',
  'postgres/postgresql/pg mysql sqlite mariadb mongodb redis',
  'npm pnpm yarn bun',
  'python ruby java rust golang php',
  'aws gcp azure',
  'github gitlab bitbucket',
  'stripe paypal',
  'primary replica',
  'internal external',
  'public private',
  'request response',
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

/** Which one of several: a number, a version, a short name. */
function isMarker(term: string, { names }: Spoken): boolean {
  return names.has(term) || (/\d/.test(term) && term.length <= 4)
}

/** v1 for v2, US for EU: beside the same word the one has this and the other has that. */
function inTheSamePlace(prompt: Spoken, text: Spoken): Rival | undefined {
  const [inPrompt, inText] = [new Set(prompt.terms), new Set(text.terms)]
  for (const [at, asked] of prompt.terms.entries()) {
    if (inText.has(asked) || !isMarker(asked, prompt)) continue
    for (const step of [-1, 1]) {
      const beside = text.terms.indexOf(prompt.terms[at + step] ?? '')
      const said = beside === -1 ? undefined : text.terms[beside - step]
      if (said !== undefined && !inPrompt.has(said) && isMarker(said, text)) return { asked, said }
    }
  }
  return undefined
}

/** Undefined where the text may be what the prompt is about. */
export function findRival(prompt: Spoken, text: Spoken): Rival | undefined {
  return ofTheSameSort(prompt.terms, text.terms) ?? inTheSamePlace(prompt, text)
}
