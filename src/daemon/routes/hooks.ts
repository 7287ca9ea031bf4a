import { redactForeign } from '../../redaction/redact-input.ts'
import type { InjectionText } from '../../kernel/injection.ts'
import type { Recorded } from '../../capture/use-cases.ts'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import type { SessionEvent } from '../../kernel/event.ts'
import { parseJson } from '../../platform/base/json.ts'
import { ROUTES } from '../../api/route-table.ts'
import { bind } from '../http/bind.ts'
import { readBody } from '../http/body.ts'
import { deadlineOf, isOurClient, receiptOf, reply, replyUnkept, type Call } from '../hooks/hook-call.ts'
import type { HookDoorDeps } from '../hooks/hook-ports.ts'
import type { PlainAnswer } from '../http/http-errors.ts'
import { hearsOfUnread, onceRead } from '../http/once-read.ts'
import { within } from '../process/within.ts'

/** What says how to read a payload cannot be read itself: the event is worth waiting for better days. */
function isForLater(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'settings-unreadable'
}

const PARAGRAPH = '\n\n'

function joined(between: string, ...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join(between)
}

export function hookRoutes(deps: HookDoorDeps) {
  function readEvent({ connector, hook, payload, receipt }: Call): SessionEvent | undefined {
    try {
      return connector.readEvent(hook, payload, receipt)
    } catch (error) {
      if (isForLater(error)) throw error
      // The harness changed, or the payload is broken: its agent must not suffer for that.
      deps.log.warn('hook payload not understood', { harness: connector.id, hook, error: messageOf(error) })
      return undefined
    }
  }

  async function injectionFor(
    call: Call,
    event: SessionEvent,
    { session, takenChars }: Recorded & { takenChars: number },
  ): Promise<InjectionText | undefined> {
    try {
      const maxChars = call.connector.capabilities.maxOutputChars - takenChars
      return await deps.continuity.inject({ event, session, maxChars })
    } catch (error) {
      deps.log.error('nothing injected', { harness: call.connector.id, hook: call.hook, error: messageOf(error) })
      return undefined
    }
  }

  /** Owed until its caller has it: read, where that can be known, else sent in time. */
  function onceTold(call: Call, deadlineMs: number, confirm: () => void): void {
    const { outgoing, arrivedMs } = call.env
    if (isOurClient(call.env) && hearsOfUnread(outgoing)) return onceRead(outgoing, confirm)
    outgoing.once('finish', () => {
      if (deps.clock.monotonicMs() - arrivedMs <= deadlineMs) confirm()
    })
  }

  /** After the answer: it is worth having, and not worth waiting for. */
  function sight({ connector, hook, receipt, env }: Call, harnessVersion = 'unknown'): void {
    const note = () => deps.sight({ harness: connector.id, harnessVersion, hook, at: receipt.at })
    if (env.outgoing.closed) note()
    else env.outgoing.once('close', note)
  }

  /** At most half of what is left: an event must be kept in time, with or without what the transcript adds. */
  async function askTranscript({ connector, hook, payload }: Call, event: SessionEvent, leftMs: number): Promise<void> {
    if (connector.isToldBetterByTranscript?.(hook, payload) !== true) return
    const reading = deps.continuity.readTranscript(event).catch((error: unknown) => {
      deps.log.warn('transcript not read', { harness: connector.id, hook, error: messageOf(error) })
    })
    const read = await within(leftMs / 2, reading)
    if (!read.isDone) deps.background.follow('reading a transcript', reading)
  }

  async function keep(call: Call, event: SessionEvent, remaining: () => number): Promise<Recorded> {
    await deps.backlog()
    await askTranscript(call, event, remaining())
    const recorded = await deps.record(event)
    deps.metrics.countEvent(recorded.isNew)
    return recorded
  }

  /** A disk that is full can still be read: a session that starts is told where the last one was. */
  async function outputWithoutKeeping({ connector, hook, payload }: Call, event: SessionEvent) {
    if (!connector.canInject(hook, payload)) return undefined
    try {
      const text = await deps.continuity.recoverUnkept(event, connector.capabilities.maxOutputChars)
      return text === '' ? undefined : connector.writeInjection(hook, deps.redact(text))
    } catch (error) {
      deps.log.warn('nothing told beside an event not kept', { harness: connector.id, hook, error: messageOf(error) })
      return undefined
    }
  }

  function park({ connector, hook, payload, receipt }: Call): Promise<boolean> {
    const { id, at, pid, pidStartedAt } = receipt
    return deps.park({ id, at, harness: connector.id, hook, payload, pid, pidStartedAt })
  }

  async function parkUnkept(call: Call, error: unknown): Promise<void> {
    const isParked = !isOurClient(call.env) && (await park(call))
    const { connector, hook } = call
    deps.log.warn('hook event not kept', { harness: connector.id, hook, isParked, error: messageOf(error) })
  }

  /** Spooled here, it costs a file. Its client would start Node for that, which under load makes everybody late. */
  async function replyLate(call: Call, output: string | undefined): Promise<PlainAnswer> {
    return isOurClient(call.env) && (await park(call)) ? reply(call, output) : replyUnkept(call, output)
  }

  function stopFor({ connector, hook }: Call, event: SessionEvent): string | undefined {
    const refusal = deps.refusalOf(event)
    return refusal === undefined ? undefined : connector.writeStop?.(hook, refusal)
  }

  async function answer(call: Call, event: SessionEvent): Promise<PlainAnswer> {
    const deadlineMs = deadlineOf(call.env)
    const remaining = () => deadlineMs - (deps.clock.monotonicMs() - call.env.arrivedMs)
    const keeping = keep(call, event, remaining).then(
      (recorded) => {
        sight(call, event.harnessVersion ?? recorded.session.harnessVersion)
        return recorded
      },
      async (error: unknown) => {
        sight(call, event.harnessVersion)
        await parkUnkept(call, error)
        return undefined
      },
    )
    const kept = await within(remaining(), keeping)
    if (!kept.isDone) deps.background.follow('keeping an event', keeping)
    // Whether it was kept or not: what must not begin does not.
    const stop = stopFor(call, event)
    if (!kept.isDone) return replyLate(call, stop)
    if (kept.value === undefined && stop !== undefined) return replyUnkept(call, stop)
    if (kept.value === undefined) {
      const telling = await within(remaining(), outputWithoutKeeping(call, event))
      return replyUnkept(call, telling.isDone ? telling.value : undefined)
    }

    if (stop !== undefined) return reply(call, stop)
    if (!call.connector.canInject(call.hook, call.payload)) return reply(call)

    const notice = event.kind === 'session-started' ? deps.lossNotice() : undefined
    const takenChars = notice === undefined ? 0 : notice.text.length + PARAGRAPH.length
    const choosing = injectionFor(call, event, { ...kept.value, takenChars })
    const chosen = await within(remaining(), choosing)
    if (!chosen.isDone) deps.background.follow('choosing an injection', choosing)
    const injected = chosen.isDone ? chosen.value : undefined
    const text = deps.redact(joined(PARAGRAPH, notice?.text, injected?.text))
    if (text === '') return reply(call)
    const forUser = deps.redact(joined(' ', notice?.text, injected?.forUser))
    const output =
      injected?.isRefusal === true
        ? call.connector.writeRefusal?.(call.hook, text)
        : call.connector.writeInjection(call.hook, text, forUser === '' ? undefined : forUser)
    if (output === undefined) return reply(call)
    onceTold(call, deadlineMs, () => {
      notice?.told()
      if (injected !== undefined)
        deps.background.follow('confirming an injection', deps.continuity.confirmInjection(injected.injection))
    })
    return reply(call, output)
  }

  async function receive(call: Call): Promise<PlainAnswer> {
    let event: SessionEvent | undefined
    try {
      event = readEvent(call)
    } catch (error) {
      await parkUnkept(call, error)
      return replyUnkept(call)
    }
    if (event !== undefined) return answer(call, event)
    sight(call, undefined)
    return reply(call)
  }

  return {
    hook: bind(ROUTES.hook, async ({ params, env }) => {
      const connector = deps.getConnector(params.harness)
      const text = await readBody(env.incoming)
      let payload: unknown
      try {
        payload = redactForeign(parseJson(text), text)
      } catch (error) {
        deps.log.warn('hook payload is not JSON', {
          harness: connector.id,
          hook: params.hook,
          bytes: text.length,
          error: messageOf(error),
        })
        return reply({ connector, env })
      }
      const response = await receive({ connector, hook: params.hook, payload, receipt: receiptOf(env, deps), env })
      deps.metrics.observeHook(deps.clock.monotonicMs() - env.arrivedMs)
      return response
    }),
  }
}
