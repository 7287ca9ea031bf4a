import { redactForeign } from '../../redaction/redact-input.ts'
import type { InjectionText } from '../../kernel/injection.ts'
import type { RecordResult } from '../../capture/use-cases.ts'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import { parseJson } from '../../platform/base/json.ts'
import { reducePayload } from '../../platform/base/reduce-payload.ts'
import { ROUTES } from '../../api/route-table.ts'
import { bind } from '../http/bind.ts'
import { readBody } from '../http/body.ts'
import {
  readDeadlineMs,
  isOurClient,
  createArrival,
  reply,
  replyUnrecorded,
  type HookRequest,
  canDetectUnread,
  onceRead,
  type HookPorts,
} from './hook-call.ts'
import type { PlainReply } from '../http/http-errors.ts'
import { within } from '../process/timers.ts'

/** The settings that describe the payload cannot be read now; the event can be replayed later. */
function isRetryable(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'settings-unreadable'
}

const PARAGRAPH = '\n\n'
/** A harness that calls HTTP by itself sends a whole file or output. */
const MAX_HOOK_BYTES = 16_000_000
/** A longer payload would block the daemon while it is redacted. */
const MAX_READ_CHARS = 1_000_000

/** Text that is not JSON stays as it is, and is reported as such. */
function shortenPayload(text: string): string {
  return text.length <= MAX_READ_CHARS ? text : (reducePayload(text, MAX_READ_CHARS) ?? text)
}

function joinTexts(between: string, ...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join(between)
}

