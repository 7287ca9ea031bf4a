import { setImmediate as nextTurn } from 'node:timers/promises'

export interface GroupCommitOptions<Call, Result> {
  /** Commits all calls in one transaction and answers each. */
  readonly commit: (calls: readonly Call[]) => Promise<readonly Result[]>
  readonly maxCalls: number
  /** Whether trying each call by itself could do better than the group did. */
  readonly isWorthSplitting: (thrown: unknown) => boolean
}

interface Waiting<Call, Result> {
  readonly call: Call
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Calls that arrive while a commit is under way share the next one: under load, one sync of the disk serves many. A call
 * resolves only after its commit. When a group fails, its calls are tried one by one, so that only the culprit is refused.
 */
export function createGroupCommit<Call, Result>(
  options: GroupCommitOptions<Call, Result>,
): (call: Call) => Promise<Result> {
  let waiting: Waiting<Call, Result>[] = []
  let isRunning = false
  // A synchronous database never leaves the microtask queue by itself: without letting the others in, every group would be of one.
  // Nobody is kept waiting for that while calls come one by one.
  let isQuiet = true

  async function commitOne({ call, resolve, reject }: Waiting<Call, Result>): Promise<void> {
    try {
      const [result] = await options.commit([call])
      if (result === undefined) throw new Error('A commit answered fewer calls than it was given.')
      resolve(result)
    } catch (thrown) {
      reject(thrown)
    }
  }

  async function commitGroup(group: readonly Waiting<Call, Result>[]): Promise<void> {
    try {
      const results = await options.commit(group.map(({ call }) => call))
      if (results.length !== group.length) throw new Error('A commit answered fewer calls than it was given.')
      for (const [index, { resolve }] of group.entries()) {
        const result = results[index]
        if (result !== undefined) resolve(result)
      }
    } catch (thrown) {
      if (options.isWorthSplitting(thrown)) for (const member of group) await commitOne(member)
      else for (const { reject } of group) reject(thrown)
    }
  }

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      await (isQuiet ? undefined : nextTurn())
      isQuiet = false
      const group = waiting.slice(0, options.maxCalls)
      waiting = waiting.slice(options.maxCalls)
      const [only] = group
      if (group.length === 1 && only !== undefined) {
        await commitOne(only)
        setImmediate(() => {
          isQuiet = true
        })
      } else await commitGroup(group)
    }
    isRunning = false
  }

  return (call) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ call, resolve, reject })
      if (!isRunning) void run()
    })
}
