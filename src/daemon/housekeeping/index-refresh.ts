import { spawn } from 'node:child_process'
import { lstat } from 'node:fs/promises'
import { availableParallelism, constants, loadavg, setPriority } from 'node:os'
import { join } from 'node:path'
import { INDEX_JSON, INDEX_MARKDOWN } from '../../codemap/project-index.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'

/** Nobody asked the daemon anything for this long: whoever is at work is thinking, or reading. */
const QUIET_MS = 20_000
/** A project whose sessions never pause is served all the same, at low priority. */
const MAX_PERIODS_LATE = 6
const MAX_CHILD_MS = 10 * 60_000

export interface IndexRefreshDeps {
  /** Projects that were worked on lately: their top folders. */
  readonly roots: () => Promise<readonly string[]>
  /** How often this one's pair may be made anew; 0 is never. */
  readonly refreshMsOf: (root: string) => Promise<number>
  readonly hasPair: (root: string) => Promise<boolean>
  /** Makes the pair anew if it is due for it, outside this process. Ends early when asked to. */
  readonly refresh: (root: string, signal: AbortSignal) => Promise<void>
  /** How long ago somebody last asked the daemon for something. */
  readonly quietMs: () => number
  readonly isMachineBusy: () => boolean
  readonly clock: Pick<Clock, 'monotonicMs'>
}

export interface IndexRefresh {
  /** Begins with at most one project that is due, when it is quiet enough. Resolves once that is over. */
  run(): Promise<void>
  /** Ends what is under way. */
  stop(): void
}

/**
 * Keeps index pairs true that the operator asked for once. A root is first due one period after it was first seen: the
 * operator's own run was just now, or the next session's briefing says how old the index is.
 */
export function createIndexRefresh(deps: IndexRefreshDeps): IndexRefresh {
  const lastMs = new Map<string, number>()
  const ending = new AbortController()
  let isRunning = false

  async function firstDue(): Promise<string | undefined> {
    const nowMs = deps.clock.monotonicMs()
    const roots = new Set(await deps.roots())
    for (const root of lastMs.keys()) if (!roots.has(root)) lastMs.delete(root)
    const isQuiet = deps.quietMs() >= QUIET_MS && !deps.isMachineBusy()
    for (const root of roots) {
      const refreshMs = await deps.refreshMsOf(root)
      if (refreshMs === 0 || !(await deps.hasPair(root))) continue
      const waitedMs = nowMs - (lastMs.get(root) ?? nowMs)
      if (!lastMs.has(root)) lastMs.set(root, nowMs)
      if (waitedMs >= refreshMs * MAX_PERIODS_LATE || (isQuiet && waitedMs >= refreshMs)) return root
    }
    return undefined
  }

  return {
    async run() {
      if (isRunning || ending.signal.aborted) return
      isRunning = true
      try {
        const root = await firstDue()
        if (root === undefined || ending.signal.aborted) return
        // One that fails waits its turn like the others.
        await deps.refresh(root, ending.signal).finally(() => lastMs.set(root, deps.clock.monotonicMs()))
      } finally {
        isRunning = false
      }
    },
    stop: () => ending.abort(),
  }
}

/** More is running than there are cores. Always false where the system does not tell. */
export function isMachineBusy(): boolean {
  return (loadavg()[0] ?? 0) > availableParallelism()
}

export async function hasPair(root: string): Promise<boolean> {
  const facts = await Promise.all(
    [INDEX_MARKDOWN, INDEX_JSON].map((name) => lstat(join(root, name)).catch(() => undefined)),
  )
  return facts.every((fact) => fact?.isFile() === true)
}

/** `holdfast index --refresh` in a process of its own: parsing takes memory, ranking takes the thread, and neither is the daemon's to give. */
export function refreshByProgram({
  program,
  log,
}: {
  /** `bin/holdfast`. */
  readonly program: string
  readonly log: Pick<Log, 'info' | 'warn'>
}): IndexRefreshDeps['refresh'] {
  return (root, signal) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [program, 'index', root, '--refresh', '--json'], {
        cwd: root,
        stdio: 'ignore',
        windowsHide: true,
        signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_CHILD_MS)]),
        killSignal: 'SIGKILL',
      })
      // Too late for a child that is gone already; nothing else keeps us from it.
      const yieldToOthers = (pid: number) => {
        try {
          setPriority(pid, constants.priority.PRIORITY_LOW)
        } catch {
          return
        }
      }
      if (child.pid !== undefined) yieldToOthers(child.pid)
      child.on('error', (error) => {
        if (!signal.aborted) log.warn('an index was not made anew', { root, error: error.message })
        resolve()
      })
      child.on('exit', (code) => {
        if (code !== null) log.info('looked whether an index is out of date', { root, exitStatus: code })
        resolve()
      })
    })
}
