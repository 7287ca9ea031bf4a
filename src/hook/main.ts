import { existsSync, readFileSync, writeSync } from 'node:fs'
import { getErrorMessage } from '../kernel/errors.ts'
import { resolveHome } from '../platform/base/home.ts'
import { reducePayload } from '../platform/base/reduce-payload.ts'
import { findBudgetMs, findStartBudgetMs } from './budget.ts'
import { deliver, toPrintable, type DaemonStarting, type Delivery, type HookCall } from './deliver.ts'
import { readStdin, type Stdin } from './stdin.ts'

/** What the daemon accepts; a larger payload is reduced. */
const MAX_PAYLOAD_BYTES = 1_000_000
const MAX_READ_BYTES = 16_000_000
/** The time to read a payload, even when starting used up the whole budget. */
const MIN_READ_MS = 50
/** The time to read a payload that the launcher left for its size: megabytes pass through a pipe in pieces. */
const LARGE_READ_MS = 1_000
/** Reserved for writing to the spool. */
const SPOOL_MS = 25
/** The hook exits after this even if the disk hangs. Below every timeout that we install, and long enough for a busy machine. */
const HARD_STOP_MS = 3_000

/** Never printed: it makes Node compile the printing code while the daemon works. */
const SAMPLE_ANSWER = Buffer.from('{}')

const env = process.env
const [harness, hook] = process.argv.slice(2)

/** To the log as well: installed hooks discard stderr, because a harness would show it. */
function debug(message: string): void {
  if (!env['HOLDFAST_DEBUG']) return
  process.stderr.write(`holdfast hook: ${message}\n`)
  try {
    fallback().hookLog(resolveHome(env)).info('debug', { harness, hook, detail: message })
  } catch {
    // Without a home or the rest of the package, logging is impossible.
  }
}

function isFallback(loaded: unknown): loaded is typeof import('./fallback.ts') {
  return typeof loaded === 'object' && loaded !== null && 'spool' in loaded
}

/** Loaded by name and only when needed; see fallback.ts. */
function fallback(): typeof import('./fallback.ts') {
  const require = process.getBuiltinModule('node:module').createRequire(import.meta.filename)
  const loaded: unknown = require('./hook-fallback.cjs')
  if (isFallback(loaded)) return loaded
  throw new Error('hook-fallback.cjs belongs to another version')
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

function parseDigits(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined
}

/** The reader of our output may have gone or never read; neither is an error of the hook. */
function print(text: string): void {
  const bytes = Buffer.from(text)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written)
  } catch (thrown) {
    debug(`stdout: ${getErrorMessage(thrown)}`)
  }
}

/** A sender that does not close its end may still have sent everything: a prefix of an object is never valid JSON. */
function isCompleteJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'))
    return true
  } catch {
    return false
  }
}

function findPayloadProblem(stdin: Stdin): string | undefined {
  if (stdin.isTooLarge) return 'payload too large'
  if (stdin.isCutOff && !isCompleteJson(stdin.bytes)) return 'payload cut off'
  return stdin.bytes.length === 0 ? 'no payload' : undefined
}

/** The payload as the daemon accepts it; undefined if it cannot be made small enough. */
function fitPayload(bytes: Buffer): Buffer | undefined {
  if (bytes.length <= MAX_PAYLOAD_BYTES) return bytes
  const reduced = reducePayload(bytes.toString('utf8'), MAX_PAYLOAD_BYTES)
  return reduced === undefined ? undefined : Buffer.from(reduced)
}

/** Stdin holds what the launcher has read; the descriptor that it names holds the rest of a large payload. */
async function readPayload(deadlineMs: () => number): Promise<Stdin> {
  const first = await readStdin({ fd: 0, maxBytes: MAX_READ_BYTES, deadlineMs: deadlineMs() })
  const fd = parseDigits(env['HOLDFAST_REST_FD'])
  if (fd === undefined || first.isTooLarge || first.isCutOff) return first
  const maxBytes = MAX_READ_BYTES - first.bytes.length
  const rest = await readStdin({ fd, maxBytes, deadlineMs: Math.max(LARGE_READ_MS, deadlineMs()) })
  return { ...rest, bytes: Buffer.concat([first.bytes, rest.bytes]) }
}

const daemonScript = `${import.meta.dirname}/daemon.js`
const standInScript = `${import.meta.dirname}/stand-in.cjs`

