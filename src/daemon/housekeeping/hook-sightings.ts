import type { Clock, HookSighting, Store, Timers } from '../../kernel/ports/ports.ts'
import type { Background } from '../process/background.ts'
import { systemTimers } from '../process/timers.ts'

export type ObservedHook = Pick<HookSighting, 'harness' | 'harnessVersion' | 'hook'> & { readonly at: string }

const QUIET_MS = 5_000

export interface HookSightings {
  note(seen: ObservedHook): void
  /** Writes the pending counts. */
  flush(): void
}

interface HookSightingsPorts {
  readonly store: Pick<Store, 'recordSighting'>
  readonly background: Background
  readonly clock: Clock
  readonly timers?: Timers
}

/**
 * The first call of a hook is written at once, so that `doctor` sees it; calls within the next seconds are counted and
 * written together, because a disk sync for each would cost more than the events themselves.
 */
export function createHookSightings({
  store,
  background,
  clock,
  timers = systemTimers,
}: HookSightingsPorts): HookSightings {
  const hooks = new Map<string, { latest: ObservedHook; count: number; quietUntilMs: number }>()

  function write(hook: { latest: ObservedHook; count: number; quietUntilMs: number }): void {
    if (hook.count === 0) return
    const { latest, count } = hook
    hook.count = 0
    hook.quietUntilMs = clock.monotonicMs() + QUIET_MS
    background.follow('noting a sighting', store.recordSighting({ ...latest, count }))
  }

  return {
    note(seen) {
      const key = JSON.stringify([seen.harness, seen.harnessVersion, seen.hook])
      const hook = hooks.get(key) ?? { latest: seen, count: 0, quietUntilMs: -Infinity }
      hooks.set(key, hook)
      hook.latest = seen
      hook.count += 1
      if (clock.monotonicMs() >= hook.quietUntilMs) write(hook)
      else if (hook.count === 1) timers.after(QUIET_MS, () => write(hook))
    },
    flush() {
      for (const hook of hooks.values()) write(hook)
    },
  }
}
