import { HoldfastError } from '../../../kernel/errors.ts'
import type { StoredCheckpoint } from '../../../kernel/checkpoint.ts'
import type { StoreCounts } from '../../../kernel/ports/ports.ts'
import type { Session } from '../../../kernel/session.ts'
import { showStoreUrl } from '../../../redaction/store-address.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { loadConfig } from '../../../platform/config.ts'
import { VERSION } from '../../../platform/base/version.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand, CliContext } from '../../shared/command.ts'
import { findConfigFault, findHealth, type Health } from '../../shared/daemon-access.ts'
import { countWaiting, readConnections, describeLostHooks } from '../../doctor/checks.ts'
import { createMachineFormatter } from '../../shared/machine-name.ts'
import { type ConnectionReport, describeConnection, inspectConnection } from '../../doctor/connection.ts'
import { createSetupPorts } from '../../setup/setup-ports.ts'
import {
  formatAge,
  type Colors,
  getColors,
  count,
  oneLine,
  printable,
  printableName,
  printJson,
  SWITCHED_OFF,
  table,
} from '../../shared/output.ts'
import { formatDuration } from '../../../kernel/text/text.ts'

interface StoredState {
  readonly counts: StoreCounts
  readonly live: readonly Session[]
  readonly lastCheckpoint: StoredCheckpoint | undefined
}

interface Status extends Partial<StoredState> {
  readonly version: string
  readonly home: string
  /** Why the configuration cannot be read; absent when it can. */
  readonly configFault?: { readonly code: string; readonly message: string; readonly hint?: string }
  /** Settings that are ignored, and why; absent when none is. */
  readonly configWarnings?: readonly string[]
  /** Why the store cannot be used; absent when it can. */
  readonly storeFault?: { readonly code: string; readonly message: string; readonly hint?: string }
  /** Absent when the configuration cannot be read. */
  readonly store?: string
  readonly daemon: Health | undefined
  /** Events waiting in the spool, also while the daemon is not running. */
  readonly spoolBacklog: number
  /** Events lost because of a full disk; absent when none were. */
  readonly lostEvents?: string
  readonly connected: readonly ConnectionReport[]
  /** Why the manifest of connections cannot be read; absent when it can. */
  readonly manifestFault?: { readonly message: string; readonly hint: string }
}

/** The database and its address, without a password. */
function describeStore({ config, home }: CliContext): string {
  const { url } = config.store
  if (url.startsWith('sqlite:')) return `SQLite, ${url === 'sqlite:' ? home.databaseFile : url.slice('sqlite:'.length)}`
  return `PostgreSQL, ${showStoreUrl(url)}`
}

async function readStored(context: CliContext): Promise<StoredState> {
  const continuity = await context.continuity()
  const place = await continuity.locate(context.cwd)
  const { projectId } = place
  const findNewest = async (worktree: string | undefined) =>
    worktree === undefined ? undefined : (await continuity.listCheckpoints({ projectId, worktree, limit: 1 }))[0]
  const [counts, live, here, before] = await Promise.all([
    continuity.counts(),
    continuity.listSessions({ phases: ['idle', 'working', 'compacting'], limit: 20 }),
    findNewest(place.worktree),
    findNewest(place.formerWorktree),
  ])
  return { counts, live, lastCheckpoint: here ?? before }
}

const REFUSALS: ReadonlySet<string> = new Set(['store-not-yours', 'store-too-new'])

/** A store of another user or a later version is reported as a fault; the rest of the status is still shown. */
async function readStoredUnlessRefused(
  context: CliContext,
): Promise<Partial<StoredState> & Pick<Status, 'storeFault'>> {
  try {
    return await readStored(context)
  } catch (thrown) {
    if (!(thrown instanceof HoldfastError) || !REFUSALS.has(thrown.code)) throw thrown
    const { code, message, hint } = thrown
    return { storeFault: { code, message, ...(hint === undefined ? {} : { hint }) } }
  }
}

function listWarnings({ home, env, cwd }: CliContext): Pick<Status, 'configWarnings'> {
  const { warnings } = loadConfig({ home, env, cwd })
  return warnings.length === 0 ? {} : { configWarnings: warnings }
}