/** The launcher may have called the daemon already; then it is not called again. */
async function firstDelivery(call: HookCall, getRemainingMs: (budgetMs: number) => number): Promise<Delivery> {
  const home = resolveHome(env)
  const tried = env['HOLDFAST_TRIED']
  if (tried === 'late') return { outcome: tried }
  if (tried === 'failed') return { outcome: 'failed', status: 0 }
  // A stand-in already checks whether the daemon is back, so this hook does not wait for it.
  if (existsSync(home.lateFile) && fallback().hasStandIn(home)) return { outcome: 'late' }
  const override = env['HOLDFAST_HOOK_BUDGET_MS']
  const startBudgetMs = findStartBudgetMs(call.hook, override)
  const starting: DaemonStarting | undefined =
    startBudgetMs === undefined
      ? undefined
      : {
          start: () => fallback().start(home, env, daemonScript),
          isUnderWay: () => fallback().isStarting(home),
          isRefused: () => fallback().findRefusal(home, daemonScript) !== undefined,
          remainingMs: () => getRemainingMs(startBudgetMs),
        }
  try {
    return await deliver(call, {
      home,
      remainingMs: () => getRemainingMs(findBudgetMs(call.hook, override)),
      ...(starting !== undefined && { starting }),
      meanwhile: () => toPrintable(SAMPLE_ANSWER),
    })
  } catch (thrown) {
    debug(getErrorMessage(thrown))
    return { outcome: 'failed', status: 0 }
  }
}

async function run(harness: string, hook: string): Promise<void> {
  const receivedAtMs = Date.now()
  const spentMs = parseDigits(env['HOLDFAST_ELAPSED_MS']) ?? 0
  const budgetMs = findBudgetMs(hook, env['HOLDFAST_HOOK_BUDGET_MS'])
  const getRemainingMs = (wholeMs: number) => wholeMs - SPOOL_MS - spentMs - process.uptime() * 1_000
  const stdin = await readPayload(() => Math.max(MIN_READ_MS, getRemainingMs(budgetMs)))
  const home = resolveHome(env)
  const problem = findPayloadProblem(stdin)
  const body = problem === undefined ? fitPayload(stdin.bytes) : undefined
  if (body === undefined) {
    const why = problem ?? 'payload too large'
    fallback().hookLog(home).warn(why, { harness, hook, bytes: stdin.bytes.length })
    return
  }
  const pid = parseDigits(env['HOLDFAST_PID'])
  const call = {
    harness,
    hook,
    body,
    eventId: eventId(),
    receivedAtMs,
    ...(pid === undefined ? {} : { pid }),
  }
  const delivery = await firstDelivery(call, getRemainingMs)
  debug(delivery.outcome)
  const where = { harness, hook, bytes: call.body.length, id: call.eventId }
  if ('output' in delivery) {
    const text = toPrintable(delivery.output)
    if (text !== undefined) print(text)
    else if (delivery.output.length > 0) fallback().hookLog(home).warn('reply not printed', where)
  }
  if (delivery.outcome === 'kept') return
  const log = fallback().hookLog(home)
  const { outcome } = delivery
  log.info('daemon did not take the event', {
    ...where,
    outcome,
    ...('status' in delivery && { status: delivery.status }),
  })
  if (delivery.outcome === 'refused') return
  setTimeout(() => leave(new Error('hard stop')), HARD_STOP_MS).unref()
  await fallback().spool(home, call, log)
  const notice =
    delivery.outcome === 'absent' && findStartBudgetMs(hook) !== undefined
      ? fallback().takeNotice(home, call)
      : undefined
  if (notice !== undefined) print(notice)
  if (delivery.outcome === 'absent') fallback().start(home, env, daemonScript)
  if (delivery.outcome === 'late') fallback().startStandIn(home, env, standInScript)
}

/** Whatever happens, the harness continues as if the hook did not exist. */
function leave(thrown?: unknown): never {
  if (thrown !== undefined) {
    try {
      debug(getErrorMessage(thrown))
      fallback()
        .hookLog(resolveHome(env))
        .error('hook failed', { hook: process.argv[3], cause: getErrorMessage(thrown) })
    } catch {
      // Without a home or the rest of the package, logging is impossible.
    }
  }
  process.exit(0)
}

// Also for unhandled rejections, which Node turns into this event.
process.on('uncaughtException', leave)
if (env['HOLDFAST_OFF']) leave()
else if (harness === undefined || hook === undefined) leave(new Error('usage: hook <harness> <hook>'))
else run(harness, hook).then(() => leave(), leave)
