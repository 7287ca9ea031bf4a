import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { PS } from '../../../platform/process/processes.ts'

/** One running process. Zombies are left out. */
export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** 0 if the system does not report it. */
  readonly session: number
  /** Distinguishes a process from a later one with the same pid. */
  readonly startedAt: string
  /** CPU time in hundredths of a second. */
  readonly cpu: number
}

const HAS_PROC = process.platform === 'linux' && existsSync('/proc/self/stat')

/** Reads `/proc/<pid>/stat`; the command's name may itself hold spaces and parentheses. */
export function parseStatRow(pid: number, text: string): ProcessRow | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const number = (at: number) => Number(fields[at])
  const startedAt = fields[19]
  if (startedAt === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined
  const cpu = number(11) + number(12)
  return { pid, parent: number(1), group: number(2), session: number(3), startedAt, cpu }
}

function readRow(pid: number): ProcessRow | undefined {
  try {
    return parseStatRow(pid, readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    // It has ended.
    return undefined
  }
}

function isOurs(pid: number, uid: number | undefined): boolean {
  try {
    return uid === undefined || uid === 0 || statSync(`/proc/${pid}`).uid === uid
  } catch {
    return false
  }
}

function listProcRows(): readonly ProcessRow[] {
  const uid = process.getuid?.()
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    if (!Number.isInteger(pid) || !isOurs(pid, uid)) return []
    const row = readRow(pid)
    return row === undefined ? [] : [row]
  })
}

const PS_COLUMNS = ['pid=', 'ppid=', 'pgid=', 'stat=', 'time=', 'lstart=']

/** `1:02.34` on macOS, `1-02:03:04` on Linux; returns hundredths of a second. */
function parseCpuTime(time: string): number {
  const [clock = '', days = '0'] = time.split('-').toReversed()
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return Math.round((Number(days) * 86_400 + seconds) * 100)
}

/** One line of `ps -o pid=,ppid=,pgid=,stat=,time=,lstart=`. */
export function parsePsRow(line: string): ProcessRow | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+([\d:.-]+)\s+(.+?)\s*$/.exec(line)
  if (match === null || match[4]?.startsWith('Z') === true) return undefined
  const [, pid, parent, group, , time = '', startedAt = ''] = match
  const cpu = parseCpuTime(time)
  return { pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, startedAt, cpu }
}

function listPsRows(): readonly ProcessRow[] {
  const answer = execFileSync(PS, ['-A', ...PS_COLUMNS.flatMap((column) => ['-o', column])], {
    env: { LC_ALL: 'C', TZ: 'UTC' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 16_000_000,
  })
  return answer.split('\n').flatMap((line) => {
    const row = parsePsRow(line)
    return row === undefined ? [] : [row]
  })
}

/** Every running process that this user may signal. */
export function listProcesses(): readonly ProcessRow[] {
  return HAS_PROC ? listProcRows() : listPsRows()
}

/** The process as it is now; undefined when it has ended. */
export function findProcess(pid: number): ProcessRow | undefined {
  return HAS_PROC ? readRow(pid) : listPsRows().find((row) => row.pid === pid)
}
