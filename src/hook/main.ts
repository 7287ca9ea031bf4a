import { existsSync, readFileSync, writeSync } from 'node:fs'
import { messageOf } from '../kernel/errors.ts'
import { homeOf } from '../platform/base/home.ts'
import { budgetMsOf } from './budget.ts'
import type { Delivery, HookCall } from './call.ts'
import { deliver } from './deliver.ts'
import { printable } from './printable.ts'
import { readStdin, type Stdin } from './stdin.ts'

const MAX_PAYLOAD_BYTES = 1_000_000
/** A payload gets this long even where starting took all the time there was. */
const MIN_READ_MS = 50
/** Kept back from the budget for writing to the spool. */
const SPOOL_MS = 25
/** Past this even a hung disk is left alone. Below every timeout that we install, and long enough for a machine that is only busy. */
const HARD_STOP_MS = 3_000

/** Printed by nobody: Node compiles what prints while the daemon works. */
const SAMPLE_ANSWER = Buffer.from('{}')

const env = process.env

function debug(message: string): void {
  if (env['HOLDFAST_DEBUG']) process.stderr.write(`holdfast hook: ${message}\n`)
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

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined
}

/** Whoever reads our output may have gone, or never read: neither is ours to report. */
function print(text: string): void {
  const bytes = Buffer.from(text)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written)
  } catch (thrown) {
    debug(`stdout: ${messageOf(thrown)}`)
  }
}

/** A sender that does not close its end may have said all that it had to: no beginning of an object is one itself. */
function isWhole(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'))
    return true
  } catch {
    return false
  }
}

function whyNoCall(stdin: Stdin): string | undefined {
  if (stdin.isTooLarge) return 'payload too large'
  if (stdin.isCutOff && !isWhole(stdin.bytes)) return 'payload cut off'
  return stdin.bytes.length === 0 ? 'no payload' : undefined
}

/** What the launcher has read already comes on stdin; a descriptor that it names has the rest of a large payload. */
async function readPayload(deadlineMs: () => number): Promise<Stdin> {
  const first = await readStdin({ fd: 0, maxBytes: MAX_PAYLOAD_BYTES, deadlineMs: deadlineMs() })
  const fd = numberOf(env['HOLDFAST_REST_FD'])
  if (fd === undefined || first.isTooLarge || first.isCutOff) return first
  const maxBytes = MAX_PAYLOAD_BYTES - first.bytes.length
  const rest = await readStdin({ fd, maxBytes, deadlineMs: deadlineMs() })
  return { ...rest, bytes: Buffer.concat([first.bytes, rest.bytes]) }
}

const daemonScript = `${import.meta.dirname}/daemon.js`
const standInScript = `${import.meta.dirname}/stand-in.cjs`

/** The launcher may have asked already; the daemon then had its chance. */
async function firstDelivery(call: HookCall, remainingMs: () => number): Promise<Delivery> {
  const home = homeOf(env)
  const tried = env['HOLDFAST_TRIED']
  if (tried === 'late') return { outcome: tried }
  if (tried === 'failed') return { outcome: 'failed', status: 0 }
  // Somebody asks already whether the daemon is back, so nobody else has to wait for it.
  if (existsSync(home.lateFile) && fallback().hasStandIn(home)) return { outcome: 'late' }
  try {
    return await deliver(call, {
      home,
      remainingMs,
      startDaemon: () => fallback().start(home, env, daemonScript),
      meanwhile: () => printable(SAMPLE_ANSWER),
    })
  } catch (thrown) {
    debug(messageOf(thrown))
    return { outcome: 'failed', status: 0 }
  }
}

async function run(harness: string, hook: string): Promise<void> {
  const receivedAtMs = Date.now()
  const spentMs = numberOf(env['HOLDFAST_ELAPSED_MS']) ?? 0
  const budgetMs = budgetMsOf(hook, env['HOLDFAST_HOOK_BUDGET_MS'])
  const remainingMs = () => budgetMs - SPOOL_MS - spentMs - process.uptime() * 1_000
  const stdin = await readPayload(() => Math.max(MIN_READ_MS, remainingMs()))
  const home = homeOf(env)
  const why = whyNoCall(stdin)
  if (why !== undefined) {
    fallback().hookLog(home).warn(why, { harness, hook, bytes: stdin.bytes.length })
    return
  }
  const pid = numberOf(env['HOLDFAST_PID'])
  const call = {
    harness,
    hook,
    body: stdin.bytes,
    eventId: eventId(),
    receivedAtMs,
    ...(pid === undefined ? {} : { pid }),
  }
  const delivery = await firstDelivery(call, remainingMs)
  debug(delivery.outcome)
  const where = { harness, hook, bytes: call.body.length, id: call.eventId }
  if ('output' in delivery) {
    const text = printable(delivery.output)
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
  if (delivery.outcome === 'absent') fallback().start(home, env, daemonScript)
  if (delivery.outcome === 'late') fallback().startStandIn(home, env, standInScript)
}

/** The one promise of a hook: whatever happens, the harness goes on as if we were not there. */
function leave(thrown?: unknown): never {
  if (thrown !== undefined) {
    try {
      debug(messageOf(thrown))
      fallback()
        .hookLog(homeOf(env))
        .error('hook failed', { hook: process.argv[3], cause: messageOf(thrown) })
    } catch {
      // Without a home, or the rest of the package, there is nowhere to say it.
    }
  }
  process.exit(0)
}

const [harness, hook] = process.argv.slice(2)
// Also for rejections that nobody handles: Node turns them into this.
process.on('uncaughtException', leave)
if (harness === undefined || hook === undefined) leave(new Error('usage: hook <harness> <hook>'))
else run(harness, hook).then(() => leave(), leave)
