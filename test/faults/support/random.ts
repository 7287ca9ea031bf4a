/** Numbers that look random and come again with the same seed. */
export interface Random {
  /** A whole number, `min` and `max` included. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

/** Splitmix32: small, and good enough to spread kills over time. */
export function createRandom(seed: number): Random {
  let state = seed | 0
  const next = () => {
    state = (state + 0x9e37_79b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0_aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    int,
    chance: (probability) => next() < probability,
    pick(items) {
      const picked = items[int(0, items.length - 1)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
  }
}

const LARGEST_SEED = 0x7fff_ffff

/** FNV-1a: the same number for the same name, on every machine. */
function numberOf(name: string): number {
  let hash = 0x811c_9dc5
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x0100_0193)
  return (hash >>> 0) & LARGEST_SEED
}

/**
 * One that follows from the name, so that what passed once passes again. `FAULT_SEED=<n>` plays a certain one,
 * `FAULT_SEED=random` looks for new trouble.
 */
export function seedOf(what: string): number {
  const asked = process.env['FAULT_SEED']
  if (asked === undefined || asked === '') return numberOf(what)
  if (asked === 'random') return Math.floor(Math.random() * LARGEST_SEED)
  if (/^\d+$/.test(asked)) return Number(asked)
  throw new Error(`FAULT_SEED is a whole number or "random", not ${asked}`)
}

/** The seed is printed, so that a failure can be played again. */
export function seededRandom(what: string): Random {
  const seed = seedOf(what)
  console.log(`${what}: FAULT_SEED=${seed}`)
  return createRandom(seed)
}
