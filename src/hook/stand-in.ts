import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { exchange, ExchangeError, type ExchangeFault } from '../client/http.ts'
import { createStartBackoff } from '../client/daemon-start.ts'
import { getErrorMessage } from '../kernel/errors.ts'
import { resolveHome, withWholeHome } from '../platform/base/home.ts'
import { findTargetProcess, writeLateFile } from '../platform/launcher-file.ts'
import { procStat } from '../platform/process/proc-stat.ts'
import { hasStandIn, hookLog, spool, start } from './fallback.ts'
import { type LateReceiver, openLateReceiver } from './late-receiver.ts'
import { createWedgeWatch } from './wedged-daemon.ts'

// Accepts and spools hook calls while the daemon does not answer: one process for all launchers, each of which would
// otherwise start Node. Started by the first launcher that finds the daemon late; ends once the daemon answers.

/** A daemon that takes longer to answer a health request is late. */
const ANSWER_MS = 100
const PROBE_MS = 1_000
const RETRY_MS = 50
/** A daemon that has not started in this time never will; Node clients then try, and log the reason. */
const START_MS = 10_000
/** The stand-in ends after this long without a call, even if the daemon cannot be replaced. */
const IDLE_MS = 60_000
/** A launcher that read our address has connected by then. */
const GRACE_MS = 250
const MAX_GRACE_MS = 2_000

const nowMs = () => performance.now()
const home = resolveHome(process.env)
const env = withWholeHome(process.env)
const daemonScript = `${import.meta.dirname}/daemon.js`
const log = hookLog(home)

/** Undefined when the daemon answers. */
async function probe(deadlineMs: number): Promise<ExchangeFault | undefined> {
  try {
    await exchange({ socketPath: home.socket, method: 'GET', path: '/api/health', deadlineMs, maxReplyBytes: 100_000 })
    return undefined
  } catch (thrown) {
    if (thrown instanceof ExchangeError) return thrown.fault
    throw thrown
  }
}

function isDaemonStopped(): boolean {
  const pid = findTargetProcess(home.launcherFile)?.pid
  return pid !== undefined && procStat(pid)?.state === 'T'
}

function hasPublished({ token }: LateReceiver): boolean {
  return findTargetProcess(home.lateFile)?.token === token
}

/** Resolves with the reason when the receiver is no longer needed. */
async function watchDaemon(receiver: LateReceiver): Promise<string> {
  const wedge = createWedgeWatch({ home, nowMs })
  const startAgain = createStartBackoff(() => start(home, env, daemonScript), nowMs)
  let seenMs = nowMs()
  while (hasPublished(receiver)) {
    const fault = await probe(PROBE_MS)
    if (fault === undefined && (await probe(ANSWER_MS)) === undefined) return 'the daemon answers'
    if (fault === 'absent') {
      if (nowMs() - seenMs > START_MS) return 'no daemon starts'
      startAgain()
    } else seenMs = nowMs()
    const pid = fault === undefined ? undefined : wedge.findWedged()
    if (pid !== undefined) {
      log.error('daemon ended: it did not answer', { pid })
      process.kill(pid, 'SIGKILL')
    }
    if (receiver.quietMs() > IDLE_MS) return 'idle'
    if (fault !== 'late') await sleep(RETRY_MS)
  }
  return 'another took over'
}

function withdraw(receiver: LateReceiver | undefined): void {
  const named = findTargetProcess(home.lateFile)
  if (named === undefined || named.token === receiver?.token) rmSync(home.lateFile, { force: true })
}

/** Still serves launchers that read the address before it was removed. */
async function closeGracefully(receiver: LateReceiver): Promise<void> {
  const until = nowMs() + MAX_GRACE_MS
  do await sleep(GRACE_MS)
  while (receiver.quietMs() < GRACE_MS && nowMs() < until)
  await receiver.close()
}

async function run(): Promise<void> {
  if (hasStandIn(home)) return
  const [receiver, fault] = await Promise.all([
    openLateReceiver({ home, log, spoolCall: (call) => spool(home, call, log, false) }),
    isDaemonStopped() ? ('late' as const) : probe(ANSWER_MS),
  ])
  if (fault !== 'late') {
    withdraw(undefined)
    await receiver.close()
    return
  }
  writeLateFile(home, {
    port: receiver.port,
    socket: receiver.socket,
    hookToken: receiver.token,
    pid: process.pid,
    nodePath: process.execPath,
  })
  log.warn('daemon late: a stand-in spools events', { pid: process.pid })
  process.once('SIGTERM', () => {
    // Exiting does not remove the socket file; closing the server would.
    rmSync(receiver.socket, { force: true })
    withdraw(receiver)
    process.exit(0)
  })
  try {
    const why = await watchDaemon(receiver)
    log.info('stand-in leaves', { why, events: receiver.taken })
  } finally {
    withdraw(receiver)
  }
  await closeGracefully(receiver)
}

/** Launchers notice that the process of a failed stand-in is gone. */
function fail(thrown: unknown): never {
  log.error('stand-in failed', { cause: getErrorMessage(thrown) })
  process.exit(0)
}

process.on('uncaughtException', fail)
// A closing terminal must not end the stand-in for other sessions.
process.on('SIGHUP', () => undefined)
process.chdir('/')
run().then(() => process.exit(0), fail)
