import type { Ask, FileWork, NamedFile, PathChance, WorkSummary } from '../kernel/checkpoint.ts'
import { judgeClaims } from './work/claims.ts'
import { chanceOfName, nameFeatures } from './score/name-score.ts'
import { filesOfNames } from './score/name-files.ts'
import { pathChances } from './score/path-score.ts'
import type { WorkState } from './work/state.ts'

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
