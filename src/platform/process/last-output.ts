import type { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import { killGroup } from './process-end.ts'

interface StartedProgram extends EventEmitter {
  readonly pid?: number | undefined
  readonly stdout: Readable | null
  readonly stderr: Readable | null
}

/** How long to wait for output after a program ended; a stream that stays open longer belongs to another process. */
const LAST_OUTPUT_MS = 2_000

/** Calls `end` once the program has exited, what it left running in its group is killed, and its output is complete. */
export function afterLastOutput(
  child: StartedProgram,
  end: (code: number | null, signal: NodeJS.Signals | null) => void,
): void {
  // Not `close` alone: a daemon that the program left running would hold the streams open forever.
  child.on('exit', (code, signal) => {
    killGroup(child.pid)
    const lastOutput = setTimeout(() => {
      child.stdout?.destroy()
      child.stderr?.destroy()
      end(code, signal)
    }, LAST_OUTPUT_MS)
    child.on('close', () => {
      clearTimeout(lastOutput)
      end(code, signal)
    })
  })
}
