import { type ChildProcess, spawn } from 'node:child_process'
import { Belongings, type KnownProcess } from './run-processes.ts'
import { type GuardianLine, writeGuardianLine } from './guardian-line.ts'
import { markedFor, RUN_MARK } from './run-mark.ts'

export interface GuardOptions {
  readonly runId: string
  /** The guardian's bundle. */
  readonly script: string
  readonly env: NodeJS.ProcessEnv
}

const AGAIN_MS = 200
const MAX_AGAIN_MS = 30_000

/** What a guardian needs of the environment: nothing that would make it look like part of the run, or change how Node starts. */
function guardianEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { PATH: env.PATH, HOME: env.HOME, [RUN_MARK]: '' }
}

/** Everything a run starts, and a second process that ends it all when this one is gone. */
export class Guard implements Disposable {
  readonly belongings: Belongings
  readonly #options: GuardOptions
  readonly #told: GuardianLine[] = []
  #guardian: ChildProcess | undefined
  #isReleased = false
  #deaths = 0

  constructor(options: GuardOptions) {
    this.#options = options
    this.belongings = new Belongings({
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
    // Whether it could start is seen by its end, below.
    guardian.on('error', () => undefined)
    guardian.stdin.on('error', () => undefined)
    guardian.once('exit', () => {
      if (this.#isReleased) return
      // Somebody ended it: the run is not left without one. One that cannot start at all is tried ever more seldom.
      const pauseMs = Math.min(AGAIN_MS * 2 ** this.#deaths, MAX_AGAIN_MS)
      this.#deaths += 1
      setTimeout(() => this.#isReleased || this.#start(), pauseMs).unref()
    })
    guardian.unref()
    for (const line of this.#told) guardian.stdin.write(writeGuardianLine(line))
  }

  #tell(line: GuardianLine): void {
    this.#told.push(line)
    this.#guardian?.stdin?.write(writeGuardianLine(line))
  }

  /** To be told as soon as the process runs. */
  addLeader(seen: KnownProcess): void {
    this.belongings.addLeader(seen)
    this.#tell({ kind: 'leader', ...seen })
  }

  /** Looks at what runs, so that what lets go of everything later is still known, here and to the guardian. */
  look(): ReturnType<Belongings['look']> {
    const rows = this.belongings.look()
    for (const { pid, startedAt } of rows) {
      const isTold = this.#told.some((line) => line.pid === pid && line.startedAt === startedAt)
      if (!isTold && markedFor(pid, this.#options.runId) !== 'this') this.#tell({ kind: 'known', pid, startedAt })
    }
    return rows
  }

  /** The guardian looks once more, and goes. */
  [Symbol.dispose](): void {
    this.#isReleased = true
    this.#guardian?.stdin?.end()
  }
}
