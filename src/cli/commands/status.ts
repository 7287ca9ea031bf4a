import { readdirSync } from 'node:fs'
import { parseSpoolName } from '../../client/spool-name.ts'
import { readManifest } from '../../harness/manifest.ts'
import type { StoredCheckpoint } from '../../core/checkpoint.ts'
import type { StoreCounts } from '../../core/ports.ts'
import type { Session } from '../../core/session.ts'
import { systemClock } from '../../platform/clock.ts'
import { errnoOf } from '../../platform/errno.ts'
import { VERSION } from '../../platform/version.ts'
import { isSet } from '../arguments.ts'
import type { CliCommand, CliContext } from '../command.ts'
import type { Health } from '../daemon-door.ts'
import { findHealth } from '../daemon-door.ts'
import { type Connected, connectedLines, connectedOf } from '../connected.ts'
import { setupWorldOf } from '../setup-world.ts'
import { age, colorsOf, count, duration, oneLine, printable, printJson, table } from '../output.ts'

interface Status {
  readonly version: string
  readonly home: string
  readonly store: string
  readonly daemon: Health | undefined
  /** Events waiting in files, also while the daemon is away. */
  readonly spoolBacklog: number
  readonly counts: StoreCounts
  readonly live: readonly Session[]
  readonly lastCheckpoint: StoredCheckpoint | undefined
  readonly connected: readonly Connected[]
}

function spoolBacklog(folder: string): number {
  try {
    return readdirSync(folder).filter((name) => parseSpoolName(name) !== undefined).length
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return 0
    throw thrown
  }
}

/** The engine, without a password that its address may hold. */
function storeOf({ config, home }: CliContext): string {
  const { url } = config.store
  if (url.startsWith('sqlite:')) return `SQLite, ${url === 'sqlite:' ? home.databaseFile : url.slice('sqlite:'.length)}`
  return `PostgreSQL, ${url.replace(/\/\/[^@/]*@/, '//')}`
}

async function statusOf(context: CliContext): Promise<Status> {
  const { home, cwd } = context
  const waiting = spoolBacklog(home.spoolDir)
  const continuity = await context.continuity()
  const place = await continuity.locate(cwd)
  const [daemon, counts, live, checkpoints] = await Promise.all([
    findHealth(home),
    continuity.counts(),
    continuity.listSessions({ phases: ['idle', 'working', 'compacting'], limit: 20 }),
    continuity.listCheckpoints({ worktree: place.worktree, limit: 1 }),
  ])
  return {
    version: VERSION,
    home: home.root,
    store: storeOf(context),
    daemon,
    spoolBacklog: daemon?.spoolBacklog ?? waiting,
    counts,
    live,
    lastCheckpoint: checkpoints[0],
    connected: readManifest(home).map((record) => connectedOf(record, setupWorldOf(context))),
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

export const statusCommand: CliCommand = {
  name: 'status',
  summary: 'what is running, what is kept, what is connected',
  configure: () => undefined,
  async run({ options, context }) {
    const status = await statusOf(context)
    if (isSet(options, 'json')) {
      printJson(context.io, status)
      return 0
    }
    const { bold, dim } = colorsOf(context.io)
    const now = systemClock.now()
    const { counts, live, connected } = status
    context.io.out(
      table([
        [bold('holdfast'), status.version],
        [bold('home'), printable(status.home)],
        [bold('daemon'), daemonLine(status.daemon)],
        [bold('store'), printable(status.store)],
        [
          bold('kept'),
          `${count(counts.events, 'event')}, ${count(counts.sessions, 'session')}, ${count(counts.checkpoints, 'checkpoint')}, ${count(counts.memories, 'memory', 'memories')}`,
        ],
        [bold('spool'), status.spoolBacklog === 0 ? 'empty' : `${count(status.spoolBacklog, 'event')} waiting`],
        [bold('here'), `last checkpoint ${checkpointLine(status.lastCheckpoint, now)}`],
        ...(connected.length === 0
          ? [[bold('connected'), dim('nothing; `holdfast init` connects a harness')]]
          : connected.flatMap((known) =>
              connectedLines(known).map((line, index) => [index === 0 ? bold('connected') : '', line]),
            )),
        ...live.map((session) => [
          bold('live'),
          `${session.harness} ${printable(session.key)}, ${session.phase}, ${age(session.lastEventAt, now)} ${dim(printable(session.place?.worktree ?? ''))}`,
        ]),
      ]),
    )
    return 0
  },
}
