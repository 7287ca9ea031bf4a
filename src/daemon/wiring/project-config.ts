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
  readonly clock: Clock
  readonly log: Log
}

/** The configuration of each worktree, read again after a few seconds: people edit it while sessions run. */
export function createProjectConfig({ config, load, clock, log }: ProjectConfigPorts) {
  const known = new BoundedMap<string, { readonly config: Config; readonly readMs: number }>(MAX_KNOWN)

  function read(worktree: string): Config {
    try {
      return load(worktree)
    } catch (error) {
      // The user's file became unreadable: use what it said before.
      log.warn('configuration not readable', { error: getErrorMessage(error) })
      return known.get(worktree)?.config ?? config
    }
  }

  return (worktree: string | undefined): Promise<Config> => {
    if (worktree === undefined) return Promise.resolve(config)
    const nowMs = clock.monotonicMs()
    const cached = known.get(worktree)
    if (cached !== undefined && nowMs - cached.readMs < FRESH_MS) return Promise.resolve(cached.config)
    const fresh = { config: read(worktree), readMs: nowMs }
    known.set(worktree, fresh)
    return Promise.resolve(fresh.config)
  }
}
