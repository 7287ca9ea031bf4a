import { Worker } from 'node:worker_threads'
import type { Log, Store } from '../../kernel/ports/ports.ts'
import {
  fromWire,
  type Call,
  type Close,
  type FromWorker,
  type Method,
  type Reply,
  type WorkerSettings,
} from './worker-protocol.ts'

export interface WorkerStoreOptions extends WorkerSettings {
  readonly workerFile: URL | string
  readonly log?: Log
}

/** One worker thread and the calls it has not answered. */
interface Thread {
  readonly opened: Promise<void>
  readonly isGone: () => boolean
  call<Value>(method: Method, args: readonly unknown[]): Promise<Value>
  close(): Promise<void>
}

const GONE = {
  ok: false,
  error: {
    code: 'store-unavailable',
    message: 'The store stopped before it answered.',
    hint: 'Try again: it starts anew with the next call. The daemon log says why it stopped.',
  },
} as const

function startThread({ workerFile, log, ...settings }: WorkerStoreOptions): Thread {
  const worker = new Worker(workerFile, { workerData: settings, name: 'store' })
  const waiting = new Map<number, (reply: Reply<never>) => void>()
  let nextId = 1
  let hasExited = false
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', (code) => {
      hasExited = true
      if (code !== 0) log?.error('The store thread stopped.', { code, unanswered: waiting.size })
      for (const answer of waiting.values()) answer(GONE)
      resolve()
    })
  })
  worker.on('error', (error) => log?.error('The store thread failed.', { error: error.message }))
  const opened = new Promise<void>((resolve, reject) => {
    worker.on('message', (message: FromWorker<never>) => {
      switch (message.kind) {
        case 'ready':
          return resolve()
        case 'not-opened':
          return reject(fromWire(message.error))
        case 'reply':
          waiting.get(message.id)?.(message.reply)
          waiting.delete(message.id)
          return
        case 'log':
          log?.[message.level](message.message, { ...message.fields })
          return
      }
    })
    void exited.then(() => reject(fromWire(GONE.error)))
  })
  const post = (message: Call<Method, readonly unknown[]> | Close) => worker.postMessage(message, [])

  return {
    opened,
    isGone: () => hasExited,
    call: (method, args) =>
      new Promise((resolve, reject) => {
        if (hasExited) return reject(fromWire(GONE.error))
        const id = nextId++
        // First, because a value that cannot be cloned throws here, and nobody must then wait for its reply.
        post({ kind: 'call', id, method, args })
        waiting.set(id, (reply) => {
          if (reply.ok) resolve(reply.value)
          else reject(fromWire(reply.error))
        })
      }),
    close: async () => {
      if (hasExited) return
      post({ kind: 'close' })
      await exited
    },
  }
}

/** The store in a thread of its own, so that no query, however slow, holds up the thread that answers the world. */
export async function openWorkerStore(options: WorkerStoreOptions): Promise<Store> {
  let current = start()
  let isClosed = false

  async function start(): Promise<Thread> {
    const thread = startThread(options)
    await thread.opened
    return thread
  }

  /** A thread that died, or never opened, is replaced by the next call. */
  async function liveThread(): Promise<Thread> {
    const tried = current
    const thread = await tried.catch(() => undefined)
    if (thread !== undefined && (isClosed || !thread.isGone())) return thread
    if (tried === current) current = start()
    return await current
  }

  async function call<Value>(method: Method, args: readonly unknown[]): Promise<Value> {
    return await (await liveThread()).call<Value>(method, args)
  }

  await current
  return {
    describe: (...args) => call('describe', args),
    append: (...args) => call('append', args),
    listEvents: (...args) => call('listEvents', args),
    knownEvents: (...args) => call('knownEvents', args),
    lastSeq: (...args) => call('lastSeq', args),
    pruneEvents: (...args) => call('pruneEvents', args),
    findSession: (...args) => call('findSession', args),
    findSessionsByKey: (...args) => call('findSessionsByKey', args),
    listSessions: (...args) => call('listSessions', args),
    markInterrupted: (...args) => call('markInterrupted', args),
    noteObserved: (...args) => call('noteObserved', args),
    keepCheckpoint: (...args) => call('keepCheckpoint', args),
    findCheckpoint: (...args) => call('findCheckpoint', args),
    listCheckpoints: (...args) => call('listCheckpoints', args),
    deleteCheckpoint: (...args) => call('deleteCheckpoint', args),
    pruneCheckpoints: (...args) => call('pruneCheckpoints', args),
    keepMemory: (...args) => call('keepMemory', args),
    findMemory: (...args) => call('findMemory', args),
    listMemories: (...args) => call('listMemories', args),
    searchMemories: (...args) => call('searchMemories', args),
    searchWork: (...args) => call('searchWork', args),
    recordHits: (...args) => call('recordHits', args),
    deleteMemory: (...args) => call('deleteMemory', args),
    saveWork: (...args) => call('saveWork', args),
    findWork: (...args) => call('findWork', args),
    recordInjection: (...args) => call('recordInjection', args),
    listInjections: (...args) => call('listInjections', args),
    keepReceipts: (...args) => call('keepReceipts', args),
    listReceipts: (...args) => call('listReceipts', args),
    pruneLedgers: (...args) => call('pruneLedgers', args),
    recordSighting: (...args) => call('recordSighting', args),
    listSightings: (...args) => call('listSightings', args),
    keepProject: (...args) => call('keepProject', args),
    keepKeyword: (...args) => call('keepKeyword', args),
    listProjects: (...args) => call('listProjects', args),
    listLocations: (...args) => call('listLocations', args),
    keepLocation: (...args) => call('keepLocation', args),
    pruneLocations: (...args) => call('pruneLocations', args),
    isProjectKept: (...args) => call('isProjectKept', args),
    keepIntent: (...args) => call('keepIntent', args),
    completeIntents: (...args) => call('completeIntents', args),
    listIntents: (...args) => call('listIntents', args),
    keepEntity: (...args) => call('keepEntity', args),
    deleteEntities: (...args) => call('deleteEntities', args),
    listEntities: (...args) => call('listEntities', args),
    keepSummary: (...args) => call('keepSummary', args),
    listSummaries: (...args) => call('listSummaries', args),
    keepPhase: (...args) => call('keepPhase', args),
    findPhase: (...args) => call('findPhase', args),
    keepChecklistRecords: (...args) => call('keepChecklistRecords', args),
    listChecklistRecords: (...args) => call('listChecklistRecords', args),
    counts: (...args) => call('counts', args),
    verify: (...args) => call('verify', args),
    backup: (...args) => call('backup', args),
    [Symbol.asyncDispose]: async () => {
      isClosed = true
      const thread = await current.catch(() => undefined)
      await thread?.close()
    },
  }
}
