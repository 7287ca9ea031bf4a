import type { Config } from '../../kernel/config.ts'
import { messageOf } from '../../kernel/errors.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'

const FRESH_MS = 10_000
const MAX_KNOWN = 200

interface ProjectConfigDeps {
  /** What holds where no project says otherwise. */
  readonly config: Config
  readonly load: (worktree: string) => Config
  readonly clock: Clock
  readonly log: Log
}

/** The configuration of each worktree, read again after a few seconds: people edit it while sessions run. */
export function createProjectConfig({ config, load, clock, log }: ProjectConfigDeps) {
  const known = new Map<string, { readonly config: Config; readonly readMs: number }>()

  function read(worktree: string): Config {
    try {
      return load(worktree)
    } catch (error) {
      // The user's file broke while we run: what it said before is better than nothing.
      log.warn('configuration not readable', { error: messageOf(error) })
      return known.get(worktree)?.config ?? config
    }
  }

  return (worktree: string | undefined): Promise<Config> => {
    if (worktree === undefined) return Promise.resolve(config)
    const nowMs = clock.monotonicMs()
    const cached = known.get(worktree)
    if (cached !== undefined && nowMs - cached.readMs < FRESH_MS) return Promise.resolve(cached.config)
    if (known.size >= MAX_KNOWN) known.clear()
    const fresh = { config: read(worktree), readMs: nowMs }
    known.set(worktree, fresh)
    return Promise.resolve(fresh.config)
  }
}
