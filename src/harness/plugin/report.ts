import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { exchange, ExchangeError, FINAL_STATUSES, isSocketTrusted } from '../../client/http.ts'
import type { Home } from '../../platform/base/home.ts'
import { HEADER } from '../../wire/headers.ts'
import { boundedJson } from './bounded-json.ts'

/** Undefined when the time is up or the work failed. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let giveUp: NodeJS.Timeout | undefined
  const timeUp = new Promise<undefined>((resolve) => {
    // After pending I/O: the harness may have been busy for longer than the limit.
    giveUp = setTimeout(() => setImmediate(() => resolve(undefined)), ms)
  })
  try {
    return await Promise.race([work, timeUp])
  } catch {
    return undefined
  } finally {
    clearTimeout(giveUp)
  }
}

const DEADLINE_MS = 300
/** For an answer that a prompt waits for. */
const ANSWER_MS = 500
/** How long a tool waits for a refusal before it runs. */
export const REFUSAL_MS = 300
/** How long a daemon that was just started is waited for, once. */
const START_MS = 1_500
const START_AGAIN_MS = 60_000
const RETRY_MS = 25
const TRAVEL_MS = 20
/** After a late answer, events go to the spool for this long without asking the daemon. */
const LATE_MS = 5_000
const SPOOLING_MS = 3_000
const CLIENT_BUDGET_MS = '15000'
const MAX_REPLY_BYTES = 200_000

/** The process that a plugin was loaded into. */
export interface PluginHost {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  readonly pid: number
  /** `hook.cjs` of the built package: it spools, and starts the daemon. */
  readonly hookScript: string
  /** The Node that runs `hook.cjs`; the harness may be another program. */
  readonly node: string
  readonly now: () => string
}

export interface SendOptions {
  /** An agent waits for the answer, also while the daemon is starting. */
  readonly isAnswerWanted?: boolean
  /** Resolves when the daemon has answered or failed to, not when the event is spooled. */
  readonly isRefusable?: boolean
}

export interface Reporter {
  /**
   * Sends one event, after every earlier one. Never rejects and never blocks for long: what the daemon did not take
   * goes to the spool. Resolves to the text to inject; undefined when there is none.
   */
  send(hook: string, payload: unknown, options?: SendOptions): Promise<string | undefined>
  /** Resolves when everything was sent, or when the time is up. */
  settle(withinMs: number): Promise<void>
}