async function readStatus(context: CliContext): Promise<Status> {
  const { home } = context
  const waiting = countWaiting(home)
  const lostEvents = describeLostHooks(home)
  const fault = findConfigFault(context)
  // Without a configuration the daemon cannot start, but one that is running still answers.
  const canAsk = fault === undefined || (await findHealth(home)) !== undefined
  const details = canAsk ? await readStoredUnlessRefused(context) : {}
  const daemon = canAsk ? await findHealth(home) : undefined
  const { records, fault: manifestFault } = readConnections(home)
  const { code, message, hint } = fault ?? {}
  return {
    version: VERSION,
    home: home.root,
    ...(code === undefined || message === undefined
      ? { store: describeStore(context), ...listWarnings(context) }
      : { configFault: { code, message, ...(hint === undefined ? {} : { hint }) } }),
    daemon,
    spoolBacklog: daemon?.spoolBacklog ?? waiting,
    ...(lostEvents !== undefined && { lostEvents }),
    ...details,
    connected: await Promise.all(records.map((record) => inspectConnection(record, createSetupPorts(context)))),
    ...(manifestFault === undefined ? {} : { manifestFault }),
  }
}

function checkpointLine(last: StoredCheckpoint | undefined, now: string): string {
  if (last === undefined) return 'none yet'
  const { checkpoint } = last
  return `${formatAge(checkpoint.createdAt, now)}, ${checkpoint.trigger}: ${oneLine(checkpoint.summary, 80)}`
}

function daemonLine(daemon: Health | undefined): string {
  if (daemon === undefined) return 'not running'
  const { status, pid, version, uptimeMs, store } = daemon
  return `${status}, pid ${pid}, version ${version}, up ${formatDuration(uptimeMs)}, store ${store}`
}

function nothingConnected({ manifestFault }: Status, { dim, red }: Colors): string {
  if (manifestFault === undefined) return dim('nothing; `holdfast init` connects a harness')
  return `${red('✗')} ${printable(manifestFault.message)} ${manifestFault.hint}`
}

function countsLine({ events, sessions, checkpoints, memories }: StoreCounts): string {
  return `${count(events, 'event')}, ${count(sessions, 'session')}, ${count(checkpoints, 'checkpoint')}, ${count(memories, 'memory', 'memories')}`
}

export const statusCommand: CliCommand = {
  configure: () => undefined,
  async run({ options, context }) {
    const status = await readStatus(context)
    const exitCode = status.counts === undefined || status.configFault !== undefined ? 1 : 0
    if (isSet(options, 'json')) {
      printJson(context.io, status)
      return exitCode
    }
    const { bold, dim, red } = getColors(context.io)
    const now = systemClock.now()
    const formatMachine = createMachineFormatter(context)
    const { configFault, storeFault, store, counts, live = [], connected } = status
    const connections = await Promise.all(connected.map(describeConnection))
    context.io.out(
      table([
        [bold('holdfast'), status.version],
        [bold('home'), printableName(status.home)],
        ...(configFault === undefined
          ? []
          : [
              [bold('config'), `${red('✗')} ${printable(configFault.message)}`],
              [
                '',
                dim(
                  `${configFault.hint ?? ''} The daemon cannot start until then; events of hooks wait on disk.`.trim(),
                ),
              ],
            ]),
        ...(status.configWarnings ?? []).map((warning) => [bold('config'), `${red('!')} ${printable(warning)}`]),
        [bold('daemon'), daemonLine(status.daemon)],
        ...(store === undefined ? [] : [[bold('store'), printableName(store)]]),
        ...(storeFault === undefined
          ? []
          : [
              ['', `${red('✗')} ${printable(storeFault.message)}`],
              [
                '',
                dim(
                  `${storeFault.hint ?? ''} The daemon cannot start until then; events of hooks wait on disk.`.trim(),
                ),
              ],
            ]),
        ...(counts === undefined ? [] : [[bold('stored'), countsLine(counts)]]),
        [bold('waiting'), status.spoolBacklog === 0 ? 'no events' : count(status.spoolBacklog, 'event')],
        ...(status.lostEvents === undefined ? [] : [[bold('events'), `${red('✗')} ${printable(status.lostEvents)}`]]),
        ...(configFault === undefined && !context.config.continuity.enabled ? [[bold('here'), red(SWITCHED_OFF)]] : []),
        ...(counts === undefined
          ? []
          : [[bold('here'), `last checkpoint ${checkpointLine(status.lastCheckpoint, now)}`]]),
        ...(connected.length === 0
          ? [[bold('connected'), nothingConnected(status, getColors(context.io))]]
          : connections.flatMap((lines) => lines.map((line, index) => [index === 0 ? bold('connected') : '', line]))),
        ...live.map((session) => [
          bold('live'),
          `${session.harness} ${printableName(session.key)}, ${session.phase}, ${formatAge(session.lastEventAt, now)} ${dim(`${printableName(session.place?.worktree ?? '')}${formatMachine(session)}`)}`,
        ]),
      ]),
    )
    return exitCode
  },
}
