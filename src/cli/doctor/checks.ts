import { readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSpoolName } from '../../spool/spool-name.ts'
import type { Continuity } from '../../app/continuity.ts'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import { shellWord } from '../../kernel/shell/shell-word.ts'
import { loadConfig } from '../../platform/config.ts'
import { errnoOf } from '../../platform/base/errno.ts'
import type { Home } from '../../platform/base/home.ts'
import { type Installation, readManifest } from '../../install/manifest.ts'
import type { CliContext } from '../shared/command.ts'
import { findConfigFault } from '../shared/config-fault.ts'
import { findHealth } from '../shared/daemon-access.ts'
import { count } from '../shared/output.ts'

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
  if (facts === undefined) return warn('home', `${home.root} is not there yet`, 'It is made when the daemon starts.')
  if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0)
    return fail('home', `${home.root} is open to other users`, `Run \`chmod 700 ${shellWord(home.root)}\`.`)
  return refusedWrite(home.root) ?? lowOnRoom(home.root) ?? ok('home', `${home.root} is for you alone`)
}

/** More than a file system finds room for in what it has begun. */
const TRIAL_BYTES = 65_536
const LOW_BYTES = 100_000_000
const FULL = new Set(['ENOSPC', 'EDQUOT'])

/** Tried for real: quotas, spent inodes and read-only mounts show in no other way alike. */
function refusedWrite(root: string): Check | undefined {
  const trial = join(root, `.doctor-${process.pid}`)
  try {
    writeFileSync(trial, Buffer.alloc(TRIAL_BYTES), { flag: 'wx', mode: 0o600 })
    return undefined
  } catch (thrown) {
    const code = errnoOf(thrown) ?? messageOf(thrown)
    if (FULL.has(code))
      return fail(
        'home',
        `${root} cannot be written: the disk is full (${code}, ${megabytesFree(root)} free)`,
        'Make room there, or move the home with HOLDFAST_HOME. What is kept stays readable; new events are lost meanwhile.',
      )
    const isReadOnly = code === 'EROFS'
    return fail(
      'home',
      `${root} cannot be written: ${isReadOnly ? 'its file system is read-only' : 'permission is refused'} (${code})`,
      isReadOnly
        ? 'Mount it for writing, or move the home with HOLDFAST_HOME.'
        : `Give it back to yourself: \`chmod u+rwx ${shellWord(root)}\`.`,
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

function lowOnRoom(root: string): Check | undefined {
  if (freeBytes(root) >= LOW_BYTES) return undefined
  return warn('home', `${root} has only ${megabytesFree(root)} left`, 'Without room no event is kept: make some.')
}

/** What `init` wrote, as it has noted it; empty, with what is wrong, where that cannot be read. */
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

/** Every setting that is not in force as it is written, and what follows. */
export function checkConfig({ home, env, cwd }: Pick<CliContext, 'home' | 'env' | 'cwd'>): readonly Check[] {
  try {
    const { warnings } = loadConfig({ home, env, cwd })
    const known = 'Correct it or take it out; `holdfast config` shows what is in force.'
    return warnings.length === 0
      ? [ok('config', 'every setting is in force')]
      : warnings.map((warning) => warn('config', warning.replace(/\.$/, ''), known))
  } catch (thrown) {
    if (!(thrown instanceof HoldfastError)) throw thrown
    const wayOut = thrown.hint ?? 'Correct it.'
    const advice = `${wayOut} No daemon starts until then; what hooks send meanwhile is kept in ${home.spoolDir}.`
    return [fail('config', thrown.message.replace(/\.$/, ''), advice)]
  }
}

export async function checkDaemon(
  context: CliContext,
): Promise<{ readonly check: Check; readonly continuity?: Continuity }> {
  try {
    if (findConfigFault(context) !== undefined && (await findHealth(context.home)) === undefined)
      return { check: fail('daemon', 'does not run, and cannot start', 'Its configuration comes first.') }
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
          `${thrown.hint ?? ''} No daemon starts until then: hooks try once a minute, and what they send is kept in ${context.home.spoolDir}.`,
        ),
      }
    return {
      check: fail('daemon', messageOf(thrown), `\`holdfast daemon logs\` shows its log, ${context.home.daemonLog}.`),
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return []
    throw thrown
  }
}

function filesIn(folder: string, isCounted: (name: string) => boolean): number {
  return namesIn(folder).filter(isCounted).length
}

/** What the store set aside or could not find again; undefined when it never had to. */
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
    'What could be read was saved. Check the disk; delete that folder once you need nothing of it.',
  )
}

/** Events in files that the daemon has not taken yet. */
export function countWaiting({ spoolDir }: Pick<Home, 'spoolDir'>): number {
  return filesIn(spoolDir, (name) => parseSpoolName(name) !== undefined)
}

export function checkSpool({ home }: CliContext): Check {
  const waiting = countWaiting(home)
  const dead = filesIn(home.deadSpoolDir, () => true)
  if (dead > 0)
    return warn('spool', `${count(dead, 'event')} could not be read`, `They are kept in ${home.deadSpoolDir}.`)
  if (waiting > 0)
    return warn('spool', `${count(waiting, 'event')} waiting`, 'They are kept and replayed by the daemon.')
  return ok('spool', 'empty')
}
