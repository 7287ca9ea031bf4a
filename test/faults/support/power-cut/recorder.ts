import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** Every call that changes a file, a name or what is durable, and the ends of both kinds of acknowledgement. */
const TRACED_CALLS = [
  ...['open', 'openat', 'creat', 'mkdir', 'mkdirat', 'rmdir', 'unlink', 'unlinkat'],
  ...['rename', 'renameat', 'renameat2', 'link', 'linkat', 'symlink', 'symlinkat'],
  ...['write', 'writev', 'pwrite64', 'pwritev', 'ftruncate', 'truncate', 'fallocate', 'copy_file_range', 'sendfile'],
  ...['fsync', 'fdatasync', 'sync_file_range'],
]

/** Longer than any single write of the product; a longer one is cut by strace, which the parser refuses. */
const MAX_DATA_BYTES = 4_194_304

const ARGUMENTS = ['-f', '-xx', '-y', '-s', String(MAX_DATA_BYTES), '-e', 'signal=none']

/** Why nothing can be recorded here; undefined when it can. */
export function whyNoRecording(): string | undefined {
  if (process.platform !== 'linux') return `strace exists on Linux, and this is ${process.platform}`
  const tried = spawnSync('strace', [...ARGUMENTS, '-e', 'trace=write', '-o', '/dev/null', '/bin/true'])
  if (tried.error !== undefined) return 'strace is not installed'
  if (tried.status !== 0) return `strace may not trace here: ${tried.stderr.toString('utf8').trim()}`
  return undefined
}

/** With a filter in the kernel, calls that are not traced cost nothing; strace has it since 5.3. */
function speedUps(): readonly string[] {
  const tried = spawnSync('strace', ['-f', '--seccomp-bpf', '-e', 'trace=write', '-o', '/dev/null', '/bin/true'])
  return tried.status === 0 ? ['--seccomp-bpf'] : []
}

export interface TracedProgram {
  readonly command: readonly string[]
  readonly input?: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

export interface TracedResult {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

interface Command extends Partial<TracedProgram> {
  /** Written before the program starts. */
  readonly mark?: string
  /** Written when it has ended. */
  readonly end?: string
}

/** One strace, under which everything in a recording runs. */
export class Recorder {
  readonly traceFile: string
  readonly marksFile: string
  readonly #strace: ChildProcessByStdio<Writable, Readable, null>
  readonly #waiting = new Map<number, (result: TracedResult) => void>()
  #commands = 0

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.traceFile = join(folder, 'trace')
    this.marksFile = join(folder, 'marks')
    const program = [process.execPath, join(import.meta.dirname, 'traced-runner.mjs'), this.marksFile]
    const trace = ['-e', `trace=${TRACED_CALLS.join(',')}`, '-o', this.traceFile]
    this.#strace = spawn('strace', [...speedUps(), ...ARGUMENTS, ...trace, ...program], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    createInterface({ input: this.#strace.stdout }).on('line', (line) => {
      const { n, ...result }: TracedResult & { n: number } = JSON.parse(line)
      this.#waiting.get(n)?.(result)
      this.#waiting.delete(n)
    })
  }

  send(command: Command): Promise<TracedResult> {
    this.#commands += 1
    const n = this.#commands
    return new Promise((resolve) => {
      this.#waiting.set(n, resolve)
      this.#strace.stdin.write(`${JSON.stringify({ n, ...command })}\n`)
    })
  }

  async mark(text: string): Promise<void> {
    await this.send({ mark: text })
  }

  /** Resolves when every traced process is gone and the trace is complete. */
  async close(): Promise<void> {
    const closed = once(this.#strace, 'close')
    this.#strace.stdin.end()
    await closed
  }
}
