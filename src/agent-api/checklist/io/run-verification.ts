import type { VerificationRun } from '../../../kernel/checklist.ts'
import type { Clock } from '../../../kernel/ports/ports.ts'
import { runProgram } from '../../../platform/process/run-program.ts'

export interface VerificationRequest {
  /** What the person at the keyboard wrote or said yes to; it goes to their shell as it is. */
  readonly command: string
  readonly expect?: string
  readonly cwd: string
  readonly timeoutMs: number
  readonly clock: Clock
}

/** Searched for the expected text; of this, the end is kept. */
const SEARCHED_CHARS = 1_000_000
const KEPT_CHARS = 1_500

/** Runs the command in a shell and says what came of it. Never throws: a command that cannot start has failed. */
export async function runVerification(request: VerificationRequest): Promise<VerificationRun> {
  const { command, expect, cwd, timeoutMs, clock } = request
  const at = clock.now()
  const startedMs = clock.monotonicMs()
  const { output, ...ending } = await runProgram({ command, cwd, timeoutMs, keptChars: SEARCHED_CHARS })
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
