import { WEIGHTS } from './weights.ts'
import { LIMITS, type Scene, type WorkState } from './state.ts'

/** What somebody said is what the work is about now. */
const SPOKEN: ReadonlySet<Scene['kind']> = new Set(['asked', 'said'] as const)

/** The names that were seen together, after one more time; a lone name that nobody spoke of says nothing of others. */
export function withScene(scenes: readonly Scene[] = [], { names, ...scene }: Scene): readonly Scene[] {
  if (names.length === 0 || (names.length === 1 && !SPOKEN.has(scene.kind))) return scenes
  return [...scenes, { ...scene, names: names.slice(0, LIMITS.sceneNames) }].slice(-LIMITS.scenes)
}

function add(sums: Map<string, number>, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount)
}

/** How lately and how often each name was spoken of; together they are 1. */
function spokenOf(scenes: readonly Scene[]): ReadonlyMap<string, number> {
  const spoken = new Map<string, number>()
  let whole = 0
  const told = scenes.filter(({ kind, names }) => SPOKEN.has(kind) && names.length > 0)
  // From the newest of them, whatever came since: shares of a whole are the same, and none is too small to be told from nothing.
  const newest = told.at(-1)?.order ?? 0
  for (const scene of told) {
    const share = 0.5 ** ((newest - scene.order) / WEIGHTS.name.spokenHalfLife)
    for (const name of scene.names) add(spoken, name, share)
    whole += share * scene.names.length
  }
  return new Map([...spoken].map(([name, share]) => [name, share / whole]))
}

/**
 * How much each name was seen beside those that were spoken of lately: where somebody who follows one of these, at random, to a
 * place it was seen in, and from there to another name, would arrive.
 */
export function companyOf({
  scenes: all = [],
  identifiers,
}: Pick<WorkState, 'scenes' | 'identifiers'>): ReadonlyMap<string, number> {
  const known = new Set(identifiers.map(({ name }) => name))
  const scenes = all.map((scene) => ({ ...scene, names: scene.names.filter((name) => known.has(name)) }))
  const ways = new Map<string, number>()
  for (const { names } of scenes) for (const name of names) add(ways, name, (names.length - 1) / names.length)
  const spoken = spokenOf(scenes)
  const company = new Map<string, number>()
  for (const { names } of scenes) {
    const each = names.map((name) => (spoken.get(name) ?? 0) / Math.max(1e-9, ways.get(name) ?? 0))
    const together = each.reduce((sum, one) => sum + one, 0)
    if (names.length < 2 || together === 0) continue
    for (const [at, name] of names.entries()) add(company, name, (together - (each[at] ?? 0)) / names.length)
  }
  return company
}
