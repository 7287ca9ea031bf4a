import { parentPort, workerData } from 'node:worker_threads'
import type { Log, Store } from '../../kernel/ports/ports.ts'
import { collectIdleMemory } from '../../platform/process/idle-memory.ts'
import { openSqliteStore } from './engine.ts'
import { fileEmbeddings } from '../rows/word-table-file.ts'
import {
  toWire,
  type WorkerCall,
  type Close,
  type FromWorker,
  type StoreMethod,
  type Methods,
  type WorkerSettings,
} from './worker-protocol.ts'

type CallOf<Name extends StoreMethod> = WorkerCall<Name, Parameters<Store[Name]>>

function post(message: FromWorker): void {
  parentPort?.postMessage(message, [])
}

function logAs(level: keyof Log): Log[keyof Log] {
  return (message, fields) => post({ kind: 'log', level, message, ...(fields && { fields }) })
}

const log: Log = { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') }

async function answer<Name extends StoreMethod>(methods: Methods, { id, method, args }: CallOf<Name>): Promise<void> {
  try {
    post({ kind: 'reply', id, reply: { ok: true, value: await methods[method](...args) } })
  } catch (thrown) {
    post({ kind: 'reply', id, reply: { ok: false, error: toWire(thrown) } })
  }
}

async function close(store: Store): Promise<void> {
  await store[Symbol.asyncDispose]()
  parentPort?.close()
}

async function main(): Promise<void> {
  try {
    const { wordTable, ...settings }: WorkerSettings = workerData
    const embeddings = wordTable === undefined ? undefined : fileEmbeddings(wordTable, log)
    const store = await openSqliteStore({ ...settings, log, embeddings })
    const memory = collectIdleMemory()
    parentPort?.on('message', (message: CallOf<StoreMethod> | Close) => {
      memory.touch()
      void (message.kind === 'call' ? answer(store, message) : close(store))
    })
    post({ kind: 'ready' })
  } catch (thrown) {
    post({ kind: 'not-opened', error: toWire(thrown) })
  }
}

void main()
