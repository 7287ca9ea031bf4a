import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalAgentApi } from '../../src/app/agent-api.ts'
import { type Config, DEFAULT_CONFIG } from '../../src/kernel/config.ts'
import type { ContinuityApp } from '../../src/app/create-continuity.ts'
import { HoldfastError } from '../../src/kernel/errors.ts'
import type { SessionEvent } from '../../src/kernel/event.ts'
import { EventId, ProjectId, SessionKey } from '../../src/kernel/id.ts'
import type { Announcement, Clock, Log } from '../../src/kernel/ports/ports.ts'
import { advance, type Session } from '../../src/kernel/session.ts'
import { type Home, resolveHome } from '../../src/platform/base/home.ts'
import type { App } from '../../src/daemon/wiring/app.ts'
import type { DaemonOptions } from '../../src/daemon/start.ts'

/** Shaped like a token of a code host, and none. */
export const FAKE_SECRET = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')

export interface FakeClock extends Clock {
  advance(ms: number): void
}

export function fakeClock(): FakeClock {
  let ms = 0
  return {
    now: () => new Date(Date.UTC(2026, 0, 1) + ms).toISOString(),
    monotonicMs: () => ms,
    advance(by) {
      ms += by
    },
  }
}

export interface MemoryLog extends Log {
  readonly lines: readonly string[]
}

