import { rmSync } from 'node:fs'
import { writeFileAtomic } from './atomic-file.ts'
import type { Home } from './home.ts'
import { cheapStartedAt } from './proc-stat.ts'

export interface LauncherTarget {
  /** Loopback TCP port of `POST /hook/…`. */
  readonly port: number
  readonly hookToken: string
  readonly pid: number
  /** The Node that runs the daemon, for a launcher that has to fall back to the Node client. */
  readonly nodePath: string
}

/** The launcher refuses a file of another format and leaves the work to the Node client, which came with the daemon that wrote it. */
const FORMAT = 'holdfast 1'

/**
 * Tells launchers where the daemon is. Called once the daemon listens; the lines are read in this order by launcher.sh.
 * Pid and start time let the launcher see that the port is still ours before it sends a prompt there.
 */
export function writeLauncherFile(home: Home, target: LauncherTarget): void {
  const startTicks = cheapStartedAt(target.pid)?.split(':')[1] ?? ''
  const lines = [FORMAT, target.port, target.hookToken, home.socket, target.pid, startTicks, target.nodePath]
  writeFileAtomic(home.launcherFile, `${lines.join('\n')}\n`)
  rmSync(home.lateFile, { force: true })
}

/** At shutdown, so that the next hook goes straight to the Node client and starts a daemon. */
export function removeLauncherFile(home: Home): void {
  rmSync(home.launcherFile, { force: true })
}
