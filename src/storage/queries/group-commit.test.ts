import { MessageChannel } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { createGroupCommit } from './events.ts'

/** Manual commits: records each group, and refuses groups with a bad call. */
function recorder(isBad: (call: number) => boolean = () => false) {
  const groups: (readonly number[])[] = []
  const committed: number[] = []
  return {
    groups,
    committed,
    commit: async (calls: readonly number[]) => {
      groups.push(calls)
      await Promise.resolve()
      if (calls.some(isBad)) throw new Error(`Refused ${calls.join(', ')}.`)
      committed.push(...calls)
      return calls.map((call) => call * 10)
    },
  }
}

describe('group commit', () => {
  test('a call resolves with its own result, after its commit', async () => {
    const { commit, committed } = recorder()
    const submit = createGroupCommit({ commit, maxCalls: 10, isWorthSplitting: () => true })
    expect(await submit(1)).toBe(10)
    expect(committed).toEqual([1])
  })

  test('calls that come together share one commit', async () => {
    const { commit, groups } = recorder()
    const submit = createGroupCommit({ commit, maxCalls: 10, isWorthSplitting: () => true })
    expect(await Promise.all([1, 2, 3].map(submit))).toEqual([10, 20, 30])
    expect(groups).toEqual([[1, 2, 3]])
  })

  test('calls that come while a commit is under way share the next', async () => {
    const { commit, groups } = recorder()
    let isFirst = true
    const late: Promise<number>[] = []
    const submit = createGroupCommit<number, number>({
      commit: async (calls) => {
        if (isFirst) {
          isFirst = false
          late.push(submit(2), submit(3))
        }
        return await commit(calls)
      },
      maxCalls: 10,
      isWorthSplitting: () => true,
    })
    await submit(1)
    await Promise.all(late)
    expect(groups).toEqual([[1], [2, 3]])
  })

  test('calls that come as messages, one by one and faster than they are committed, share commits', async () => {
    const { commit, groups } = recorder()
    const submit = createGroupCommit({ commit, maxCalls: 100, isWorthSplitting: () => true })
    const { port1, port2 } = new MessageChannel()
    port2.on('message', (call: number) => void submit(call).then((answer) => port2.postMessage(answer)))
    const send = (calls: readonly number[]) =>
      new Promise<void>((resolve) => {
        const answers: number[] = []
        port1.removeAllListeners('message').on('message', (answer: number) => {
          answers.push(answer)
          if (answers.length === calls.length) resolve()
        })
        for (const call of calls) port1.postMessage(call)
      })
    await send([1, 2, 3, 4])
    await send([5, 6, 7])
    await send([8])
    port1.close()
    // The first call does not wait. Under load, calls are grouped.
    expect(groups).toEqual([[1], [2, 3, 4], [5, 6, 7], [8]])
  })

  test('a group is never larger than allowed', async () => {
    const { commit, groups } = recorder()
    const submit = createGroupCommit({ commit, maxCalls: 2, isWorthSplitting: () => true })
    await Promise.all([1, 2, 3, 4, 5].map(submit))
    expect(groups).toEqual([[1, 2], [3, 4], [5]])
  })

  test('when a group fails, only the faulty call is refused', async () => {
    const { commit, committed } = recorder((call) => call === 2)
    const submit = createGroupCommit({ commit, maxCalls: 10, isWorthSplitting: () => true })
    const outcomes = await Promise.allSettled([1, 2, 3].map(submit))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(committed).toEqual([1, 3])
  })

  test('a failure that would hit each call alone is not retried', async () => {
    const { commit, groups } = recorder((call) => call === 2)
    const submit = createGroupCommit({ commit, maxCalls: 10, isWorthSplitting: () => false })
    const outcomes = await Promise.allSettled([1, 2, 3].map(submit))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(groups).toHaveLength(1)
  })

  test('continues after a failure', async () => {
    const { commit } = recorder((call) => call === 1)
    const submit = createGroupCommit({ commit, maxCalls: 10, isWorthSplitting: () => true })
    await expect(submit(1)).rejects.toThrow('Refused 1.')
    expect(await submit(2)).toBe(20)
  })
})
