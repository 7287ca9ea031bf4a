import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { ProcessRef } from '../../kernel/event.ts'
import { PS, systemProcesses } from './processes.ts'

interface ProcessAncestor {
  readonly parent: number
  readonly argv: readonly string[]
}

const MAX_STEPS = 16
const SHELL = /^-?(?:ba|da|a|z|k|c|tc|fi)?sh$/
const WRAPPER = /^(?:env|npm|npx|pnpm|pnpx|yarn|bunx|corepack|timeout|nohup|setsid|stdbuf)(?: |$)/

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** A wrapper that ends with its command: `sh -c …`, npx, timeout. Its caller is the real parent. */
export function isPassing(argv: readonly string[]): boolean {
  const [program = '', ...args] = argv
  if (SHELL.test(lastName(program))) return args.some((arg) => /^-[a-z]*c$/.test(arg))
  if (WRAPPER.test(lastName(program))) return true
  return args.length > 0 && /(?:^|\/)(?:npm|npx)(?:-cli\.js)?$/.test(args[0] ?? '')
}

function fromProc(pid: number): ProcessAncestor {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  return { parent, argv: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1) }
}

function fromPs(pid: number): ProcessAncestor {
  const answer = execFileSync(PS, ['-o', 'ppid=,args=', '-p', String(pid)], {
    env: { LC_ALL: 'C' },
    timeout: 1_000,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [parent = '', ...argv] = answer.trim().split(/\s+/)
  return { parent: Number(parent), argv }
}

function look(pid: number): ProcessAncestor | undefined {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid)
  } catch {
    // It has ended meanwhile, or belongs to another user.
    return undefined
  }
}

/** The nearest long-lived ancestor: a terminal's shell, a script, a harness. Undefined when it cannot be determined. */
export function findLastingAncestor(start: number = process.ppid): ProcessRef | undefined {
  if (process.platform === 'win32') return undefined
  let pid = start
  for (let step = 0; step < MAX_STEPS && pid > 1; step += 1) {
    const found = look(pid)
    if (found === undefined) return undefined
    if (!isPassing(found.argv)) {
      const startedAt = systemProcesses.startedAt(pid)
      return startedAt === undefined ? undefined : { pid, startedAt }
    }
    pid = found.parent
  }
  return undefined
}

/** What a harness sets for the programs that it runs. */
export const SESSION_MARKS =
  /^(?:CLAUDECODE|CLAUDE_CODE_(?:ENTRYPOINT|SESSION_ID|SSE_PORT)|CODEX_THREAD_ID|GEMINI_(?:CLI|SESSION_ID)|OPENCODE|OPENCODE_PID)$/

/** Whether one of these processes started this one, directly or not. */
export function isStartedBy(pids: ReadonlySet<number>, start: number = process.ppid): boolean {
  let pid = start
  for (let step = 0; step < MAX_STEPS && pid > 1; step += 1) {
    if (pids.has(pid)) return true
    pid = look(pid)?.parent ?? 0
  }
  return false
}
