/** Numbers that look random and come again with the same seed. */
export interface Random {
  /** A whole number, `min` and `max` included. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

/** Splitmix32: small, and good enough to spread kills over time. */
function createRandom(seed: number): Random {
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

/** A new seed each time, or the one in FAULT_SEED; printed, so that a failure can be played again. */
export function seededRandom(what: string): Random {
  const seed = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 0x7fff_ffff))
  console.log(`${what}: FAULT_SEED=${seed}`)
  return createRandom(seed)
}
