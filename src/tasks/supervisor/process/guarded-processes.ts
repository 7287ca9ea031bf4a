import { type ChildProcess, spawn } from 'node:child_process'
import {
  RunProcesses,
  type KnownProcess,
  type GuardianLine,
  writeGuardianLine,
  readRunMark,
  RUN_MARK,
} from './run-processes.ts'

export interface GuardedProcessesOptions {
  readonly runId: string
  /** The guardian's bundle. */
  readonly script: string
  readonly env: NodeJS.ProcessEnv
}

const AGAIN_MS = 200
const MAX_AGAIN_MS = 30_000

/** Without variables that would mark the guardian as part of the run or change how Node starts. */
function guardianEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { PATH: env.PATH, HOME: env.HOME, [RUN_MARK]: '' }
}

/** The processes of a run, and a guardian process that ends them if the supervisor dies. */
export class GuardedProcesses implements Disposable {
  readonly processes: RunProcesses
  readonly #options: GuardedProcessesOptions
  readonly #sent: GuardianLine[] = []
  #guardian: ChildProcess | undefined
  #isReleased = false
  #deaths = 0

  constructor(options: GuardedProcessesOptions) {
    this.#options = options
    this.processes = new RunProcesses({
      runId: options.runId,
      except: () => [process.pid, ...(this.#guardian?.pid === undefined ? [] : [this.#guardian.pid])],
    })
    this.#start()
  }

  get guardianPid(): number | undefined {
    return this.#guardian?.pid
  }

  #start(): void {
    const { script, runId, env } = this.#options
    const guardian = spawn(process.execPath, ['--max-semi-space-size=1', script, runId], {
      cwd: '/',
      env: guardianEnv(env),
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#guardian = guardian
    // A failed start is handled by `exit` below.
    guardian.on('error', () => undefined)
    guardian.stdin.on('error', () => undefined)
    guardian.once('exit', () => {
      if (this.#isReleased) return
      // Started again, with growing pauses if it cannot start at all.
      const pauseMs = Math.min(AGAIN_MS * 2 ** this.#deaths, MAX_AGAIN_MS)
      this.#deaths += 1
      setTimeout(() => this.#isReleased || this.#start(), pauseMs).unref()
    })
    guardian.unref()
    for (const line of this.#sent) guardian.stdin.write(writeGuardianLine(line))
  }

  #send(line: GuardianLine): void {
    this.#sent.push(line)
    this.#guardian?.stdin?.write(writeGuardianLine(line))
  }

  /** Call it as soon as the process runs. */
  addLeader(seen: KnownProcess): void {
    this.processes.addLeader(seen)
    this.#send({ kind: 'leader', ...seen })
  }

  /** Lists the running processes, so that one that detaches later is still known, here and to the guardian. */
  list(): ReturnType<RunProcesses['list']> {
    const rows = this.processes.list()
    for (const { pid, startedAt } of rows) {
      const isSent = this.#sent.some((line) => line.pid === pid && line.startedAt === startedAt)
      if (!isSent && readRunMark(pid, this.#options.runId) !== 'this') this.#send({ kind: 'known', pid, startedAt })
    }
    return rows
  }

  /** The guardian ends what is left, and exits. */
  [Symbol.dispose](): void {
    this.#isReleased = true
    this.#guardian?.stdin?.end()
  }
}
