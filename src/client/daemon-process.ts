import { HoldfastError, messageOf } from '../kernel/errors.ts'
import type { Home } from '../platform/base/home.ts'
import { findStartFailure } from '../platform/start-failure.ts'
import { ROUTES } from '../api/route-table.ts'
import { startDaemon } from './daemon-start.ts'
import { exchange, ExchangeError, type ExchangeFault } from './http.ts'
import { createPatientStart } from './patient-start.ts'
import { isSocketTrusted } from './socket-trust.ts'
import { LASTING_REFUSALS } from './start-refusal.ts'

export interface EnsureDaemonOptions {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  /** The daemon's bundle. */
  readonly script: string
  /** 10 seconds unless told. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 10_000
const POLL_MS = 25
const PROBE_MS = 2_000

/** Whether the daemon answers: undefined when it does. */
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

function unavailable(home: Home, message: string, cause?: unknown): HoldfastError {
  return new HoldfastError('daemon-unavailable', message, { hint: `Its log is ${home.daemonLog}.`, cause })
}

/** The refusal of a daemon that we have seen start and leave; one from before we came may be out of date. */
function createRefusalWatch(home: Home): () => HoldfastError | undefined {
  const before = findStartFailure(home)?.pid
  return () => {
    const failure = findStartFailure(home)
    if (failure === undefined || failure.pid === before || !LASTING_REFUSALS.has(failure.code)) return undefined
    return new HoldfastError(failure.code, failure.message, failure.hint === undefined ? {} : { hint: failure.hint })
  }
}

function unanswered(home: Home, timeoutMs: number): HoldfastError {
  return new HoldfastError('daemon-unavailable', `The daemon did not answer within ${timeoutMs} ms.`, {
    hint: `\`holdfast doctor\` looks for the cause; its log is ${home.daemonLog}. Where it hangs, \`holdfast daemon stop\` says how to end it.`,
  })
}

function start(options: EnsureDaemonOptions): boolean {
  try {
    return startDaemon(options)
  } catch (thrown) {
    throw new HoldfastError(
      'daemon-unavailable',
      `The daemon cannot be started: ${messageOf(thrown).replace(/\.$/, '')}.`,
      {
        hint: `Everything is kept in ${options.home.root}: make that a folder that you can write to, or name another with HOLDFAST_HOME.`,
        cause: thrown,
      },
    )
  }
}

/** Resolves once a daemon answers, starting one when nobody listens. Refuses with `daemon-unavailable` after the timeout. */
export async function ensureDaemon(options: EnsureDaemonOptions): Promise<void> {
  const { home } = options
  if (!isSocketTrusted(home)) {
    throw unavailable(home, `The folder of ${home.socket} belongs to somebody else, so nothing is sent there.`)
  }
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  const nowMs = () => process.uptime() * 1_000
  const startedMs = nowMs()
  const findRefusal = createRefusalWatch(home)
  const startAgain = createPatientStart(() => start(options), nowMs)
  for (;;) {
    const leftMs = timeoutMs - (nowMs() - startedMs)
    if (leftMs <= 0) throw unanswered(home, timeoutMs)
    const fault = await probe(home, Math.min(PROBE_MS, leftMs))
    if (fault === undefined) return
    // Asked every time round: the one that somebody else was starting may have died.
    if (fault === 'absent') {
      const refusal = findRefusal()
      if (refusal !== undefined) throw refusal
      startAgain()
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