/** `tried` says why the daemon does not have the event, in the words of `hook.cjs`; absent when nothing is left to do. */
interface ReportOutcome {
  readonly reply?: string
  readonly tried?: '' | 'late' | 'failed'
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

function withResolvers() {
  let resolve: (text: string | undefined) => void = () => undefined
  const promise = new Promise<string | undefined>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** `HOLDFAST_HOOK_BUDGET_MS` overrides every time limit, for slow machines. */
export function readBudgetMs(env: NodeJS.ProcessEnv, usualMs: number): number {
  const given = env.HOLDFAST_HOOK_BUDGET_MS
  return given !== undefined && /^\d{1,5}$/.test(given) ? Number(given) : usualMs
}

export function createReporter(harness: string, surroundings: PluginHost): Reporter {
  const { home, env, pid } = surroundings
  let chain: Promise<unknown> = Promise.resolve()
  let lateUntilMs = 0
  let startedAtMs = Number.NEGATIVE_INFINITY

  async function ask(hook: string, body: string, id: string, deadlineMs: number): Promise<ReportOutcome> {
    const deadline = Math.max(TRAVEL_MS + 5, deadlineMs)
    try {
      if (!isSocketTrusted(home)) return { tried: '' }
      const {
        status,
        headers,
        body: said,
      } = await exchange({
        socketPath: home.socket,
        method: 'POST',
        path: `/hook/${encodeURIComponent(harness)}/${encodeURIComponent(hook)}`,
        headers: {
          'Content-Type': 'application/json',
          [HEADER.client]: 'plugin',
          [HEADER.eventId]: id,
          [HEADER.receivedAt]: surroundings.now(),
          [HEADER.deadlineMs]: String(Math.floor(deadline - TRAVEL_MS)),
          [HEADER.pid]: String(pid),
        },
        body,
        deadlineMs: deadline,
        maxReplyBytes: MAX_REPLY_BYTES,
      })
      const reply = said.toString('utf8')
      if (status === 200 || status === 204) return { reply }
      if (headers.has(HEADER.unkept)) return { reply, tried: 'failed' }
      return FINAL_STATUSES.has(status) ? {} : { tried: 'failed' }
    } catch (thrown) {
      if (thrown instanceof ExchangeError && thrown.fault === 'absent') return { tried: '' }
      return { tried: thrown instanceof ExchangeError && thrown.fault === 'late' ? 'late' : 'failed' }
    }
  }

  /** `hook.cjs` redacts and spools the event and starts the daemon. When it takes long it is left to run by itself. */
  async function spool(hook: string, body: string, id: string, tried: string): Promise<void> {
    if (performance.now() - startedAtMs > START_AGAIN_MS) startedAtMs = performance.now()
    await new Promise<void>((resolve) => {
      const giveUp = setTimeout(resolve, readBudgetMs(env, SPOOLING_MS))
      const done = () => {
        clearTimeout(giveUp)
        resolve()
      }
      const child = spawn(surroundings.node, [surroundings.hookScript, harness, hook], {
        env: {
          ...env,
          HOLDFAST_HOME: home.root,
          HOLDFAST_PID: String(pid),
          HOLDFAST_EVENT_ID: id,
          HOLDFAST_TRIED: tried,
          // No caller waits for it, and a busy harness may be slow to send the payload.
          HOLDFAST_HOOK_BUDGET_MS: CLIENT_BUDGET_MS,
        },
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
        windowsHide: true,
      })
      child.on('error', done)
      child.on('close', done)
      // A client that does not read breaks the pipe; the event is then lost anyway.
      child.stdin.on('error', () => undefined)
      child.stdin.end(body)
      child.unref()
    })
  }

  /** Waits for a daemon that is starting; a daemon that never comes costs a session this time once. */
  async function askPatiently(hook: string, body: string, id: string): Promise<ReportOutcome> {
    const deadlineMs = readBudgetMs(env, ANSWER_MS)
    let outcome = await ask(hook, body, id, deadlineMs)
    const until = startedAtMs + Math.max(START_MS, deadlineMs)
    while (outcome.tried === '' && performance.now() < until) {
      await pause(RETRY_MS)
      outcome = await ask(hook, body, id, deadlineMs)
    }
    return outcome
  }

  async function deliver(
    hook: string,
    body: string,
    isAnswerWanted: boolean,
    onAnswer: (text: string | undefined) => void,
  ): Promise<string | undefined> {
    const id = randomUUID()
    const isLate = performance.now() < lateUntilMs
    const outcome: ReportOutcome = isLate
      ? { tried: 'late' }
      : isAnswerWanted
        ? await askPatiently(hook, body, id)
        : await ask(hook, body, id, readBudgetMs(env, DEADLINE_MS))
    onAnswer(outcome.reply || undefined)
    if (outcome.tried === 'late' && !isLate) lateUntilMs = performance.now() + LATE_MS
    if (outcome.tried !== undefined) await spool(hook, body, id, outcome.tried)
    return outcome.reply || undefined
  }

  return {
    send(hook, payload, { isAnswerWanted = false, isRefusable = false } = {}) {
      // The harness was started by Holdfast itself, to write a digest.
      if (env['HOLDFAST_OFF']) return Promise.resolve(undefined)
      // Serialised at once: the harness continues to use and change the objects.
      const body = boundedJson(payload)
      const { promise: answer, resolve: onAnswer } = withResolvers()
      const delivery = chain.then(() => deliver(hook, body, isAnswerWanted, onAnswer)).catch(() => undefined)
      chain = delivery
      return isRefusable ? Promise.race([answer, delivery]) : delivery
    },
    async settle(withinMs) {
      await within(withinMs, chain)
    },
  }
}
