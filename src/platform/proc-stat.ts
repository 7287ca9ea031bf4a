import { readFileSync } from 'node:fs'

interface ProcStat {
  readonly state: string
  readonly startTicks: string
}

/** Fields of `/proc/<pid>/stat` behind the command name, which may itself hold spaces and parentheses. */
export function parseProcStat(text: string): ProcStat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  return state === undefined || startTicks === undefined ? undefined : { state, startTicks }
}

export function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0 && pid <= 0x7fff_ffff
}

export function procStat(pid: number): ProcStat | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

/** Start time without starting another program: what a hook can afford. Linux only. */
export function cheapStartedAt(pid: number): string | undefined {
  if (process.platform !== 'linux' || !isPid(pid)) return undefined
  const stat = procStat(pid)
  return stat === undefined ? undefined : `${bootId()}:${stat.startTicks}`
}
