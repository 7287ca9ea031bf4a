import { ensureDaemon } from '../client/daemon-process.ts'
import { ExchangeError } from '../client/http.ts'
import { createCall } from '../client/remote-call.ts'
import { HoldfastError } from '../core/errors.ts'
import type { Home } from '../platform/home.ts'
import type { HealthReply, LoginCodeReply } from '../protocol/daemon.ts'
import { ROUTES } from '../protocol/route-table.ts'
import { builtFile } from './built-files.ts'
import type { CliContext } from './command.ts'
import { findConfigFault } from './config-fault.ts'

const TIMEOUT_MS = 5_000

export type Health = ReturnType<typeof HealthReply.parse>
export type LoginCode = ReturnType<typeof LoginCodeReply.parse>

/** Calls that do not start the daemon. */
function callRunning(home: Home) {
  return createCall({ home, ensure: async () => undefined, timeoutMs: TIMEOUT_MS })
}

/** Undefined when nobody listens, instead of an error. */
async function ifRunning<Reply>(call: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await call
  } catch (thrown) {
    const cause = thrown instanceof HoldfastError ? thrown.cause : undefined
    if (cause instanceof ExchangeError && cause.fault === 'absent') return undefined
    throw thrown
  }
}

/** Resolves once the daemon answers, starting it when it is away. */
export async function ensureRunning(context: Pick<CliContext, 'home' | 'env' | 'config'>): Promise<void> {
  await refuseWithoutConfig(context)
  const { home, env } = context
  await ensureDaemon({ home, env, script: builtFile('daemon.js') })
}

/** How the daemon is; undefined when it does not run. */
export function findHealth(home: Home): Promise<Health | undefined> {
  return ifRunning(callRunning(home)(ROUTES.health))
}

/** A link that opens the dashboard once; undefined when the daemon does not run. */
export function createLoginCode(home: Home): Promise<LoginCode | undefined> {
  return ifRunning(callRunning(home)(ROUTES.createLoginCode, { body: {} }))
}

/** Asks it to stop; nothing happens when it does not run. */
export async function requestShutdown(home: Home): Promise<void> {
  await ifRunning(callRunning(home)(ROUTES.shutdown, { body: {} }))
}

/** Without a configuration no daemon starts, so nobody waits for one; that of before goes on answering. */
export async function refuseWithoutConfig(context: Pick<CliContext, 'config' | 'home'>): Promise<void> {
  const fault = findConfigFault(context)
  if (fault !== undefined && (await findHealth(context.home)) === undefined) throw fault
}
