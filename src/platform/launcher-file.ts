import { readFileSync, rmSync } from 'node:fs'
import { writeFileAtomic } from './files/atomic-file.ts'
import type { Home } from './base/home.ts'
import { cheapStartedAt, isAliveCheaply } from './process/proc-stat.ts'

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

function ticksOf(pid: number): string {
  return cheapStartedAt(pid)?.split(':')[1] ?? ''
}

/** Read in this order by launcher.sh. Pid and start time let it see that the port is still ours before it sends a prompt there. */
function format(target: LauncherTarget, socket: string): string {
  const { port, hookToken, pid, nodePath } = target
  return `${[FORMAT, port, hookToken, socket, pid, ticksOf(pid), nodePath].join('\n')}\n`
}

/** Tells launchers where the daemon is. Called once the daemon listens. */
export function writeLauncherFile(home: Home, target: LauncherTarget): void {
  writeFileAtomic(home.launcherFile, format(target, home.socket))
  rmSync(home.lateFile, { force: true })
}

/** At shutdown, so that the next hook goes straight to the Node client and starts a daemon. */
export function removeLauncherFile(home: Home): void {
  rmSync(home.launcherFile, { force: true })
}

/** Has launchers leave their payloads with a stand-in, which listens on `socket`. */
export function writeLateFile(home: Home, target: LauncherTarget & { readonly socket: string }): void {
  writeFileAtomic(home.lateFile, format(target, target.socket))
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    // Missing and unreadable come to the same: nobody has said where it is.
    return []
  }
}

/** The socket of the stand-in that launchers are sent to, if any. */
export function readLateSocket({ lateFile }: Pick<Home, 'lateFile'>): string | undefined {
  return linesOf(lateFile)[3]
}

/** Who is named in a launcher file; undefined where nobody is, or who is has ended. */
export function findTargetProcess(file: string): { readonly pid: number; readonly token: string } | undefined {
  const [written, , token = '', , pidText = '', ticks] = linesOf(file)
  const pid = Number(pidText)
  if (written !== FORMAT || !isAliveCheaply({ pid })) return undefined
  return ticks === ticksOf(pid) ? { pid, token } : undefined
}
