import { readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSpoolName } from '../../spool/spool-entry.ts'
import type { Continuity } from '../../app/continuity.ts'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { quoteShellWord } from '../../kernel/shell/command-line.ts'
import { loadConfig } from '../../platform/config.ts'
import { getErrorCode } from '../../platform/base/errno.ts'
import type { Home } from '../../platform/base/home.ts'
import { type Installation, readManifest } from '../../install/manifest.ts'
import type { CliContext } from '../shared/command.ts'
import { findConfigFault, findHealth } from '../shared/daemon-access.ts'
import { count } from '../shared/output.ts'
import { parseReportName, readLostHooks } from '../../platform/lost-hooks.ts'

type LostHooksHome = Pick<Home, 'quarantineDir' | 'lostHooksFile' | 'root'>

/** Hook events lost because of a full disk, whether reported to a session or not; undefined when there were none. */
export function describeLostHooks(home: LostHooksHome): string | undefined {
  const reported = namesIn(home.quarantineDir).flatMap((name) => parseReportName(name) ?? [])
  const lost = [...reported, readLostHooks(home) ?? []].flat()
  if (lost.length === 0) return undefined
  const parts = lost.map(
    ({ count: events, since, until }) => `${count(events, 'hook event')} from ${since} to ${until}`,
  )
  return `lost because the disk was full: ${parts.join('; ')}`
}

export function checkLostHooks({ home }: { readonly home: LostHooksHome }): Check | undefined {
  const detail = describeLostHooks(home)
  const advice = `Free some disk space. Delete lost-hooks-* in ${home.quarantineDir} once you have read this.`
  return detail === undefined ? undefined : { subject: 'events', verdict: 'warn', detail, advice }
}

export interface Check {
  readonly subject: string
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly detail: string
  /** What to do about it. */
  readonly advice?: string
}

export const ok = (subject: string, detail: string): Check => ({ subject, verdict: 'ok', detail })
export const warn = (subject: string, detail: string, advice: string): Check => ({
  subject,
  verdict: 'warn',
  detail,
  advice,
})
export const fail = (subject: string, detail: string, advice: string): Check => ({
  subject,
  verdict: 'fail',
  detail,
  advice,
})

export function checkHome({ home }: Pick<CliContext, 'home'>): Check {
  const facts = statSync(home.root, { throwIfNoEntry: false })
  if (facts === undefined) return warn('home', `${home.root} does not exist yet`, 'The daemon creates it.')
  if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0)
    return fail('home', `${home.root} is open to other users`, `Run \`chmod 700 ${quoteShellWord(home.root)}\`.`)
  return tryWrite(home.root) ?? checkFreeSpace(home.root) ?? ok('home', `${home.root}, permissions 0700`)
}

/** More than fits into blocks that are already allocated. */
const TRIAL_BYTES = 65_536
const LOW_BYTES = 100_000_000
const FULL = new Set(['ENOSPC', 'EDQUOT'])

/** Writes a test file: the only check that covers quotas, inodes and read-only mounts. */
function tryWrite(root: string): Check | undefined {
  const trial = join(root, `.doctor-${process.pid}`)
  try {
    writeFileSync(trial, Buffer.alloc(TRIAL_BYTES), { flag: 'wx', mode: 0o600 })
    return undefined
  } catch (thrown) {
    const code = getErrorCode(thrown) ?? getErrorMessage(thrown)
    if (FULL.has(code))
      return fail(
        'home',
        `${root} cannot be written: the disk is full (${code}, ${megabytesFree(root)} free)`,
        'Free some disk space, or move the home with HOLDFAST_HOME. Until then new events are lost.',
      )
    const isReadOnly = code === 'EROFS'
    return fail(
      'home',
      `${root} cannot be written: ${isReadOnly ? 'its file system is read-only' : 'permission denied'} (${code})`,
      isReadOnly
        ? 'Mount it writable, or move the home with HOLDFAST_HOME.'
        : `Run \`chmod u+rwx ${quoteShellWord(root)}\`.`,
    )
  } finally {
    rmSync(trial, { force: true })
  }
}

function freeBytes(root: string): number {
  const { bavail, bsize } = statfsSync(root)
  return bavail * bsize
}

function megabytesFree(root: string): string {
  return `${(freeBytes(root) / 1_000_000).toFixed(1)} MB`
}

function checkFreeSpace(root: string): Check | undefined {
  if (freeBytes(root) >= LOW_BYTES) return undefined
  return warn(
    'home',
    `${root} has only ${megabytesFree(root)} left`,
    'Free some disk space: events are lost when the disk is full.',
  )
}

/** The manifest of `init`; empty, with the error, when it cannot be read. */
export function readConnections(home: Home): {
  readonly records: readonly Installation[]
  readonly fault?: { readonly message: string; readonly hint: string }
} {
  try {
    return { records: readManifest(home) }
  } catch (thrown) {
    if (!(thrown instanceof HoldfastError)) throw thrown
    return { records: [], fault: { message: thrown.message, hint: thrown.hint ?? '' } }
  }
}

