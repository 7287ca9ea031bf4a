import { Worker } from 'node:worker_threads'
import type { Log, Store } from '../../kernel/ports/ports.ts'
import {
  fromWire,
  type WorkerCall,
  type Close,
  type FromWorker,
  type StoreMethod,
  type WorkerReply,
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
  call<Value>(method: StoreMethod, args: readonly unknown[]): Promise<Value>
  close(): Promise<void>
}

const GONE = {
  ok: false,
  error: {
    code: 'store-unavailable',
    message: 'The store stopped before it answered.',
    hint: 'Try again: it restarts with the next call. The daemon log says why it stopped.',
  },
} as const

function startThread({ workerFile, log, ...settings }: WorkerStoreOptions): Thread {
  const worker = new Worker(workerFile, { workerData: settings, name: 'store' })
  const waiting = new Map<number, (reply: WorkerReply<never>) => void>()
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
  const post = (message: WorkerCall<StoreMethod, readonly unknown[]> | Close) => worker.postMessage(message, [])

  return {
    opened,
    isGone: () => hasExited,
    call: (method, args) =>
      new Promise((resolve, reject) => {
        if (hasExited) return reject(fromWire(GONE.error))
        const id = nextId++
        // First, because a value that cannot be cloned throws here, and then no reply will come.
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

/** The store in its own thread, so that a slow query does not block the thread that serves requests. */
export async function openWorkerStore(options: WorkerStoreOptions): Promise<Store> {
  let current = start()
  let isClosed = false

  async function start(): Promise<Thread> {
    const thread = startThread(options)
    await thread.opened
    return thread
  }

  /** A thread that died or never opened is replaced by the next call. */
  async function liveThread(): Promise<Thread> {
    const tried = current
    const thread = await tried.catch(() => undefined)
    if (thread !== undefined && (isClosed || !thread.isGone())) return thread
    if (tried === current) current = start()
    return await current
  }

  async function call<Value>(method: StoreMethod, args: readonly unknown[]): Promise<Value> {
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
    findSessionsByPrefix: (...args) => call('findSessionsByPrefix', args),
    saveLabels: (...args) => call('saveLabels', args),
    findIds: (...args) => call('findIds', args),
    saveDraft: (...args) => call('saveDraft', args),
    listDrafts: (...args) => call('listDrafts', args),
    deleteDraft: (...args) => call('deleteDraft', args),
    pruneDrafts: (...args) => call('pruneDrafts', args),
    archivedSeq: (...args) => call('archivedSeq', args),
    addToArchive: (...args) => call('addToArchive', args),
    searchArchive: (...args) => call('searchArchive', args),
    erase: (...args) => call('erase', args),
    pruneArchive: (...args) => call('pruneArchive', args),
    listSessions: (...args) => call('listSessions', args),
    markInterrupted: (...args) => call('markInterrupted', args),
    noteObserved: (...args) => call('noteObserved', args),
    saveCheckpoint: (...args) => call('saveCheckpoint', args),
    findCheckpoint: (...args) => call('findCheckpoint', args),
    listCheckpoints: (...args) => call('listCheckpoints', args),
    listCheckpointHeads: (...args) => call('listCheckpointHeads', args),
    deleteCheckpoint: (...args) => call('deleteCheckpoint', args),
    pruneCheckpoints: (...args) => call('pruneCheckpoints', args),
    saveMemory: (...args) => call('saveMemory', args),
    replaceMemory: (...args) => call('replaceMemory', args),
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
    pageInjections: (...args) => call('pageInjections', args),
    saveStartOutcomes: (...args) => call('saveStartOutcomes', args),
    listStartOutcomes: (...args) => call('listStartOutcomes', args),
    pruneLedgers: (...args) => call('pruneLedgers', args),
    recordSighting: (...args) => call('recordSighting', args),
    listSightings: (...args) => call('listSightings', args),
    saveProject: (...args) => call('saveProject', args),
    saveKeyword: (...args) => call('saveKeyword', args),
    listProjects: (...args) => call('listProjects', args),
    listLocations: (...args) => call('listLocations', args),
    saveLocation: (...args) => call('saveLocation', args),
    pruneLocations: (...args) => call('pruneLocations', args),
    listRepositoryProjects: (...args) => call('listRepositoryProjects', args),
    hasProjectData: (...args) => call('hasProjectData', args),
    saveRules: (...args) => call('saveRules', args),
    listRules: (...args) => call('listRules', args),
    listSyncEntries: (...args) => call('listSyncEntries', args),
    writeSyncEntries: (...args) => call('writeSyncEntries', args),
    forgetSyncSpace: (...args) => call('forgetSyncSpace', args),
    saveIntent: (...args) => call('saveIntent', args),
    completeIntents: (...args) => call('completeIntents', args),
    listIntents: (...args) => call('listIntents', args),
    saveEntity: (...args) => call('saveEntity', args),
    deleteEntities: (...args) => call('deleteEntities', args),
    listEntities: (...args) => call('listEntities', args),
    saveSummary: (...args) => call('saveSummary', args),
    listSummaries: (...args) => call('listSummaries', args),
    savePhase: (...args) => call('savePhase', args),
    findPhase: (...args) => call('findPhase', args),
    saveChecklistRecords: (...args) => call('saveChecklistRecords', args),
    listChecklistRecords: (...args) => call('listChecklistRecords', args),
    findVersions: (...args) => call('findVersions', args),
    saveVersions: (...args) => call('saveVersions', args),
    listDeleted: (...args) => call('listDeleted', args),
    saveReceivedSession: (...args) => call('saveReceivedSession', args),
    saveReceivedIntent: (...args) => call('saveReceivedIntent', args),
    findRule: (...args) => call('findRule', args),
    findIntent: (...args) => call('findIntent', args),
    findSummary: (...args) => call('findSummary', args),
    findDraft: (...args) => call('findDraft', args),
    findEntity: (...args) => call('findEntity', args),
    listOwnEntities: (...args) => call('listOwnEntities', args),
    deleteLocation: (...args) => call('deleteLocation', args),
    listProjectIds: (...args) => call('listProjectIds', args),
    listSessionsOfCheckpointsOnly: (...args) => call('listSessionsOfCheckpointsOnly', args),
    saveTakenWork: (...args) => call('saveTakenWork', args),
    findTakenWork: (...args) => call('findTakenWork', args),
    deleteTakenWork: (...args) => call('deleteTakenWork', args),
    saveMachine: (...args) => call('saveMachine', args),
    listMachines: (...args) => call('listMachines', args),
    saveTombstone: (...args) => call('saveTombstone', args),
    listTombstones: (...args) => call('listTombstones', args),
    findErased: (...args) => call('findErased', args),
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
