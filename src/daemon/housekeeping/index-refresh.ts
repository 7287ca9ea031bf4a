import { spawn } from 'node:child_process'
import { lstat } from 'node:fs/promises'
import { availableParallelism, constants, loadavg, setPriority } from 'node:os'
import { join } from 'node:path'
import { INDEX_JSON, INDEX_MARKDOWN } from '../../codemap/project-index.ts'
import type { Clock, Log } from '../../kernel/ports/ports.ts'

/** Without a request for this long, the machine counts as idle. */
const QUIET_MS = 20_000
/** A project whose sessions never pause is refreshed after this many periods, at low priority. */
const MAX_PERIODS_LATE = 6
const MAX_CHILD_MS = 10 * 60_000

export interface IndexRefreshPorts {
  /** Root folders of recently used projects. */
  readonly roots: () => Promise<readonly string[]>
  /** How often the index pair of a root may be refreshed; 0 is never. */
  readonly getRefreshMs: (root: string) => Promise<number>
  readonly hasPair: (root: string) => Promise<boolean>
  /** Refreshes the pair in another process, if it is out of date. Ends early when aborted. */
  readonly refresh: (root: string, signal: AbortSignal) => Promise<void>
  /** Time since the last request. */
  readonly quietMs: () => number
  readonly isMachineBusy: () => boolean
  readonly clock: Pick<Clock, 'monotonicMs'>
}

export interface IndexRefresh {
  /** Refreshes at most one due project, when the machine is idle. Resolves when that is done. */
  run(): Promise<void>
  /** Aborts a running refresh. */
  stop(): void
}

/**
 * Refreshes index pairs that the operator created once. A root is first due one period after it was first seen: either the
 * operator has just run the index, or the next briefing reports how old it is.
 */
export function createIndexRefresh(ports: IndexRefreshPorts): IndexRefresh {
  const lastMs = new Map<string, number>()
  const ending = new AbortController()
  let isRunning = false

  async function findDueRoot(): Promise<string | undefined> {
    const nowMs = ports.clock.monotonicMs()
    const roots = new Set(await ports.roots())
    for (const root of lastMs.keys()) if (!roots.has(root)) lastMs.delete(root)
    const isQuiet = ports.quietMs() >= QUIET_MS && !ports.isMachineBusy()
    for (const root of roots) {
      const refreshMs = await ports.getRefreshMs(root)
      if (refreshMs === 0 || !(await ports.hasPair(root))) continue
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
        const root = await findDueRoot()
        if (root === undefined || ending.signal.aborted) return
        // A failed refresh also waits a whole period.
        await ports.refresh(root, ending.signal).finally(() => lastMs.set(root, ports.clock.monotonicMs()))
      } finally {
        isRunning = false
      }
    },
    stop: () => ending.abort(),
  }
}

/** More processes run than there are cores. Always false where the system does not report its load. */
export function isMachineBusy(): boolean {
  return (loadavg()[0] ?? 0) > availableParallelism()
}

export async function hasPair(root: string): Promise<boolean> {
  const facts = await Promise.all(
    [INDEX_MARKDOWN, INDEX_JSON].map((name) => lstat(join(root, name)).catch(() => undefined)),
  )
  return facts.every((fact) => fact?.isFile() === true)
}

/** Runs `holdfast index --refresh` as a process: parsing needs memory and ranking blocks the thread. */
export function refreshByProgram({
  program,
  log,
}: {
  /** `bin/holdfast`. */
  readonly program: string
  readonly log: Pick<Log, 'info' | 'warn'>
}): IndexRefreshPorts['refresh'] {
  return (root, signal) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [program, 'index', root, '--refresh', '--json'], {
        cwd: root,
        stdio: 'ignore',
        windowsHide: true,
        signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_CHILD_MS)]),
        killSignal: 'SIGKILL',
      })
      // Fails only for a child that has ended already.
      const lowerPriority = (pid: number) => {
        try {
          setPriority(pid, constants.priority.PRIORITY_LOW)
        } catch {
          return
        }
      }
      if (child.pid !== undefined) lowerPriority(child.pid)
      child.on('error', (error) => {
        if (!signal.aborted) log.warn('index not refreshed', { root, error: error.message })
        resolve()
      })
      child.on('exit', (code) => {
        if (code !== null) log.info('index checked', { root, exitStatus: code })
        resolve()
      })
    })
}
