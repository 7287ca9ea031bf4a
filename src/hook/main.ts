import { readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { startDaemon } from '../client/daemon-start.ts'
import { createSpool } from '../client/spool.ts'
import { messageOf } from '../core/errors.ts'
import type { Log } from '../core/ports.ts'
import { ensurePrivateDir } from '../platform/atomic-file.ts'
import { systemClock } from '../platform/clock.ts'
import { errnoOf } from '../platform/errno.ts'
import { homeOf, type Home } from '../platform/home.ts'
import { createLog } from '../platform/log.ts'
import { cheapStartedAt } from '../platform/proc-stat.ts'
import { budgetMsOf } from './budget.ts'
import { deliver, type HookCall } from './deliver.ts'
import { printable } from './printable.ts'
import { readStdin } from './stdin.ts'

const MAX_PAYLOAD_BYTES = 1_000_000
/** Kept back from the budget for writing to the spool. */
const SPOOL_MS = 25
/** Past this even a hung disk is left alone. */
const HARD_STOP_FACTOR = 3

const env = process.env
const isDebug = env['HOLDFAST_DEBUG'] !== undefined && env['HOLDFAST_DEBUG'] !== ''

function debug(message: string): void {
  if (isDebug) process.stderr.write(`holdfast hook: ${message}\n`)
}

/** The folder is made only when there is something to say. */
function hookLog(home: Home): Log {
  try {
    ensurePrivateDir(home.logDir, home.root)
  } catch (thrown) {
    debug(messageOf(thrown))
  }
  return createLog({ file: home.hookLog, level: 'info', clock: systemClock })
}

function eventId(): string {
  const given = env['HOLDFAST_EVENT_ID']
  if (given !== undefined && /^[\w.:-]{8,128}$/.test(given)) return given
  try {
    return readFileSync('/proc/sys/kernel/random/uuid', 'utf8').trim()
  } catch {
    return process.getBuiltinModule('node:crypto').randomUUID()
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined
}

/** Whoever reads our output may have gone, or never read: neither is ours to report. */
function print(text: string): void {
  const bytes = Buffer.from(text)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written)
  } catch (thrown) {
    debug(`stdout: ${errnoOf(thrown) ?? messageOf(thrown)}`)
  }
}

async function spool(home: Home, call: HookCall, log: Log): Promise<void> {
  // Loaded only now: most calls never need it.
  const { redactPayload, redactText } = await import('../client/redact-payload.ts')
  const text = new TextDecoder().decode(call.body)
  const startedAt = call.pid === undefined ? undefined : cheapStartedAt(call.pid)
  const entry = {
    id: call.eventId,
    at: call.receivedAt,
    harness: call.harness,
    hook: call.hook,
    ...(call.pid === undefined ? {} : { pid: call.pid }),
    ...(startedAt === undefined ? {} : { pidStartedAt: startedAt }),
  }
  const waiting = createSpool({ home, log })
  const clean = redactPayload(text)
  if (clean === undefined) {
    log.warn('payload is not JSON', { harness: call.harness, hook: call.hook, bytes: call.body.length })
    waiting.putDead({ ...entry, payload: redactText(text) })
  } else if (!waiting.put({ ...entry, payload: clean.payload })) {
    log.warn('event lost: the spool is full', { harness: call.harness, hook: call.hook })
  }
}

async function run(harness: string, hook: string): Promise<void> {
  const spentMs = numberOf(env['HOLDFAST_ELAPSED_MS']) ?? 0
  const remainingMs = () => budgetMsOf(hook) - SPOOL_MS - spentMs - performance.now()
  const receivedAt = systemClock.now()
  const home = homeOf(env)
  const stdin = await readStdin({ maxBytes: MAX_PAYLOAD_BYTES, deadlineMs: Math.max(50, remainingMs()) })
  const where = { harness, hook, bytes: stdin.bytes.length }
  if (stdin.isTooLarge || stdin.isCutOff || stdin.bytes.length === 0) {
    hookLog(home).warn(
      stdin.isTooLarge ? 'payload too large' : stdin.isCutOff ? 'payload cut off' : 'no payload',
      where,
    )
    return
  }
  const pid = numberOf(env['HOLDFAST_PID'])
  const call = {
    harness,
    hook,
    body: stdin.bytes,
    eventId: eventId(),
    receivedAt,
    ...(pid === undefined ? {} : { pid }),
  }
  const daemonScript = join(import.meta.dirname, 'daemon.js')
  // The launcher has asked already, and the daemon had its chance.
  const hasTried = env['HOLDFAST_TRIED'] === 'late' || env['HOLDFAST_TRIED'] === 'failed'
  const delivery = hasTried ? ({ outcome: 'failed', status: 0 } as const) : await deliverOrFail()
  debug(delivery.outcome)
  if (delivery.outcome === 'kept') {
    const text = printable(delivery.output)
    if (text !== undefined) print(text)
    else if (delivery.output.length > 0)
      hookLog(home).warn('reply not printed', { ...where, replyBytes: delivery.output.length })
    return
  }
  const log = hookLog(home)
  log.info('daemon did not take the event', { ...where, ...delivery, id: call.eventId })
  if (delivery.outcome === 'refused') return
  await spool(home, call, log)
  if (delivery.outcome === 'absent') startDaemon({ home, env, script: daemonScript })

  async function deliverOrFail() {
    try {
      return await deliver(call, { home, env, daemonScript, remainingMs })
    } catch (thrown) {
      debug(messageOf(thrown))
      return { outcome: 'failed', status: 0 } as const
    }
  }
}

/** The one promise of a hook: whatever happens, the harness goes on as if we were not there. */
function leave(thrown?: unknown): never {
  if (thrown !== undefined) {
    try {
      debug(messageOf(thrown))
      hookLog(homeOf(env)).error('hook failed', { hook: process.argv[3], cause: messageOf(thrown) })
    } catch {
      // Without a home there is no log either.
    }
  }
  process.exit(0)
}

const [harness, hook] = process.argv.slice(2)
process.on('uncaughtException', leave)
process.on('unhandledRejection', leave)
if (harness === undefined || hook === undefined) leave(new Error('usage: hook <harness> <hook>'))
else {
  setTimeout(() => leave(new Error('hard stop')), budgetMsOf(hook) * HARD_STOP_FACTOR).unref()
  run(harness, hook).then(() => leave(), leave)
}
