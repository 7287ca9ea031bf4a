import { readFileSync } from 'node:fs'
import { ensureDaemon } from '../../client/daemon-process.ts'
import { ExchangeError } from '../../client/http.ts'
import { createCall } from '../../client/remote-call.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import type { Home } from '../../platform/base/home.ts'
import { EndpointSchema, type HealthReply, type LoginCodeReply } from '../../wire/daemon.ts'
import { ROUTES } from '../../api/route-table.ts'
import { builtFile } from './built-files.ts'
import type { CliContext } from './command.ts'

/** Why the configuration cannot be read (an invalid file or variable); undefined when it can. */
export function findConfigFault(context: Pick<CliContext, 'config'>): HoldfastError | undefined {
  try {
    void context.config
    return undefined
  } catch (thrown) {
    if (thrown instanceof HoldfastError) return thrown
    throw thrown
  }
}

const TIMEOUT_MS = 5_000

export type Health = ReturnType<typeof HealthReply.parse>
export type LoginLink = ReturnType<typeof LoginCodeReply.parse>

/** Calls that do not start the daemon. */
function callRunning(home: Home) {
  return createCall({ home, ensure: async () => undefined, timeoutMs: TIMEOUT_MS })
}

/** Returns undefined instead of an error when the daemon is not running. */
async function ifRunning<Reply>(call: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await call
  } catch (thrown) {
    const cause = thrown instanceof HoldfastError ? thrown.cause : undefined
    if (cause instanceof ExchangeError && cause.fault === 'absent') return undefined
    throw thrown
  }
}

/** Starts the daemon if needed and resolves once it answers. */
export async function ensureRunning(context: Pick<CliContext, 'home' | 'env' | 'config'>): Promise<void> {
  await refuseWithoutConfig(context)
  const { home, env } = context
  await ensureDaemon({ home, env, script: builtFile('daemon.js') })
}

function findPid(home: Home): number | undefined {
  try {
    return EndpointSchema.parse(JSON.parse(readFileSync(home.endpointFile, 'utf8'))).pid
  } catch {
    // Missing or half-written: the process is unknown.
    return undefined
  }
}

/** A daemon that hangs cannot be asked to stop, so the hint names the process to kill. */
function explainHang(home: Home, thrown: unknown): unknown {
  const pid = findPid(home)
  if (!(thrown instanceof HoldfastError) || thrown.code !== 'daemon-unavailable' || pid === undefined) return thrown
  return new HoldfastError('daemon-unavailable', `The daemon (pid ${pid}) is running but does not answer.`, {
    hint: `Its log is ${home.daemonLog}. \`kill -9 ${pid}\` ends it without losing recorded events; the next hook or command starts a new one.`,
    cause: thrown,
  })
}

/** The daemon's health; undefined when it is not running. */
export async function findHealth(home: Home): Promise<Health | undefined> {
  try {
    return await ifRunning(callRunning(home)(ROUTES.health))
  } catch (thrown) {
    throw explainHang(home, thrown)
  }
}

/** A one-time link to the dashboard; undefined when the daemon is not running. */
export function createLoginCode(home: Home): Promise<LoginLink | undefined> {
  return ifRunning(callRunning(home)(ROUTES.createLoginCode, { body: {} }))
}

/** Asks the daemon to stop; does nothing when it is not running. */
export async function requestShutdown(home: Home): Promise<void> {
  await ifRunning(callRunning(home)(ROUTES.shutdown, { body: {} }))
}

/** Throws the configuration error at once instead of waiting for a daemon that cannot start. A daemon that is already running still answers. */
export async function refuseWithoutConfig(context: Pick<CliContext, 'config' | 'home'>): Promise<void> {
  const fault = findConfigFault(context)
  if (fault !== undefined && (await findHealth(context.home)) === undefined) throw fault
}
