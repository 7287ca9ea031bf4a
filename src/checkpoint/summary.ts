import type { Ask, FileWork, NamedFile, PathChance, WorkSummary } from '../kernel/checkpoint.ts'
import { judgeClaims } from './work/claims.ts'
import { pathChances } from './score/path-score.ts'
import type { WorkState, Scene } from './work/state.ts'
import { WEIGHTS } from './work/weights.ts'
import { type NameFeatures, ownFeatures, scoreOf } from './work/attention.ts'
import { companyOf } from './work/cooccurrence.ts'
import { partsOf } from '../kernel/text/terms.ts'
import { saysWhatFor } from '../kernel/text/text.ts'

const LAST_STATEMENTS = 3

type Spoken = Pick<WorkState, 'asks' | 'statements' | 'todos'>

/** What the work is about just now, in the words of those who do it. */
function textsOf({ asks, statements, todos }: Spoken): readonly string[] {
  const wanted = asks.findLast(({ text }) => saysWhatFor(text))
  const latest = asks.at(-1)
  return [
    ...(wanted === undefined ? [] : [wanted.text]),
    ...(latest === undefined ? [] : [latest.text]),
    ...statements.slice(-LAST_STATEMENTS).map(({ text }) => text),
    ...todos.filter(({ status }) => status !== 'completed').map(({ text }) => text),
  ]
}

/** How much of each name is made of words that the matter at hand is told in; words that few names have count more. */
export function sharesOfMatter(state: Spoken, names: readonly string[]): ReadonlyMap<string, number> {
  const told = new Map<string, number>()
  for (const text of textsOf(state)) for (const word of partsOf(text)) told.set(word, (told.get(word) ?? 0) + 1)
  const own = names.map((name) => ({ name, words: [...partsOf(name)] }))
  const having = new Map<string, number>()
  for (const { words } of own) for (const word of words) having.set(word, (having.get(word) ?? 0) + 1)
  const rarity = (word: string) => Math.log2((names.length + 1) / (having.get(word) ?? 1))
  return new Map(
    own.map(({ name, words }) => {
      const whole = words.reduce((sum, word) => sum + rarity(word), 0)
      const shared = words.reduce((sum, word) => sum + rarity(word) * Math.log2(1 + (told.get(word) ?? 0)), 0)
      return [name, whole === 0 ? 0 : shared / whole]
    }),
  )
}

/** So that what is hardly in company is told from what is in none. */
const COMPANY_SCALE = 1_000

type Names = Pick<WorkState, 'identifiers' | 'scenes' | 'order' | 'asks' | 'statements' | 'todos'>

/** Every name that came up, with what its chance is told from. */
export function nameFeatures(state: Names): readonly { readonly name: string; readonly features: NameFeatures }[] {
  const { identifiers, order } = state
  const company = companyOf(state)
  const matter = sharesOfMatter(
    state,
    identifiers.map(({ name }) => name),
  )
  return identifiers.map((entry) => ({
    name: entry.name,
    features: {
      ...ownFeatures(entry, order),
      company: Math.log2(1 + COMPANY_SCALE * (company.get(entry.name) ?? 0)),
      matter: matter.get(entry.name) ?? 0,
    },
  }))
}

/** The chance that a name comes up again: a logistic model over where, how often, how lately and beside which others it was seen. */
export function chanceOfName(features: NameFeatures): number {
  return 1 / (1 + Math.exp(-WEIGHTS.name.bias - scoreOf(features)))
}

/** Where a name was changed says more of it than where it was read. */
const SAYING_LITTLE_FIRST = ['shown', 'acted'] as const

/** The file that each name was last worked on in, or else last read in. */
export function filesOfNames(scenes: readonly Scene[] = []): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const kind of SAYING_LITTLE_FIRST) {
    for (const scene of scenes) {
      if (scene.kind !== kind || scene.path === undefined) continue
      for (const name of scene.names) files.set(name, scene.path)
    }
  }
  return files
}

