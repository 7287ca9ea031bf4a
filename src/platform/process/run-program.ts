import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { afterLastOutput } from './last-output.ts'
import { killGroup } from './process-end.ts'

export interface ProgramRun {
  /** Absent when it was killed. */
  readonly exitStatus?: number
  readonly endedBy?: 'timeout' | 'signal' | 'not-started'
  /** The end of its output, both streams interleaved. */
  readonly output: string
}

export interface ProgramRequest {
  /** The program and its arguments; or a line for the user's shell. */
  readonly command: readonly string[] | string
  readonly cwd: string
  /** Defaults to our own. */
  readonly env?: NodeJS.ProcessEnv
  readonly timeoutMs: number
  readonly keptChars?: number
}

function start({ command, cwd, env }: ProgramRequest): ChildProcessByStdio<null, Readable, Readable> {
  const [program = '', ...args] = typeof command === 'string' ? [command] : command
  return spawn(program, args, {
    shell: typeof command === 'string',
    cwd,
    env,
    // A separate group, so that a timeout kills its children too.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
}

/** Runs a program to its end and kills what it leaves running. Never throws. */
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
    child.on('exit', () => clearTimeout(timer))
    afterLastOutput(child, (code) => resolve(code === null ? { endedBy: 'signal' } : { exitStatus: code }))
  })
  return { ...ending, output }
}
