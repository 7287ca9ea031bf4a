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

function findPid(home: Home): number | undefined {
  try {
    return EndpointSchema.parse(JSON.parse(readFileSync(home.endpointFile, 'utf8'))).pid
  } catch {
    // Missing or half-written: then nobody can say which process it is.
    return undefined
  }
}

/** One that hangs cannot be asked to stop, so whoever meets it is told how to end it. */
function hanging(home: Home, thrown: unknown): unknown {
  const pid = findPid(home)
  if (!(thrown instanceof HoldfastError) || thrown.code !== 'daemon-unavailable' || pid === undefined) return thrown
  return new HoldfastError('daemon-unavailable', `The daemon (pid ${pid}) runs and does not answer.`, {
    hint: `Its log is ${home.daemonLog}. \`kill -9 ${pid}\` ends it; nothing acknowledged is lost, and the next hook or command starts another.`,
    cause: thrown,
  })
}

/** How the daemon is; undefined when it does not run. */
export async function findHealth(home: Home): Promise<Health | undefined> {
  try {
    return await ifRunning(callRunning(home)(ROUTES.health))
  } catch (thrown) {
    throw hanging(home, thrown)
  }
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