/** One warning for each ignored setting. */
export function checkConfig({ home, env, cwd }: Pick<CliContext, 'home' | 'env' | 'cwd'>): readonly Check[] {
  try {
    const { warnings } = loadConfig({ home, env, cwd })
    const known = 'Fix or remove it; `holdfast config` shows the effective settings.'
    return warnings.length === 0
      ? [ok('config', 'valid')]
      : warnings.map((warning) => warn('config', warning.replace(/\.$/, ''), known))
  } catch (thrown) {
    if (!(thrown instanceof HoldfastError)) throw thrown
    const hint = thrown.hint ?? 'Fix it.'
    const advice = `${hint} The daemon cannot start until then; hook events are stored in ${home.spoolDir}.`
    return [fail('config', thrown.message.replace(/\.$/, ''), advice)]
  }
}

export function isSqlite({ config }: Pick<CliContext, 'config'>): boolean {
  return config.store.url.startsWith('sqlite:')
}

/** The database of a later version that `doctor --fix` set aside; undefined when there is none. */
export function checkSetAside({ home }: Pick<CliContext, 'home'>): Check | undefined {
  const names = namesIn(home.backupDir).filter((name) => /^later-\d+\.db$/.test(name))
  const newest = names.toSorted().at(-1)
  if (newest === undefined) return undefined
  return warn(
    'store',
    `the database of a later version was set aside: ${join(home.backupDir, newest)}`,
    'docs/install.md says how to return to it. Delete it, with its `-wal` and `-shm`, when you no longer need it.',
  )
}

export async function checkDaemon(
  context: CliContext,
): Promise<{ readonly check: Check; readonly continuity?: Continuity; readonly isLater?: boolean }> {
  try {
    if (findConfigFault(context) !== undefined && (await findHealth(context.home)) === undefined)
      return { check: fail('daemon', 'not running and cannot start', 'Fix the configuration first.') }
    const continuity = await context.continuity()
    await continuity.counts()
    const health = await findHealth(context.home)
    const detail = health === undefined ? 'answers' : `answers, version ${health.version}, store ${health.store}`
    return {
      continuity,
      check:
        health?.status === 'degraded'
          ? (health.store === 'read-only' ? fail : warn)('daemon', detail, `Its log is ${context.home.daemonLog}.`)
          : ok('daemon', detail),
    }
  } catch (thrown) {
    if (thrown instanceof HoldfastError && thrown.code === 'store-not-yours')
      return {
        check: fail(
          'store',
          thrown.message.replace(/\.$/, ''),
          `${thrown.hint ?? ''} The daemon cannot start until then: hooks try once a minute, and their events are stored in ${context.home.spoolDir}.`,
        ),
      }
    if (thrown instanceof HoldfastError && thrown.code === 'store-too-new')
      return {
        isLater: true,
        check: fail(
          'store',
          thrown.message.replace(/\.$/, ''),
          `Install that version again. ${isSqlite(context) ? 'Or `holdfast doctor --fix` asks, then sets its database aside and continues with the newest backup that this version can read (`--yes` answers). ' : ''}Until then hook events are stored in ${context.home.spoolDir}.`,
        ),
      }
    return {
      check: fail(
        'daemon',
        getErrorMessage(thrown),
        `\`holdfast daemon logs\` shows its log, ${context.home.daemonLog}.`,
      ),
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return []
    throw thrown
  }
}

function filesIn(folder: string, isCounted: (name: string) => boolean): number {
  return namesIn(folder).filter(isCounted).length
}

/** Damage that the store found; undefined when there was none. */
export function checkQuarantine({ home }: Pick<CliContext, 'home'>): Check | undefined {
  const names = namesIn(home.quarantineDir)
  const damaged = names.filter((name) => name.endsWith('.db')).length
  const missing = names.flatMap((name) => {
    const [, from, to] = /^missing-events-(\d+)-(\d+)\.json$/.exec(name) ?? []
    return from === undefined || to === undefined ? [] : [`events ${from} to ${to} are missing`]
  })
  const found = [...(damaged > 0 ? [`${count(damaged, 'damaged database')} set aside`] : []), ...missing]
  if (found.length === 0) return undefined
  return warn(
    'damage',
    `${found.join('; ')}, in ${home.quarantineDir}`,
    'Readable data was saved. Check the disk; delete that folder when you no longer need it.',
  )
}

/** Events in the spool that the daemon has not read yet. */
export function countWaiting({ spoolDir }: Pick<Home, 'spoolDir'>): number {
  return filesIn(spoolDir, (name) => parseSpoolName(name) !== undefined)
}

export function checkSpool({ home }: CliContext): Check {
  const waiting = countWaiting(home)
  const dead = filesIn(home.deadSpoolDir, () => true)
  if (dead > 0) return warn('spool', `${count(dead, 'event')} could not be read`, `They are in ${home.deadSpoolDir}.`)
  if (waiting > 0) return warn('spool', `${count(waiting, 'event')} waiting`, 'The daemon replays them.')
  return ok('spool', 'no events waiting for the daemon')
}