export function memoryLog(): MemoryLog {
  const lines: string[] = []
  const write = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    void lines.push(JSON.stringify({ level, message, ...fields }))
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

export function aStart(key = 'session-1', id = `start-of-${key}`): SessionEvent {
  return {
    kind: 'session-started',
    id: EventId(id),
    harness: 'claude-code',
    sessionKey: SessionKey(key),
    at: '2026-01-01T00:00:00.000Z',
    door: 'api',
    source: 'startup',
  }
}

export function aSession(event: SessionEvent = aStart(), seq = 1): Session {
  return advance(undefined, event, { seq, cadence: { promptInterval: 10, timeIntervalMs: 900_000 } }).session
}

export interface FakeContinuityApp extends ContinuityApp {
  /** Names of the calls so far. */
  readonly calls: readonly string[]
  readonly recorded: readonly SessionEvent[]
  announce(announcement: Announcement): void
}

/** Records its calls and returns minimal answers. */
export function fakeContinuityApp(overrides: Partial<ContinuityApp> = {}): FakeContinuityApp {
  const calls: string[] = []
  const recorded: SessionEvent[] = []
  const listeners = new Set<(announcement: Announcement) => void>()
  const notHere = (): Promise<never> => Promise.reject(new HoldfastError('not-found', 'There is none.'))
  const record: ContinuityApp['record'] = async (event) => {
    const isNew = !recorded.some(({ id }) => id === event.id)
    if (isNew) recorded.push(event)
    return { seq: recorded.length, isNew, session: aSession(event, recorded.length) }
  }
  const engine: ContinuityApp = {
    record,
    recordNote: record,
    recordAll: (events) => Promise.all(events.map(record)),
    inject: async () => undefined,
    confirmInjection: async () => undefined,
    checkpoint: async () => undefined,
    listCheckpoints: async () => [],
    getCheckpoint: notHere,
    deleteCheckpoint: notHere,
    labelSession: notHere,
    readSession: async () => [],
    reopenCommand: notHere,
    find: async () => ({ hits: [], facets: { project: [], harness: [], kind: [], month: [] }, isComplete: true }),
    erase: notHere,
    getMemory: notHere,
    editMemory: notHere,
    forgetMemories: async () => [],
    restoreMemories: async () => [],
    listDrafts: async () => [],
    reviewDraft: notHere,
    recoverUnrecorded: async () => '',
    findWork: async () => undefined,
    readTranscript: async () => undefined,
    listCheckpointHeads: async () => [],
    previewRecovery: async () => ({ text: '', sources: [], reasons: [], offered: [] }),
    listSessions: async () => [],
    getSession: notHere,
    explain: notHere,
    listEvents: async ({ afterSeq = 0, isNewestFirst = false }) => {
      const events = recorded.map((event, index) => ({ seq: index + 1, event, hash: '' }))
      return isNewestFirst ? events.slice(-1) : events.filter(({ seq }) => seq > afterSeq)
    },
    stats: async () => ({
      projects: [],
      receipts: [],
      digests: { requests: 0, followed: 0, startsWith: { starts: 0 }, startsWithout: { starts: 0 } },
      pendingSessions: 0,
      scorer: { isEnabled: false, sections: [] },
    }),
    sessionReceipts: async () => [],
    listRemovals: async () => ({ removals: [], scanned: 0 }),
    tokenUsage: async () => ({ days: [], sessionsRead: 0, sessionsSkipped: 0 }),
    hindsight: async () => [],
    ledger: async () => ({
      entries: [],
      totals: { injections: 0, chars: 0, estimatedTokens: 0, lineCount: 0, usedCount: 0 },
    }),
    remember: notHere,
    recall: async () => [],
    listMemories: async () => [],
    forget: notHere,
    listRules: async () => [],
    addRule: notHere,
    changeRule: notHere,
    importHistory: async () => ({ standing: 'absent', upTo: 0, kept: 0 }),
    exportRecords: notHere,
    importRecords: notHere,
    readTeam: notHere,
    listTeamSessions: notHere,
    takeWork: notHere,
    undoTakeWork: notHere,
    shareMemory: notHere,
    receiveHandoff: notHere,
    locate: async (cwd) => ({ projectId: ProjectId('p'), project: cwd, projectNormalized: cwd, worktree: cwd }),
    sightings: async () => [],
    counts: async () => ({ events: recorded.length, sessions: 0, checkpoints: 0, memories: 0 }),
    tick: async () => undefined,
    liveSessions: async () => 0,
    noteClock: () => undefined,
    drain: async () => undefined,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    ...overrides,
  }
  const watched = new Proxy(engine, {
    get(target, name, receiver) {
      if (typeof name === 'string' && name !== 'subscribe') calls.push(name)
      return Reflect.get(target, name, receiver)
    },
  })
  return Object.assign(Object.create(watched), {
    calls,
    recorded,
    announce: (announcement: Announcement) => listeners.forEach((listener) => listener(announcement)),
  })
}

/** Knows no project, and answers with next to nothing. */
export function fakeAgentApi(overrides: Partial<LocalAgentApi> = {}): LocalAgentApi {
  const notHere = (): Promise<never> => Promise.reject(new HoldfastError('not-found', 'There is none.'))
  return {
    registerProject: notHere,
    listProjects: async () => [],
    addProjectKeyword: notHere,
    resolveProject: notHere,
    recordIntent: notHere,
    completeIntent: notHere,
    listIntents: async () => [],
    findConflicts: async () => [],
    listObservedEdits: async () => [],
    registerEntity: notHere,
    listEntities: async () => [],
    forgetEntity: async () => 0,
    saveSummary: notHere,
    checkClaims: async () => [],
    recentSessions: notHere,
    searchHistory: async () => [],
    readChecklist: async () => undefined,
    markItem: notHere,
    verifyItem: notHere,
    saveNamed: notHere,
    listNamed: async () => [],
    resumeNamed: notHere,
    deleteNamed: notHere,
    autosave: async () => ({ isWritten: false, because: 'there is nothing to save' }),
    saveItemRecord: async () => undefined,
    listItemRecords: async () => [],
    briefing: notHere,
    setPhase: async () => undefined,
    findPhase: async () => undefined,
    ...overrides,
  }
}

function fakeTasks(): App['tasks'] {
  const none = (): Promise<never> => Promise.reject(new HoldfastError('not-found', 'There is no such task.'))
  return {
    list: async () => [],
    create: none,
    show: none,
    enterGate: none,
    checkpoint: none,
    block: none,
    unblock: none,
    finish: none,
    verify: none,
    repair: none,
    timeline: none,
  }
}

function fakeSync(): App['sync'] {
  const none = (): Promise<never> => Promise.reject(new HoldfastError('not-found', 'There is no such space.'))
  return {
    addSpace: none,
    removeSpace: none,
    acceptMachine: none,
    runSync: none,
    syncStatus: async () => ({ machine: { id: 'm', name: 'desk' }, spaces: [] }),
    tick: async () => undefined,
    noteChange: () => undefined,
    stop: async () => undefined,
  }
}

export function fakeBackend(
  engine: ContinuityApp = fakeContinuityApp(),
  store: Partial<App['store']> = {},
  agentApi: LocalAgentApi = fakeAgentApi(),
): App {
  return {
    continuity: engine,
    agentApi,
    tasks: fakeTasks(),
    sync: fakeSync(),
    findRefusal: () => undefined,
    findDegradedTask: async () => undefined,
    canRunCommands: false,
    usePiecesFile: () => undefined,
    chooseTools: () => 'all',
    store: { lastSeq: async () => 0, recordSighting: async () => undefined, ...store },
    close: async () => undefined,
  }
}

export interface TestHome extends AsyncDisposable {
  readonly home: Home
}

export function temporaryHome(): TestHome {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-daemon-'))
  return {
    home: resolveHome({ HOLDFAST_HOME: join(root, 'home') }),
    [Symbol.asyncDispose]: async () => rmSync(root, { recursive: true, force: true }),
  }
}

export function daemonOptions(home: Home, more: Partial<DaemonOptions> = {}): DaemonOptions {
  const config: Config = DEFAULT_CONFIG
  return {
    home,
    config,
    clock: fakeClock(),
    log: memoryLog(),
    openApp: async () => fakeBackend(),
    tickMs: 0,
    ...more,
  }
}

export interface RawReply {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Sends bytes as they are, so that a head no client library would write can be tried. */
export function sendRaw(to: { readonly port: number } | { readonly path: string }, bytes: string): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const socket = connect('port' in to ? { host: '127.0.0.1', port: to.port } : to)
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    // Closed on us while we were still sending: what counts is whether an answer came first.
    socket.on('error', (error) => {
      if (text === '') reject(error)
    })
    socket.on('close', () => {
      const [head = '', ...body] = text.split('\r\n\r\n')
      resolve({ status: Number(head.split(' ')[1] ?? 0), head, body: body.join('\r\n\r\n') })
    })
    socket.write(bytes)
  })
}

export interface RequestParts {
  readonly method?: string
  readonly target?: string
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: string
}

/** One request on one connection. */
export function requestBytes({ method = 'GET', target = '/', headers = [], body = '' }: RequestParts): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  const length = body === '' && method === 'GET' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}${length}Connection: close\r\n\r\n${body}`
}
