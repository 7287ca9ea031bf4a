import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { EventId, SessionKey } from '../../../../src/kernel/id.ts'
import { createSpool } from '../../../../src/spool/spool.ts'
import type { StoredEvent } from '../../../../src/kernel/event.ts'
import type { Store } from '../../../../src/kernel/ports/ports.ts'
import { openApp } from '../../../../src/daemon/wiring/open-app.ts'
import { startDaemon } from '../../../../src/daemon/start.ts'
import { systemClock } from '../../../../src/platform/base/clock.ts'
import { loadConfig } from '../../../../src/platform/config.ts'
import { createRedactors } from '../../../../src/platform/redactors.ts'
import { type Home, resolveHome } from '../../../../src/platform/base/home.ts'
import { openSqliteStore } from '../../../../src/storage/sqlite/engine.ts'
import { waitUntil } from '../../../support/product.ts'
import { rememberingLog } from '../../../support/recording-log.ts'
import { askJson, PATIENCE_MS, record } from '../daemon.ts'
import { allEvents, faultsIn } from '../log-check.ts'
import type { Acknowledgement } from './recording.ts'
import { rowName, type Setup } from './setup.ts'

const AFTERWARDS = 'written after the power came back'

export interface Image {
  readonly root: string
  readonly scene: Setup
  /** What was acknowledged before the power went. */
  readonly acknowledged: readonly Acknowledgement[]
}

interface Opened {
  readonly events: readonly StoredEvent[]
  readonly memories: readonly string[]
  /** What the store finds wrong with itself. */
  readonly findings: readonly unknown[]
  readonly errors: readonly string[]
}

/** The daemon as its program wires it, in this process; only the store's thread is left out, which is a bundle. */
async function openImage(home: Home, cwd: string): Promise<Opened> {
  const log = rememberingLog()
  const clock = systemClock
  const env = { HOLDFAST_HOME: home.root, HOLDFAST_DAEMON_PORT: '0' }
  const load = (from?: string) => loadConfig({ home, env, ...(from !== undefined && { cwd: from }) }).config
  const config = load()
  const redactors = createRedactors({ clock })
  const { databaseFile: file, backupDir, quarantineDir } = home
  // The daemon opens the store under its lock; what is asked of it directly here is asked while that daemon runs.
  const stores: Store[] = []
  const open = async () => {
    const store = await openSqliteStore({ file, backupDir, quarantineDir, log })
    stores.push(store)
    return openApp({ home, config, clock, log, loadConfig: load, redactors, store })
  }
  const started = await startDaemon({
    home,
    config,
    clock,
    log,
    openApp: open,
    tickMs: 0,
    shutdownLimitMs: PATIENCE_MS,
  })
  const [store] = stores
  const spool = createSpool({ home, log })
  if (started.kind !== 'started' || store === undefined) throw new Error(`a daemon already runs in ${home.root}`)
  let opened: Omit<Opened, 'errors'>
  try {
    await waitUntil(() => spool.backlog() === 0, 'the spool is replayed')
    const memories = await writeAndRemember(home, cwd)
    opened = { memories, events: await allEvents(store), findings: await store.verify() }
  } finally {
    await started.daemon.stop('the check is over')
  }
  return { ...opened, errors: log.lines.filter(({ level }) => level === 'error').map(({ message }) => message) }
}

async function writeAndRemember(home: Home, cwd: string): Promise<readonly string[]> {
  const seqs = await record(home.root, [
    {
      kind: 'prompt-submitted',
      id: EventId('event-after-the-cut'),
      harness: 'claude-code',
      sessionKey: SessionKey('afterwards'),
      at: systemClock.now(),
      door: 'api',
      cwd,
      prompt: AFTERWARDS,
    },
  ])
  if (seqs === undefined) throw new Error('an event after the power cut was refused')
  const path = `/api/memories?limit=500&cwd=${encodeURIComponent(cwd)}`
  const { memories } = await askJson<{ memories: { content: string }[] }>(home.root, { path })
  return memories.map(({ content }) => content)
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

function fileFaults({ root, scene, acknowledged }: Image): readonly string[] {
  return acknowledged.flatMap(({ name }) => {
    const path = name.startsWith('file ') ? name.slice('file '.length) : undefined
    if (path === undefined) return []
    const file = join(root, path)
    if (!existsSync(file)) return [`${path} was acknowledged and is lost`]
    const hash = createHash('sha256').update(readFileSync(file)).digest('hex')
    return hash === scene.files.get(path) ? [] : [`${path} was acknowledged and has other bytes`]
  })
}

function memoryFaults(memories: readonly string[], acknowledged: readonly Acknowledgement[]): readonly string[] {
  return acknowledged.flatMap(({ name }) => {
    if (!name.startsWith('memory ')) return []
    const copies = memories.filter((content) => content === name.slice('memory '.length)).length
    return copies === 1 ? [] : [`${name} was acknowledged and is there ${copies} times`]
  })
}

/** Opens what a power cut left with the product's own daemon, and says in sentences what is wrong with it. */
export async function faultsOf(image: Image): Promise<readonly string[]> {
  const { root, scene, acknowledged } = image
  const home = resolveHome({ HOLDFAST_HOME: join(root, relative(scene.root, scene.home)) })
  // Before anything is opened: what the daemon would write again must be there without it.
  const files = fileFaults(image)
  const { events, memories, findings, errors } = await openImage(home, join(scene.root, 'project'))
  const rows = events.map(({ seq, event }) => ({ seq, id: rowName(event), session: event.sessionKey }))
  const ofCommands = rows.filter(({ session }) => !scene.sessions.has(session)).map(({ id }) => id)
  const seqOf = new Map(rows.map(({ id, seq }) => [id, seq]))
  const promised = acknowledged
    .filter(({ name }) => scene.attempted.has(name))
    .map(({ name, seq }) => [name, seq ?? seqOf.get(name) ?? 0] as const)
  return [
    ...files,
    ...errors.map((message) => `the daemon logged: ${message}`),
    ...memoryFaults(memories, acknowledged),
    ...faultsIn(rows, { acknowledged: new Map(promised), attempted: new Set([...scene.attempted, ...ofCommands]) }),
    ...findings.map((finding) => `the store says: ${JSON.stringify(finding)}`),
    ...namesIn(home.quarantineDir).map((name) => `${name} is in quarantine`),
    ...namesIn(home.deadSpoolDir).map((name) => `${name} was set aside`),
  ]
}
