import { HoldfastError, getErrorMessage } from '../kernel/errors.ts'
import type { Home } from '../platform/base/home.ts'
import { PERMANENT_FAILURES } from '../platform/permanent-failures.ts'
import { findStartFailure } from '../platform/start-failure.ts'
import { ROUTES } from '../api/route-table.ts'
import { createStartBackoff, startDaemon } from './daemon-start.ts'
import { exchange, ExchangeError, type ExchangeFault } from './http.ts'
import { isSocketTrusted } from './http.ts'

export interface EnsureDaemonOptions {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  /** The daemon's bundle. */
  readonly script: string
  /** Default: 10 seconds. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 10_000
const POLL_MS = 25
const PROBE_MS = 2_000

/** Undefined when the daemon answers. */
async function probe(home: Home, deadlineMs: number): Promise<ExchangeFault | undefined> {
  try {
    const { method, path } = ROUTES.health
    await exchange({ socketPath: home.socket, method, path, deadlineMs, maxReplyBytes: 100_000 })
    return undefined
  } catch (thrown) {
    if (thrown instanceof ExchangeError) return thrown.fault
    throw thrown
  }
}

function createUnavailableError(home: Home, message: string, cause?: unknown): HoldfastError {
  return new HoldfastError('daemon-unavailable', message, { hint: `Its log is ${home.daemonLog}.`, cause })
}

/** Returns the permanent failure of a daemon that started after this call; an older one may be out of date. */
function watchStartFailure(home: Home): () => HoldfastError | undefined {
  const before = findStartFailure(home)?.pid
  return () => {
    const failure = findStartFailure(home)
    if (failure === undefined || failure.pid === before || !PERMANENT_FAILURES.has(failure.code)) return undefined
    return new HoldfastError(failure.code, failure.message, failure.hint === undefined ? {} : { hint: failure.hint })
  }
}

function createTimeoutError(home: Home, timeoutMs: number): HoldfastError {
  return new HoldfastError('daemon-unavailable', `The daemon did not answer within ${timeoutMs} ms.`, {
    hint: `\`holdfast doctor\` looks for the cause; its log is ${home.daemonLog}. If it hangs, \`holdfast daemon stop\` says how to end it.`,
  })
}

function start(options: EnsureDaemonOptions): boolean {
  try {
    return startDaemon(options)
  } catch (thrown) {
    throw new HoldfastError(
      'daemon-unavailable',
      `The daemon cannot be started: ${getErrorMessage(thrown).replace(/\.$/, '')}.`,
      {
        hint: `Holdfast stores everything in ${options.home.root}: make it writable, or set HOLDFAST_HOME to another folder.`,
        cause: thrown,
      },
    )
  }
}

/** Resolves once a daemon answers, and starts one when none is running. Throws `daemon-unavailable` after the timeout. */
export async function ensureDaemon(options: EnsureDaemonOptions): Promise<void> {
  const { home } = options
  if (!isSocketTrusted(home)) {
    throw createUnavailableError(
      home,
      `The folder of ${home.socket} belongs to another user, so nothing is sent there.`,
    )
  }
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  const nowMs = () => process.uptime() * 1_000
  const startedMs = nowMs()
  const findRefusal = watchStartFailure(home)
  const startAgain = createStartBackoff(() => start(options), nowMs)
  for (;;) {
    const leftMs = timeoutMs - (nowMs() - startedMs)
    if (leftMs <= 0) throw createTimeoutError(home, timeoutMs)
    const fault = await probe(home, Math.min(PROBE_MS, leftMs))
    if (fault === undefined) return
    // In every iteration: a daemon that another process started may have died.
    if (fault === 'absent') {
      const refusal = findRefusal()
      if (refusal !== undefined) throw refusal
      startAgain()
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
