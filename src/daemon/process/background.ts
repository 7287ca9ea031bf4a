import { messageOf } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/ports/ports.ts'

/** Work that goes on after its answer was sent; counted, so that shutting down can wait for it. */
export interface Background {
  /** Follows the promise to its end; a failure is logged under `name`. */
  follow(name: string, work: Promise<unknown>): void
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
}

export function createBackground(log: Log): Background {
  const running = new Set<Promise<void>>()
  return {
    follow(name, work) {
      const entry: Promise<void> = work
        .then(
          () => undefined,
          (error: unknown) => log.error(`${name} failed`, { error: messageOf(error) }),
        )
        .finally(() => running.delete(entry))
      running.add(entry)
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
