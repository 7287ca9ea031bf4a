import { spawn } from 'node:child_process'
import type { VerificationRun } from '../core/checklist.ts'
import type { Clock } from '../core/ports.ts'

export interface VerificationRequest {
  /** What the person at the keyboard wrote or said yes to; it goes to their shell as it is. */
  readonly command: string
  readonly expect?: string
  readonly cwd: string
  readonly timeoutMs: number
  readonly clock: Clock
}

/** Searched for the expected text; of this, the end is kept. */
const MAX_OUTPUT_BYTES = 1_000_000
const KEPT_CHARS = 1_500

type Ending = Pick<VerificationRun, 'exitStatus' | 'endedBy'>

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It ended by itself between the deadline and now.
  }
}

/** Runs the command in a shell and says what came of it. Never throws: a command that cannot start has failed. */
export async function runVerification(request: VerificationRequest): Promise<VerificationRun> {
  const { command, expect, cwd, timeoutMs, clock } = request
  const at = clock.now()
  const startedMs = clock.monotonicMs()
  let output = ''
  const ending = await new Promise<Ending>((resolve) => {
    const child = spawn(command, {
      shell: true,
      cwd,
      // A group of its own, so that a time limit ends its children too.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const timer = setTimeout(() => {
      resolve({ endedBy: 'timeout' })
      killGroup(child.pid)
    }, timeoutMs)
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output = (output + chunk).slice(-MAX_OUTPUT_BYTES)
      })
    child.on('error', (error) => {
      clearTimeout(timer)
      output += error.message
      resolve({ endedBy: 'not-started' })
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve(code === null ? { endedBy: 'signal' } : { exitStatus: code })
    })
  })
  const isMatched = expect === undefined ? undefined : output.includes(expect)
  return {
    command,
    ok: ending.exitStatus === 0 && isMatched !== false,
    ...ending,
    ...(expect !== undefined && { expect }),
    ...(isMatched !== undefined && { isMatched }),
    output: output.slice(-KEPT_CHARS),
    at,
    durationMs: Math.round(clock.monotonicMs() - startedMs),
  }
}
