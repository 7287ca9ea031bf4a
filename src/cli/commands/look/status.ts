import { HoldfastError } from '../../../kernel/errors.ts'
import type { StoredCheckpoint } from '../../../kernel/checkpoint.ts'
import type { StoreCounts } from '../../../kernel/ports/ports.ts'
import type { Session } from '../../../kernel/session.ts'
import { showStoreUrl } from '../../../redaction/store-address.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { VERSION } from '../../../platform/base/version.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand, CliContext } from '../../shared/command.ts'
import { findConfigFault } from '../../shared/config-fault.ts'
import { findHealth, type Health } from '../../shared/daemon-access.ts'
import { countWaiting, readConnections } from '../../doctor/checks.ts'
import { machineNames } from '../../shared/machine-of.ts'
import { type Connected, connectedLines, connectedOf } from '../../doctor/connected.ts'
import { describeLostHooks } from '../../doctor/lost-hooks.ts'
import { setupWorldOf } from '../../setup/setup-ports.ts'
import {
  age,
  type Colors,
  colorsOf,
  count,
  duration,
  oneLine,
  printable,
  printableName,
  printJson,
  table,
} from '../../shared/output.ts'

interface Kept {
  readonly counts: StoreCounts
  readonly live: readonly Session[]
  readonly lastCheckpoint: StoredCheckpoint | undefined
}

interface Status extends Partial<Kept> {
  readonly version: string
  readonly home: string
  /** Why the configuration cannot be read, and the way out; absent where it can. */
  readonly configFault?: { readonly code: string; readonly message: string; readonly hint?: string }
  /** Why the store is not used, and the way out; absent where it is. */
  readonly storeFault?: { readonly code: string; readonly message: string; readonly hint?: string }
  /** Absent where no configuration says which. */
  readonly store?: string
  readonly daemon: Health | undefined
  /** Events waiting in files, also while the daemon is away. */
  readonly spoolBacklog: number
  /** What a full disk left no room for; absent where nothing was lost. */
  readonly lostEvents?: string
  readonly connected: readonly Connected[]
  /** Why what is connected cannot be told, and the way out; absent where it can. */
  readonly manifestFault?: { readonly message: string; readonly hint: string }
}

/** The engine, without a password that its address may hold. */
function storeOf({ config, home }: CliContext): string {
  const { url } = config.store
  if (url.startsWith('sqlite:')) return `SQLite, ${url === 'sqlite:' ? home.databaseFile : url.slice('sqlite:'.length)}`
  return `PostgreSQL, ${showStoreUrl(url)}`
}

async function keptOf(context: CliContext): Promise<Kept> {
  const continuity = await context.continuity()
  const place = await continuity.locate(context.cwd)
  const { projectId } = place
  const newestOf = async (worktree: string | undefined) =>
    worktree === undefined ? undefined : (await continuity.listCheckpoints({ projectId, worktree, limit: 1 }))[0]
  const [counts, live, here, before] = await Promise.all([
    continuity.counts(),
    continuity.listSessions({ phases: ['idle', 'working', 'compacting'], limit: 20 }),
    newestOf(place.worktree),
    newestOf(place.formerWorktree),
  ])
  return { counts, live, lastCheckpoint: here ?? before }
}

/** Somebody else's store is not asked; everything else about this home can be told all the same. */
async function keptUnlessRefused(context: CliContext): Promise<Partial<Kept> & Pick<Status, 'storeFault'>> {
  try {
    return await keptOf(context)
  } catch (thrown) {
    if (!(thrown instanceof HoldfastError) || thrown.code !== 'store-not-yours') throw thrown
    const { code, message, hint } = thrown
    return { storeFault: { code, message, ...(hint === undefined ? {} : { hint }) } }
  }
}