const MAX_FILES = 60
const MAX_NAMED = 30
const MAX_COMMANDS = 30
const MAX_IDENTIFIERS = 160
const MAX_NAMES_IN_FILE = 20
const MAX_ERRORS = 12

function byOrder<T extends { readonly lastOrder: number }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => a.lastOrder - b.lastOrder)
}

type Chances = ReadonlyMap<string, PathChance>

/** The likeliest of those that nobody opened; the rest are only names. */
function namedOf(state: WorkState, chances: Chances): readonly NamedFile[] {
  return state.named
    .flatMap(({ path, sightings }) => {
      const chance = chances.get(path)
      return chance === undefined ? [] : [{ path, chance, lastOrder: sightings.order }]
    })
    .toSorted((a, b) => b.chance.opened - a.chance.opened || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_NAMED)
}

/** The names that were worked on in each file, in the order in which they came. */
function byFile(names: readonly string[], { scenes }: WorkState): ReadonlyMap<string, readonly string[]> {
  const fileOf = filesOfNames(scenes)
  const files = new Map<string, string[]>()
  for (const name of names) {
    const path = fileOf.get(name)
    if (path === undefined) continue
    const others = files.get(path)
    if (others === undefined) files.set(path, [name])
    else if (others.length < MAX_NAMES_IN_FILE) others.push(name)
  }
  return files
}

interface KnownOfFiles {
  readonly hashes: ReadonlyMap<string, string>
  readonly chances: Chances
  readonly names: ReadonlyMap<string, readonly string[]>
}

function filesOf(state: WorkState, known: KnownOfFiles): readonly FileWork[] {
  return byOrder(state.files)
    .slice(-MAX_FILES)
    .map(({ path, action, reads, edits, lastOrder, lastEditOrder }) => {
      const contentHash = known.hashes.get(path)
      const chance = known.chances.get(path)
      const names = known.names.get(path)
      return {
        path,
        action,
        reads,
        edits,
        lastOrder,
        ...(lastEditOrder === 0 ? {} : { lastEditOrder }),
        ...(contentHash === undefined ? {} : { contentHash }),
        ...(chance === undefined ? {} : { chance }),
        ...(names === undefined ? {} : { names }),
      }
    })
}

/** The first ask stays: it is what the session set out to do. */
function asksOf(state: WorkState): readonly Ask[] {
  const { firstAsk, asks } = state
  if (firstAsk === undefined || asks.some((ask) => ask.order === firstAsk.order)) return asks
  return [firstAsk, ...asks.slice(-19)]
}

/** The bounded state as a checkpoint keeps it. */
export function toSummary(state: WorkState, hashes: ReadonlyMap<string, string> = new Map()): WorkSummary {
  const identifiers = nameFeatures(state)
    .map(({ name, features }) => ({ name, weight: Math.round(chanceOfName(features) * 1_000) / 1_000 }))
    .filter((entry) => entry.weight > 0)
    .toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_IDENTIFIERS)
  const chances = pathChances(state)
  const names = byFile(
    identifiers.map(({ name }) => name),
    state,
  )
  return {
    asks: asksOf(state),
    files: filesOf(state, { hashes, chances, names }),
    named: namedOf(state, chances),
    commands: byOrder(state.commands)
      .slice(-MAX_COMMANDS)
      .map(({ command, purpose, ok, exitStatus, runs, failures, lastOrder }) => ({
        command,
        purpose,
        ok,
        ...(exitStatus === undefined ? {} : { exitStatus }),
        runs,
        failures,
        lastOrder,
      })),
    tests: state.tests,
    decisions: state.decisions,
    errors: byOrder(state.errors).slice(-MAX_ERRORS),
    todos: state.todos,
    ...(state.plan?.title === undefined ? {} : { plan: state.plan.title }),
    blockers: state.blockers,
    identifiers,
    refs: state.refs,
    statements: state.statements,
    failedApproaches: state.failedApproaches.map((approach) => approach.text),
    claims: judgeClaims(state),
    lastOrder: state.order,
  }
}
