import { describe, expect, test } from 'vitest'
import { aBench, type Bench, FIRST, PROJECT, start, told, work } from '../../../test/support/continuity-setup.ts'
import type { Machine } from '../location.ts'
import type { Store } from './ports.ts'
import { createContinuity } from '../../app/create-continuity.ts'

const DESK: Machine = { id: 'desk', hostId: 'desk', name: 'desk', sharesStore: true }
const LAPTOP: Machine = { id: 'laptop', hostId: 'laptop', name: 'laptop', sharesStore: true }

/** The same store as another machine sees it, where no process of the first one is. */
function on({ ports, store }: Bench, machine: Machine): Bench {
  const deps = { ...ports.deps(store), machine, processes: { isAlive: () => false, startedAt: () => undefined } }
  return { ports, store, continuity: createContinuity(deps), [Symbol.asyncDispose]: async () => undefined }
}

async function worked(machine: Machine): Promise<Bench> {
  const bench = await aBench()
  bench.ports.machine = machine
  await work({ ...bench, continuity: createContinuity(bench.ports.deps(bench.store)) })
  return bench
}

describe('a session of another machine', () => {
  test('is not called interrupted, gets no checkpoint and does not keep the daemon here', async () => {
    await using bench = await worked(DESK)
    const laptop = on(bench, LAPTOP)
    await laptop.continuity.tick()
    expect(await bench.store.findSession(FIRST)).toMatchObject({ phase: 'idle', machine: { id: 'desk', name: 'desk' } })
    expect(await bench.store.listCheckpoints({ limit: 10 })).toEqual([])
    expect(await laptop.continuity.liveSessions()).toBe(0)
    bench.ports.time.advance(3_600_000)
    await laptop.continuity.tick()
    expect((await bench.store.findSession(FIRST))?.phase).toBe('idle')
  })

  test('is live until it is silent for long, and is said to be there', async () => {
    await using bench = await worked(DESK)
    const laptop = on(bench, LAPTOP)
    const block = await told(laptop, start('session-2', 2))
    expect(block).toContain('| Also at work in this worktree: claude-code session session-')
    expect(block).toContain('Its work is not included here.')
    const { injections } = await laptop.continuity.explain({ cwd: PROJECT })
    expect(JSON.stringify(injections)).toContain('on desk works in this worktree')
  })

  test('control: on its own machine it is interrupted once its process is gone', async () => {
    await using bench = await worked(DESK)
    await on(bench, DESK).continuity.tick()
    expect(await bench.store.findSession(FIRST)).toMatchObject({ phase: 'interrupted' })
    expect(await bench.store.listCheckpoints({ limit: 10 })).toHaveLength(1)
  })
})

test.each([
  ['of a home', false, 'interrupted'],
  ['that is shared', true, 'idle'],
] as const)(
  'a session from before machines were noted is judged in a store %s: %s',
  async (_what, sharesStore, phase) => {
    await using bench = await aBench()
    const store: Store = {
      ...bench.store,
      append: (entries, cadence) =>
        bench.store.append(
          entries.map(({ machine: _machine, ...entry }) => entry),
          cadence,
        ),
    }
    await work({ ...bench, continuity: createContinuity(bench.ports.deps(store)) })
    await on(bench, { ...LAPTOP, sharesStore }).continuity.tick()
    expect((await bench.store.findSession(FIRST))?.phase).toBe(phase)
  },
)
