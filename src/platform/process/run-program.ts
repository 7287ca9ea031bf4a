import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { killGroup } from './process-group.ts'

export interface ProgramRun {
  /** Absent when it did not end by itself. */
  readonly exitStatus?: number
  readonly endedBy?: 'timeout' | 'signal' | 'not-started'
  /** The end of what it printed, both streams as they came. */
  readonly output: string
}

export interface ProgramRequest {
  /** The program and its arguments, each as it is; or a line that the user's shell reads. */
  readonly command: readonly string[] | string
  readonly cwd: string
  /** Our own unless told. */
  readonly env?: NodeJS.ProcessEnv
  readonly timeoutMs: number
  readonly keptChars?: number
}

/** What it printed is there as soon as it ended; whoever holds the streams longer is none of its own. */
const LAST_OUTPUT_MS = 2_000

function start({ command, cwd, env }: ProgramRequest): ChildProcessByStdio<null, Readable, Readable> {
  const [program = '', ...args] = typeof command === 'string' ? [command] : command
  return spawn(program, args, {
    shell: typeof command === 'string',
    cwd,
    ...(env !== undefined && { env }),
    // A group of its own, so that a time limit ends its children too.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
}

/** Runs a program to its end; what it leaves behind ends with it. Never throws. */
export async function runProgram(request: ProgramRequest): Promise<ProgramRun> {
  const { timeoutMs, keptChars = 2_000 } = request
  let output = ''
  const ending = await new Promise<Omit<ProgramRun, 'output'>>((resolve) => {
    const fail = (message: string) => {
      output += message
      resolve({ endedBy: 'not-started' })
    }
    let child: ReturnType<typeof start>
    try {
      child = start(request)
    } catch (thrown) {
      return fail(String(thrown))
    }
    const timer = setTimeout(() => {
      resolve({ endedBy: 'timeout' })
      killGroup(child.pid)
    }, timeoutMs)
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output = (output + chunk).slice(-keptChars)
      })
    child.on('error', (error) => {
      clearTimeout(timer)
      fail(error.message)
    })
    // Not `close` alone: a daemon that the command left behind would hold the streams open for ever.
    child.on('exit', (code) => {
      clearTimeout(timer)
      killGroup(child.pid)
      const end = () => resolve(code === null ? { endedBy: 'signal' } : { exitStatus: code })
      const lastOutput = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
        end()
      }, LAST_OUTPUT_MS)
      child.on('close', () => {
        clearTimeout(lastOutput)
        end()
      })
    })
  })
  return { ...ending, output }
}
