import { readFileSync, rmSync } from 'node:fs'
import { writeFileAtomic } from './files/atomic-file.ts'
import type { Home } from './base/home.ts'
import { cheapStartedAt, isAliveCheaply } from './process/proc-stat.ts'

export interface LauncherTarget {
  /** Loopback TCP port of `POST /hook/…`. */
  readonly port: number
  readonly hookToken: string
  readonly pid: number
  /** The Node that runs the daemon, for a launcher that falls back to the Node client. */
  readonly nodePath: string
}

/** The launcher refuses a file of another format and runs the Node client, which came with the daemon that wrote it. */
const FORMAT = 'holdfast 1'

function readTicks(pid: number): string {
  return cheapStartedAt(pid)?.split(':')[1] ?? ''
}

/** Read in this order by launcher.sh. Pid and start time let it check that the port is still ours before it sends a prompt. */
function format(target: LauncherTarget, socket: string): string {
  const { port, hookToken, pid, nodePath } = target
  return `${[FORMAT, port, hookToken, socket, pid, readTicks(pid), nodePath].join('\n')}\n`
}

/** Writes the daemon's address for launchers. Called once the daemon listens. */
export function writeLauncherFile(home: Home, target: LauncherTarget): void {
  writeFileAtomic(home.launcherFile, format(target, home.socket))
  rmSync(home.lateFile, { force: true })
}

/** Called at shutdown, so that the next hook runs the Node client and starts a daemon. */
export function removeLauncherFile(home: Home): void {
  rmSync(home.launcherFile, { force: true })
}

/** Redirects launchers to a stand-in that listens on `socket`. */
export function writeLateFile(home: Home, target: LauncherTarget & { readonly socket: string }): void {
  writeFileAtomic(home.lateFile, format(target, target.socket))
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    // Missing or unreadable: the address is unknown.
    return []
  }
}

/** The socket of the stand-in, if there is one. */
export function readLateSocket({ lateFile }: Pick<Home, 'lateFile'>): string | undefined {
  return readLines(lateFile)[3]
}

/** The process in a launcher file; undefined when there is none or it has ended. */
export function findTargetProcess(file: string): { readonly pid: number; readonly token: string } | undefined {
  const [written, , token = '', , pidText = '', ticks] = readLines(file)
  const pid = Number(pidText)
  if (written !== FORMAT || !isAliveCheaply({ pid })) return undefined
  return ticks === readTicks(pid) ? { pid, token } : undefined
}
