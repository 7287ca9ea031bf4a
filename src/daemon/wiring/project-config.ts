import type { Config } from '../../kernel/config.ts'
import { getErrorMessage } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'
import { BoundedMap } from '../../kernel/structures/bounded-map.ts'

const FRESH_MS = 10_000
const MAX_KNOWN = 200

interface ProjectConfigPorts {
  /** Used where no project overrides it. */
  readonly config: Config
  readonly load: (worktree: string) => Config
  /** When the project's own file was last written; undefined if there is none. */
  readonly readStamp: (worktree: string) => number | undefined
  readonly clock: Clock
  readonly log: Log
}

interface KnownConfig {
  readonly config: Config
  readonly readMs: number
  readonly stamp: number | undefined
}

/**
 * The configuration of each worktree. It is read again when the project's own file was written, because `holdfast off` must
 * hold for the next event, and after a few seconds, because the user's file may have changed.
 */
export function createProjectConfig({ config, load, readStamp, clock, log }: ProjectConfigPorts) {
  const known = new BoundedMap<string, KnownConfig>(MAX_KNOWN)

  function read(worktree: string): Config {
    try {
      return load(worktree)
    } catch (error) {
      // The user's file became unreadable: use its last content.
      log.warn('configuration not readable', { error: getErrorMessage(error) })
      return known.get(worktree)?.config ?? config
    }
  }

  return (worktree: string | undefined): Promise<Config> => {
    if (worktree === undefined) return Promise.resolve(config)
    const nowMs = clock.monotonicMs()
    const cached = known.get(worktree)
    const stamp = readStamp(worktree)
    const isFresh = cached !== undefined && nowMs - cached.readMs < FRESH_MS && stamp === cached.stamp
    if (isFresh) return Promise.resolve(cached.config)
    const fresh = { config: read(worktree), readMs: nowMs, stamp }
    known.set(worktree, fresh)
    return Promise.resolve(fresh.config)
  }
}
