import type { PrincipalName } from './principal.ts'

export interface Crowd {
  /** Requests worked on at once. */
  readonly inside: number
  /** Requests that may wait for that. */
  readonly waiting: number
}

/** More hooks at once make bigger group commits; more of anything else only makes memory. */
export const CROWDS: Readonly<Record<PrincipalName, Crowd>> = {
  owner: { inside: 128, waiting: 1_024 },
  hook: { inside: 128, waiting: 1_024 },
  api: { inside: 32, waiting: 64 },
  browser: { inside: 32, waiting: 64 },
  login: { inside: 4, waiting: 16 },
  anonymous: { inside: 16, waiting: 32 },
}

export interface Turnstile {
  /** Resolves with the way out, to be called once; undefined when too many wait already. */
  enter(principal: PrincipalName): Promise<() => void> | undefined
}

export function createTurnstile(crowds: Readonly<Record<PrincipalName, Crowd>> = CROWDS): Turnstile {
  const halls = new Map<PrincipalName, { inside: number; queue: (() => void)[] }>()

  function hallOf(principal: PrincipalName) {
    const hall = halls.get(principal) ?? { inside: 0, queue: [] }
    halls.set(principal, hall)
    return hall
  }

  return {
    enter(principal) {
      const hall = hallOf(principal)
      let hasLeft = false
      const leave = () => {
        if (hasLeft) return
        hasLeft = true
        const next = hall.queue.shift()
        if (next === undefined) hall.inside -= 1
        else next()
      }
      if (hall.inside < crowds[principal].inside) {
        hall.inside += 1
        return Promise.resolve(leave)
      }
      if (hall.queue.length >= crowds[principal].waiting) return undefined
      return new Promise((resolve) => hall.queue.push(() => resolve(leave)))
    },
  }
}
