import type { UserRequest, FileWork, NamedFile, PathScore, WorkSummary } from '../kernel/checkpoint.ts'
import { judgeClaims } from './work/claims.ts'
import { scorePaths } from './score/path-score.ts'
import type { WorkState, NameGroup } from './work/state.ts'
import { WEIGHTS } from './work/weights.ts'
import { type NameFeatures, ownFeatures, scoreFeatures, computeCooccurrence } from './work/identifier-weights.ts'
import { extractWordParts } from '../kernel/text/terms.ts'
import { isSubstantiveRequest } from '../kernel/text/text.ts'

const LAST_STATEMENTS = 3

type CurrentWork = Pick<WorkState, 'asks' | 'statements' | 'todos'>

function listCurrentTexts({ asks, statements, todos }: CurrentWork): readonly string[] {
  const wanted = asks.findLast(({ text }) => isSubstantiveRequest(text))
  const latest = asks.at(-1)
  return [
    ...(wanted === undefined ? [] : [wanted.text]),
    ...(latest === undefined ? [] : [latest.text]),
    ...statements.slice(-LAST_STATEMENTS).map(({ text }) => text),
    ...todos.filter(({ status }) => status !== 'completed').map(({ text }) => text),
  ]
}

/** Overlap of each name's words with the current topic; words that few names have count more. */
export function scoreTopicOverlap(state: CurrentWork, names: readonly string[]): ReadonlyMap<string, number> {
  const topic = new Map<string, number>()
  for (const text of listCurrentTexts(state))
    for (const word of extractWordParts(text)) topic.set(word, (topic.get(word) ?? 0) + 1)
  const own = names.map((name) => ({ name, words: [...extractWordParts(name)] }))
  const having = new Map<string, number>()
  for (const { words } of own) for (const word of words) having.set(word, (having.get(word) ?? 0) + 1)
  const rarity = (word: string) => Math.log2((names.length + 1) / (having.get(word) ?? 1))
  return new Map(
    own.map(({ name, words }) => {
      const whole = words.reduce((sum, word) => sum + rarity(word), 0)
      const shared = words.reduce((sum, word) => sum + rarity(word) * Math.log2(1 + (topic.get(word) ?? 0)), 0)
      return [name, whole === 0 ? 0 : shared / whole]
    }),
  )
}

/** Separates a small co-occurrence from none after the logarithm. */
const COOCCURRENCE_SCALE = 1_000

type Names = Pick<WorkState, 'identifiers' | 'scenes' | 'order' | 'asks' | 'statements' | 'todos'>

export function nameFeatures(state: Names): readonly { readonly name: string; readonly features: NameFeatures }[] {
  const { identifiers, order } = state
  const cooccurrence = computeCooccurrence(state)
  const topicOverlap = scoreTopicOverlap(
    state,
    identifiers.map(({ name }) => name),
  )
  return identifiers.map((entry) => ({
    name: entry.name,
    features: {
      ...ownFeatures(entry, order),
      cooccurrence: Math.log2(1 + COOCCURRENCE_SCALE * (cooccurrence.get(entry.name) ?? 0)),
      topicOverlap: topicOverlap.get(entry.name) ?? 0,
    },
  }))
}

/** The probability that a name comes up again: a logistic model over where, how often, how recently and with which others it was seen. */
export function scoreName(features: NameFeatures): number {
  return 1 / (1 + Math.exp(-WEIGHTS.name.bias - scoreFeatures(features)))
}

/** Where a name was edited overrides where it was read. */
const SAYING_LITTLE_FIRST = ['shown', 'acted'] as const

/** The file that each name was last edited in, or else last read in. */
export function mapNamesToFiles(scenes: readonly NameGroup[] = []): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const kind of SAYING_LITTLE_FIRST) {
    for (const group of scenes) {
      if (group.kind !== kind || group.path === undefined) continue
      for (const name of group.names) files.set(name, group.path)
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

type PathScores = ReadonlyMap<string, PathScore>

/** The files with the highest scores that were never opened. */
function listNamedFiles(state: WorkState, chances: PathScores): readonly NamedFile[] {
  return state.named
    .flatMap(({ path, sightings }) => {
      const chance = chances.get(path)
      return chance === undefined ? [] : [{ path, chance, lastOrder: sightings.order }]
    })
    .toSorted((a, b) => b.chance.opened - a.chance.opened || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_NAMED)
}

function byFile(names: readonly string[], { scenes }: WorkState): ReadonlyMap<string, readonly string[]> {
  const fileOf = mapNamesToFiles(scenes)
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

interface FileFindings {
  readonly hashes: ReadonlyMap<string, string>
  readonly chances: PathScores
  readonly names: ReadonlyMap<string, readonly string[]>
}

function listFiles(state: WorkState, known: FileFindings): readonly FileWork[] {
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

/** The first request always stays: it is what the session set out to do. */
function listRequests(state: WorkState): readonly UserRequest[] {
  const { firstAsk, asks } = state
  if (firstAsk === undefined || asks.some((request) => request.order === firstAsk.order)) return asks
  return [firstAsk, ...asks.slice(-19)]
}

/** The state as a checkpoint stores it. */
export function toSummary(state: WorkState, hashes: ReadonlyMap<string, string> = new Map()): WorkSummary {
  const identifiers = nameFeatures(state)
    .map(({ name, features }) => ({ name, weight: Math.round(scoreName(features) * 1_000) / 1_000 }))
    .filter((entry) => entry.weight > 0)
    .toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_IDENTIFIERS)
  const chances = scorePaths(state)
  const names = byFile(
    identifiers.map(({ name }) => name),
    state,
  )
  return {
    asks: listRequests(state),
    files: listFiles(state, { hashes, chances, names }),
    named: listNamedFiles(state, chances),
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
