import { spawn } from 'node:child_process'

export interface ProgramRun {
  /** Absent when it did not end by itself. */
  readonly exitStatus?: number
  readonly endedBy?: 'timeout' | 'signal' | 'not-started'
  /** The end of what it printed, both streams as they came. */
  readonly output: string
}

export interface ProgramRequest {
  /** The program and its arguments, each as it is: no shell reads them. */
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
  readonly keptChars?: number
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It ended by itself between the deadline and now.
  }
}

/** Runs a program to its end, in a group of its own, so that a time limit ends its children too. Never throws. */
export async function runProgram(request: ProgramRequest): Promise<ProgramRun> {
  const { argv, cwd, env, timeoutMs, keptChars = 2_000 } = request
  const [program = '', ...args] = argv
  let output = ''
  const ending = await new Promise<Omit<ProgramRun, 'output'>>((resolve) => {
    const fail = (message: string) => {
      output += message
      resolve({ endedBy: 'not-started' })
    }
    let child
    try {
      child = spawn(program, args, {
        cwd,
        env,
        detached: process.platform !== 'win32',
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
      })
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
    // Not `close`: a daemon that the command left behind would hold the pipes open for ever.
    child.on('exit', (code) => {
      clearTimeout(timer)
      setImmediate(() => {
        killGroup(child.pid)
        resolve(code === null ? { endedBy: 'signal' } : { exitStatus: code })
      })
    })
  })
  return { ...ending, output }
}
