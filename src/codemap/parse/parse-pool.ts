import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { HoldfastError } from '../../kernel/errors.ts'
import { detectLanguage } from './languages.ts'
import type { CodeFacts } from '../../kernel/code-facts.ts'
import type { FileSymbols } from './symbol.ts'

/** Files for a worker, with the hash of the cached content. */
export interface ParseBatch {
  readonly files: readonly {
    readonly path: string
    readonly file: string
    readonly knownHash?: string
    /** Read what the functions, comments and literals show, instead of the definitions. */
    readonly isInspected?: boolean
  }[]
}

export interface ParsedFile {
  readonly path: string
  /** Absent when the file could not be read. */
  readonly contentHash?: string
  /** Absent when the content is unchanged. */
  readonly facts?: FileSymbols
  /** Of an inspected file; absent when it is binary, generated, or took too long. */
  readonly code?: CodeFacts
}

export interface WorkerSetup {
  readonly grammarsDir: string
}

/** Sent once, when the grammars are loaded. */
export const READY = 'ready'

export interface PoolOptions extends WorkerSetup {
  /** The built `parse-worker.ts`. */
  readonly workerFile: string
  readonly maxWorkers?: number
  /** A worker that does not answer for longer is terminated, and the file that it hung on is skipped. */
  readonly maxBatchMs?: number
  readonly onParsed?: (done: number) => void
}

type Job = ParseBatch['files'][number]

const BATCH_FILES = 24
const MAX_WORKERS = 8
const MAX_BATCH_MS = 60_000
const MAX_START_MS = 30_000
/** Starting a worker and loading its grammars costs about as much as parsing this many files. */
const FILES_PER_WORKER = 250

async function startWorker({ workerFile, grammarsDir }: PoolOptions): Promise<Worker> {
  // Errors of the WebAssembly runtime must not reach the user's terminal.
  const worker = new Worker(workerFile, {
    workerData: { grammarsDir } satisfies WorkerSetup,
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  // An error after a batch was abandoned would otherwise end the process.
  worker.on('error', () => undefined)
  const signal = AbortSignal.timeout(MAX_START_MS)
  try {
    const [first] = await Promise.race([once(worker, 'message', { signal }), once(worker, 'exit', { signal })])
    if (first !== READY) throw new Error(`The parser exited, or its first message was ${String(first)}.`)
    return worker
  } catch (cause) {
    await worker.terminate()
    throw new HoldfastError('internal', 'The source parser did not start.', {
      hint: 'Its files are missing or damaged: install Holdfast again (in a checkout, run `npm run build`).',
      cause,
    })
  }
}

/** Runs one batch on the worker; undefined when the worker died or did not answer. */
function runBatch(worker: Worker, files: readonly Job[], maxMs: number): Promise<readonly ParsedFile[] | undefined> {
  return new Promise((resolve) => {
    const settle = (parsed?: readonly ParsedFile[]) => {
      clearTimeout(timer)
      worker.off('message', settle).off('error', fail).off('exit', fail)
      resolve(parsed)
    }
    const fail = () => settle()
    const timer = setTimeout(fail, maxMs)
    worker.on('message', settle).on('error', fail).on('exit', fail)
    worker.postMessage({ files } satisfies ParseBatch, [])
  })
}

/** Grouped by language: workers that start at different ends load few of the same grammars. */
function toBatches(jobs: readonly Job[]): (readonly Job[])[] {
  const sorted = jobs
    .map((job) => ({ job, grammar: detectLanguage(job.path)?.grammar ?? '' }))
    .toSorted((a, b) => (a.grammar < b.grammar ? -1 : Number(a.grammar > b.grammar)))
    .map(({ job }) => job)
  const batches: (readonly Job[])[] = []
  for (let at = 0; at < sorted.length; at += BATCH_FILES) batches.push(sorted.slice(at, at + BATCH_FILES))
  return batches
}

/** Parses all jobs, results in any order. A file that kills or hangs a worker counts as unreadable; the others are not lost. */
export async function parseFiles(jobs: readonly Job[], options: PoolOptions): Promise<readonly ParsedFile[]> {
  const { maxBatchMs = MAX_BATCH_MS } = options
  const queue = toBatches(jobs)
  const results: ParsedFile[] = []
  const take = (parsed: readonly ParsedFile[]) => {
    results.push(...parsed)
    options.onParsed?.(results.length)
  }

  async function work(_: unknown, number: number): Promise<void> {
    const next = () => (number % 2 === 0 ? queue.pop() : queue.shift())
    let worker = await startWorker(options)
    try {
      for (let batch = next(); batch !== undefined; batch = next()) {
        const parsed = await runBatch(worker, batch, maxBatchMs)
        if (parsed !== undefined) {
          take(parsed)
          continue
        }
        await worker.terminate()
        worker = await startWorker(options)
        if (batch.length === 1) take(batch.map(({ path }) => ({ path })))
        else queue.push(...batch.map((job) => [job]))
      }
    } finally {
      await worker.terminate()
    }
  }

  const cores = Math.min(options.maxWorkers ?? MAX_WORKERS, availableParallelism())
  const count = Math.max(1, Math.min(cores, Math.ceil(jobs.length / FILES_PER_WORKER)))
  if (jobs.length > 0) await Promise.all(Array.from({ length: count }, work))
  return results
}