export function hookRoutes(deps: HookPorts) {
  function readEvent({ connector, hook, payload, arrival }: HookRequest): SessionEvent | undefined {
    try {
      return connector.readEvent(hook, payload, arrival)
    } catch (error) {
      if (isRetryable(error)) throw error
      // The harness changed, or the payload is broken: the agent must not fail because of it.
      deps.log.warn('hook payload not understood', { harness: connector.id, hook, error: getErrorMessage(error) })
      return undefined
    }
  }

  async function chooseInjection(
    call: HookRequest,
    event: SessionEvent,
    { session, takenChars }: RecordResult & { takenChars: number },
  ): Promise<InjectionText | undefined> {
    try {
      const maxChars = call.connector.capabilities.maxOutputChars - takenChars
      return await deps.continuity.inject({ event, session, maxChars })
    } catch (error) {
      deps.log.error('nothing injected', { harness: call.connector.id, hook: call.hook, error: getErrorMessage(error) })
      return undefined
    }
  }

  /** An injection counts once the caller has read it; where that cannot be observed, once it was sent in time. */
  function confirmOnceRead(call: HookRequest, deadlineMs: number, confirm: () => void): void {
    const { outgoing, arrivedMs } = call.env
    if (isOurClient(call.env) && canDetectUnread(outgoing)) return onceRead(outgoing, confirm)
    outgoing.once('finish', () => {
      if (deps.clock.monotonicMs() - arrivedMs <= deadlineMs) confirm()
    })
  }

  /** Noted after the reply, so that the caller does not wait for it. */
  function noteSighting({ connector, hook, arrival, env }: HookRequest, harnessVersion = 'unknown'): void {
    const note = () => deps.noteSighting({ harness: connector.id, harnessVersion, hook, at: arrival.at })
    if (env.outgoing.closed) note()
    else env.outgoing.once('close', note)
  }

  /** Takes at most half of the remaining time: the event must be recorded in time, with or without the transcript. */
  async function readTranscript(
    { connector, hook, payload }: HookRequest,
    event: SessionEvent,
    leftMs: number,
  ): Promise<void> {
    if (connector.isTranscriptMoreComplete?.(hook, payload) !== true) return
    const reading = deps.continuity.readTranscript(event).catch((error: unknown) => {
      deps.log.warn('transcript not read', { harness: connector.id, hook, error: getErrorMessage(error) })
    })
    const read = await within(leftMs / 2, reading)
    if (!read.isDone) deps.background.follow('reading a transcript', reading)
  }

  async function recordEvent(call: HookRequest, event: SessionEvent, remaining: () => number): Promise<RecordResult> {
    await deps.backlog()
    await readTranscript(call, event, remaining())
    const recorded = await deps.record(event)
    deps.metrics.countEvent(recorded.isNew)
    return recorded
  }

  /** A full disk can still be read: a session that starts gets the recovery of the last one. */
  async function renderUnrecorded({ connector, hook, payload }: HookRequest, event: SessionEvent) {
    if (!connector.canInject(hook, payload)) return undefined
    try {
      const text = await deps.continuity.recoverUnrecorded(event, connector.capabilities.maxOutputChars)
      return text === '' ? undefined : connector.writeInjection(hook, deps.redact(text))
    } catch (error) {
      deps.log.warn('nothing injected for an unrecorded event', {
        harness: connector.id,
        hook,
        error: getErrorMessage(error),
      })
      return undefined
    }
  }

  function park({ connector, hook, payload, arrival }: HookRequest): Promise<boolean> {
    const { id, at, pid, pidStartedAt } = arrival
    return deps.park({ id, at, harness: connector.id, hook, payload, pid, pidStartedAt })
  }

  async function parkUnrecorded(call: HookRequest, error: unknown): Promise<void> {
    const isParked = !isOurClient(call.env) && (await park(call))
    const { connector, hook } = call
    deps.log.warn('hook event not recorded', { harness: connector.id, hook, isParked, error: getErrorMessage(error) })
  }

  /** Spooling here costs one file. The client would have to start Node for that, which delays every hook under load. */
  async function replyLate(call: HookRequest, output: string | undefined): Promise<PlainReply> {
    return isOurClient(call.env) && (await park(call)) ? reply(call, output) : replyUnrecorded(call, output)
  }

  function findStop({ connector, hook }: HookRequest, event: SessionEvent): string | undefined {
    const refusal = deps.findRefusal(event)
    return refusal === undefined ? undefined : connector.writeStop?.(hook, refusal)
  }

  async function answer(call: HookRequest, event: SessionEvent): Promise<PlainReply> {
    const deadlineMs = readDeadlineMs(call.env)
    const remaining = () => deadlineMs - (deps.clock.monotonicMs() - call.env.arrivedMs)
    const recording = recordEvent(call, event, remaining).then(
      (recorded) => {
        noteSighting(call, event.harnessVersion ?? recorded.session.harnessVersion)
        return recorded
      },
      async (error: unknown) => {
        noteSighting(call, event.harnessVersion)
        await parkUnrecorded(call, error)
        return undefined
      },
    )
    const result = await within(remaining(), recording)
    if (!result.isDone) deps.background.follow('recording an event', recording)
    // A stop applies whether or not the event was recorded.
    const stop = findStop(call, event)
    if (!result.isDone) return replyLate(call, stop)
    if (result.value === undefined && stop !== undefined) return replyUnrecorded(call, stop)
    if (result.value === undefined) {
      const rendered = await within(remaining(), renderUnrecorded(call, event))
      return replyUnrecorded(call, rendered.isDone ? rendered.value : undefined)
    }

    if (stop !== undefined) return reply(call, stop)
    if (!call.connector.canInject(call.hook, call.payload)) return reply(call)

    const notice = event.kind === 'session-started' ? deps.lossNotice() : undefined
    const takenChars = notice === undefined ? 0 : notice.text.length + PARAGRAPH.length
    const choosing = chooseInjection(call, event, { ...result.value, takenChars })
    const chosen = await within(remaining(), choosing)
    if (!chosen.isDone) deps.background.follow('choosing an injection', choosing)
    const injected = chosen.isDone ? chosen.value : undefined
    const text = deps.redact(joinTexts(PARAGRAPH, notice?.text, injected?.text))
    if (text === '') return reply(call)
    const forUser = deps.redact(joinTexts(' ', notice?.text.replace(/^Holdfast: /, ''), injected?.forUser))
    const output =
      injected?.isRefusal === true
        ? call.connector.writeRefusal?.(call.hook, text)
        : call.connector.writeInjection(call.hook, text, forUser === '' ? undefined : forUser)
    if (output === undefined) return reply(call)
    confirmOnceRead(call, deadlineMs, () => {
      notice?.confirm()
      for (const injection of injected === undefined ? [] : [injected.injection, ...(injected.also ?? [])])
        deps.background.follow('confirming an injection', deps.continuity.confirmInjection(injection))
    })
    return reply(call, output)
  }

  async function receive(call: HookRequest): Promise<PlainReply> {
    let event: SessionEvent | undefined
    try {
      event = readEvent(call)
    } catch (error) {
      await parkUnrecorded(call, error)
      return replyUnrecorded(call)
    }
    if (event !== undefined) return answer(call, event)
    noteSighting(call)
    return reply(call)
  }

  return {
    hook: bind(ROUTES.hook, async ({ params, env }) => {
      const connector = deps.getConnector(params.harness)
      const text = shortenPayload(await readBody(env.incoming, MAX_HOOK_BYTES))
      let payload: unknown
      try {
        payload = redactForeign(parseJson(text), text)
      } catch (error) {
        deps.log.warn('hook payload is not JSON', {
          harness: connector.id,
          hook: params.hook,
          bytes: text.length,
          error: getErrorMessage(error),
        })
        return reply({ connector, env })
      }
      const response = await receive({ connector, hook: params.hook, payload, arrival: createArrival(env, deps), env })
      deps.metrics.observeHook(deps.clock.monotonicMs() - env.arrivedMs)
      return response
    }),
  }
}