async function statusOf(context: CliContext): Promise<Status> {
  const { home } = context
  const waiting = countWaiting(home)
  const lostEvents = describeLostHooks(home)
  const fault = findConfigFault(context)
  // Without a configuration none can be started; one that runs has that of before.
  const canAsk = fault === undefined || (await findHealth(home)) !== undefined
  const kept = canAsk ? await keptUnlessRefused(context) : {}
  const daemon = canAsk ? await findHealth(home) : undefined
  const { records, fault: manifestFault } = readConnections(home)
  const { code, message, hint } = fault ?? {}
  return {
    version: VERSION,
    home: home.root,
    ...(code === undefined || message === undefined
      ? { store: storeOf(context) }
      : { configFault: { code, message, ...(hint === undefined ? {} : { hint }) } }),
    daemon,
    spoolBacklog: daemon?.spoolBacklog ?? waiting,
    ...(lostEvents !== undefined && { lostEvents }),
    ...kept,
    connected: records.map((record) => connectedOf(record, setupWorldOf(context))),
    ...(manifestFault === undefined ? {} : { manifestFault }),
  }
}

function checkpointLine(last: StoredCheckpoint | undefined, now: string): string {
  if (last === undefined) return 'none yet'
  const { checkpoint } = last
  return `${age(checkpoint.createdAt, now)}, ${checkpoint.trigger}: ${oneLine(checkpoint.summary, 80)}`
}

function daemonLine(daemon: Health | undefined): string {
  if (daemon === undefined) return 'not running'
  const { status, pid, version, uptimeMs, store } = daemon
  return `${status}, pid ${pid}, version ${version}, up ${duration(uptimeMs)}, store ${store}`
}

function nothingConnected({ manifestFault }: Status, { dim, red }: Colors): string {
  if (manifestFault === undefined) return dim('nothing; `holdfast init` connects a harness')
  return `${red('✗')} ${printable(manifestFault.message)} ${manifestFault.hint}`
}

function keptLine({ events, sessions, checkpoints, memories }: StoreCounts): string {
  return `${count(events, 'event')}, ${count(sessions, 'session')}, ${count(checkpoints, 'checkpoint')}, ${count(memories, 'memory', 'memories')}`
}

export const statusCommand: CliCommand = {
  name: 'status',
  summary: 'what is running, what is kept, what is connected',
  configure: () => undefined,
  async run({ options, context }) {
    const status = await statusOf(context)
    const exitCode = status.counts === undefined || status.configFault !== undefined ? 1 : 0
    if (isSet(options, 'json')) {
      printJson(context.io, status)
      return exitCode
    }
    const { bold, dim, red } = colorsOf(context.io)
    const now = systemClock.now()
    const whereOf = machineNames(context)
    const { configFault, storeFault, store, counts, live = [], connected } = status
    context.io.out(
      table([
        [bold('holdfast'), status.version],
        [bold('home'), printableName(status.home)],
        ...(configFault === undefined
          ? []
          : [
              [bold('config'), `${red('✗')} ${printable(configFault.message)}`],
              ['', dim(`${configFault.hint ?? ''} No daemon starts until then; events are kept in the spool.`.trim())],
            ]),
        [bold('daemon'), daemonLine(status.daemon)],
        ...(store === undefined ? [] : [[bold('store'), printableName(store)]]),
        ...(storeFault === undefined
          ? []
          : [
              ['', `${red('✗')} ${printable(storeFault.message)}`],
              ['', dim(`${storeFault.hint ?? ''} No daemon starts until then; events are kept in the spool.`.trim())],
            ]),
        ...(counts === undefined ? [] : [[bold('kept'), keptLine(counts)]]),
        [bold('spool'), status.spoolBacklog === 0 ? 'empty' : `${count(status.spoolBacklog, 'event')} waiting`],
        ...(status.lostEvents === undefined ? [] : [[bold('events'), `${red('✗')} ${printable(status.lostEvents)}`]]),
        ...(counts === undefined
          ? []
          : [[bold('here'), `last checkpoint ${checkpointLine(status.lastCheckpoint, now)}`]]),
        ...(connected.length === 0
          ? [[bold('connected'), nothingConnected(status, colorsOf(context.io))]]
          : connected.flatMap((known) =>
              connectedLines(known).map((line, index) => [index === 0 ? bold('connected') : '', line]),
            )),
        ...live.map((session) => [
          bold('live'),
          `${session.harness} ${printableName(session.key)}, ${session.phase}, ${age(session.lastEventAt, now)} ${dim(`${printableName(session.place?.worktree ?? '')}${whereOf(session)}`)}`,
        ]),
      ]),
    )
    return exitCode
  },
}
