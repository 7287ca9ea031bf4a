import { readFileSync, writeFileSync } from 'node:fs'
import { harnessDaemonEnv, startDaemon } from '../client/daemon-start.ts'
import { redactPayload } from '../platform/redactors.ts'
import { createSpool } from '../spool/spool.ts'
import { getErrorMessage } from '../kernel/errors.ts'
import type { Log } from '../kernel/ports/ports.ts'
import { systemClock } from '../platform/base/clock.ts'
import { getErrorCode, isDiskFull } from '../platform/base/errno.ts'
import { type Home, withWholeHome } from '../platform/base/home.ts'
import { takeStartNotice } from '../platform/start-notices.ts'
import { findTargetProcess } from '../platform/launcher-file.ts'
import { recordLostHook, findSessionKey } from '../platform/lost-hooks.ts'
import { cheapStartedAt, isAliveCheaply, procStat } from '../platform/process/proc-stat.ts'
import type { HookCall } from './deliver.ts'
import { hookLog } from './hook-log.ts'

// Code that a hook needs only when something is wrong. Its own bundle, loaded by main.ts by name, because compiling it would
// cost every hook two milliseconds.

export { hookLog }

/**
 * Spools the redacted call; true once it is durable. Never throws: a failure is logged.
 * Only the last attempt counts a lost hook, because the Node client retries after a stand-in.
 */
export async function spool(home: Home, call: HookCall, log: Log, isLastAttempt = true): Promise<boolean> {
  const where = { harness: call.harness, hook: call.hook, bytes: call.body.length }
  const startedAt = call.pid === undefined ? undefined : cheapStartedAt(call.pid)
  const entry = {
    id: call.eventId,
    at: new Date(call.receivedAtMs).toISOString(),
    harness: call.harness,
    hook: call.hook,
    ...(call.pid === undefined ? {} : { pid: call.pid }),
    ...(startedAt === undefined ? {} : { pidStartedAt: startedAt }),
  }
  try {
    const waiting = createSpool({ home, log })
    const { isJson, payload } = await redactPayload(call.body.toString('utf8'), systemClock, home)
    if (!isJson) {
      log.warn('payload is not JSON', where)
      waiting.putDead({ ...entry, payload })
      return true
    }
    // Its project is switched off.
    if (payload === undefined) return true
    const isSpooled = waiting.put({ ...entry, payload })
    if (!isSpooled) log.error('event lost: the spool is full', where)
    return isSpooled
  } catch (thrown) {
    log.error('event lost: it could not be spooled', { ...where, cause: getErrorMessage(thrown) })
    if (isLastAttempt && isDiskFull(thrown)) countLost(home, call, entry.at)
    return false
  }
}

function findBodySession(body: Buffer): string | undefined {
  try {
    return findSessionKey(JSON.parse(body.toString('utf8')))
  } catch {
    return undefined
  }
}

/** A full disk has no room for the log either; the count is reported once there is room. */
function countLost(home: Home, { harness, hook, body }: HookCall, at: string): void {
  const session = findBodySession(body)
  try {
    recordLostHook(home, { at, harness, hook, ...(session !== undefined && { session }) })
  } catch {
    // There is no other place to report it.
  }
}

/** Starts the daemon for later calls; false when another process just did, or when the home is not writable. */
export function start(home: Home, env: NodeJS.ProcessEnv, script: string): boolean {
  try {
    return startDaemon({ home, env, script, isHarnessEnv: true })
  } catch (thrown) {
    hookLog(home).error('daemon not started', { cause: getErrorMessage(thrown) })
    return false
  }
}

export { findRefusal, isStarting } from '../client/daemon-start.ts'

/** What a session is informed of while the daemon cannot start. Never throws. */
export function takeNotice(home: Home, { harness, hook }: HookCall): string | undefined {
  try {
    return takeStartNotice(home, harness, hook)
  } catch (thrown) {
    hookLog(home).warn('notice not printed', { cause: getErrorMessage(thrown) })
    return undefined
  }
}

/** Whether a stand-in accepts calls while the daemon does not answer. */
export function hasStandIn(home: Home): boolean {
  const pid = findTargetProcess(home.lateFile)?.pid
  return pid !== undefined && procStat(pid)?.state !== 'T'
}

/** Whether this process starts the stand-in. Advisory: of two, the later one withdraws. */
function claimStandIn(home: Home): boolean {
  try {
    writeFileSync(home.lateFile, renderClaim(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (thrown) {
    if (getErrorCode(thrown) !== 'EEXIST') throw thrown
    const [format, pid] = readFileSync(home.lateFile, 'utf8').split('\n')
    return !hasStandIn(home) && !(format === STARTING && isAliveCheaply({ pid: Number(pid) }))
  }
}

/** Read by launcher.sh too. */
const STARTING = 'starting'
const renderClaim = (pid: number) => `${STARTING}\n${pid}\n`

/** Starts one process that accepts later calls while the daemon does not answer. */
export function startStandIn(home: Home, env: NodeJS.ProcessEnv, script: string): void {
  try {
    if (!claimStandIn(home)) return
    const child = process.getBuiltinModule('node:child_process').spawn(process.execPath, [script], {
      cwd: '/',
      env: withWholeHome(harnessDaemonEnv(env)),
      detached: true,
      stdio: 'ignore',
      windowsHide: true,
    })
    // Without a listener a failed start would be an uncaught exception; the next late call tries again.
    child.on('error', () => undefined)
    child.unref()
    if (child.pid !== undefined && !hasStandIn(home)) writeFileSync(home.lateFile, renderClaim(child.pid))
  } catch (thrown) {
    hookLog(home).warn('stand-in not started', { cause: getErrorMessage(thrown) })
  }
}
