import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { HoldfastError } from '../../kernel/errors.ts'
import { languageOf } from './languages.ts'
import { type ParseBatch, type ParsedFile, READY, type WorkerSetup } from './parse-message.ts'

export interface PoolOptions extends WorkerSetup {
  /** The built `parse-worker.ts`. */
  readonly workerFile: string
  readonly maxWorkers?: number
  /** A worker that is silent for longer is ended, and the file that it hung on left out. */
  readonly maxBatchMs?: number
  readonly onParsed?: (done: number) => void
}

type Job = ParseBatch['files'][number]

const BATCH_FILES = 24
const MAX_WORKERS = 8
const MAX_BATCH_MS = 60_000
const MAX_START_MS = 30_000
/** Starting a worker and warming its grammars up costs about as much as reading so many files. */
const FILES_PER_WORKER = 250

async function startWorker({ workerFile, grammarsDir }: PoolOptions): Promise<Worker> {
  // What the WebAssembly runtime has to say when it fails is no line for the user's terminal.
  const worker = new Worker(workerFile, {
    workerData: { grammarsDir } satisfies WorkerSetup,
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  // An error that comes after a batch was given up would otherwise end the process.
  worker.on('error', () => undefined)
  const signal = AbortSignal.timeout(MAX_START_MS)
  try {
    const [first] = await Promise.race([once(worker, 'message', { signal }), once(worker, 'exit', { signal })])
    if (first !== READY) throw new Error(`It ended or began with ${String(first)}.`)
    return worker
  } catch (cause) {
    await worker.terminate()
    throw new HoldfastError('internal', 'The source parser did not start.', {
      hint: 'Its files are missing or damaged: install Holdfast again (in a checkout, run `npm run build`).',
      cause,
    })
  }
}

/** Runs one batch on the worker; undefined when the worker died of it or did not come back. */
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

/** One language after the other: workers that begin at different ends load few of the same grammars. */
function batchesOf(jobs: readonly Job[]): (readonly Job[])[] {
  const sorted = jobs
    .map((job) => ({ job, grammar: languageOf(job.path)?.grammar ?? '' }))
    .toSorted((a, b) => (a.grammar < b.grammar ? -1 : Number(a.grammar > b.grammar)))
    .map(({ job }) => job)
  const batches: (readonly Job[])[] = []
  for (let at = 0; at < sorted.length; at += BATCH_FILES) batches.push(sorted.slice(at, at + BATCH_FILES))
  return batches
}

/** Every job's answer, in any order. A file that kills or hangs a worker is answered as unreadable; the others are not lost. */
export async function parseFiles(jobs: readonly Job[], options: PoolOptions): Promise<readonly ParsedFile[]> {
  const { maxBatchMs = MAX_BATCH_MS } = options
  const queue = batchesOf(jobs)
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
