import { getErrorMessage } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/ports/ports.ts'

/** Work that continues after its reply was sent, tracked so that the shutdown can wait for it. */
export interface Background {
  /** Follows the promise to its end; a failure is logged under `name`. */
  follow(name: string, work: Promise<unknown>): void
  /** Resolves when nothing is running. */
  settled(): Promise<void>
}

export function createBackground(log: Log): Background {
  const running = new Set<Promise<void>>()
  return {
    follow(name, work) {
      const entry: Promise<void> = work
        .then(
          () => undefined,
          (error: unknown) => log.error(`${name} failed`, { error: getErrorMessage(error) }),
        )
        .finally(() => running.delete(entry))
      running.add(entry)
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
