import type { ToolOutcome } from '../../kernel/event.ts'
import {
  readContentText,
  isObject,
  type JsonObject,
  asList,
  asNumber,
  asObject,
  asText,
} from '../../kernel/json-shape.ts'
import { readAnswers } from '../payload/answers.ts'
import { boundedPrompt } from '../payload/bounds.ts'
import { findRefusal } from '../payload/refusal.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import type { Harness } from '../contract/connector.ts'
import type { ReaderOptions, RecordReader } from '../contract/transcript-format.ts'
import { plainReader, SessionLog } from '../transcript/session-log.ts'

const COPILOT = 'copilot'

const EXIT = /<(?:shellId: \S+ )?(?:exited|completed) with exit code (-?\d+)>\s*$/

const RUNNING = /<command with shellId: (\S+) is still running\b[^>]*>\s*$/
const STOPPED = /^<command with id: \S+ stopped>/
const OF_A_SHELL = /^(?:read|write|stop)_(?:bash|powershell)$/

const REFUSALS = {
  byUser: /^The user rejected this tool call\b(?:.{0,200}?feedback: (.*))?/is,
  byHarness: /^(?:Permission denied and could not request permission from user|Denied by |This tool call was blocked)/i,
} as const

/** GitHub Copilot CLI's event files. */
function createCopilotReader(options: ReaderOptions): RecordReader {
  const log = new SessionLog(COPILOT, options)
  /** Calls whose command continues after they returned, by Copilot's id of the shell. */
  const running = new Map<string, string>()
  /** Calls that were not allowed. */
  const refusals = new Map<string, ToolOutcome['refused']>()
  /** The questions of each call of `ask_user`. */
  const questions = new Map<string, unknown>()
  /** Whether the agent did something since the user's last message. */
  let isWorking = false
  /** The command that a call reads from or stops. */
  const awaited = new Map<string, string>()

  function readStart(data: JsonObject, callId: string): void {
    const name = asText(data.toolName) ?? 'unknown'
    if (name === 'ask_user') questions.set(callId, data.arguments)
    const going = running.get(String(asObject(data.arguments).shellId))
    if (going === undefined || !OF_A_SHELL.test(name))
      log.started(callId, readForeignCall({ name, input: data.arguments, callId }))
    else awaited.set(callId, going)
  }

  function readPermission(data: JsonObject, callId: string): void {
    const { kind, feedback } = asObject(data.result)
    if (asText(kind)?.startsWith('denied') !== true) return
    const words = boundedPrompt(feedback)
    refusals.set(
      callId,
      kind === 'denied-interactively-by-user'
        ? { by: 'user', ...(words === undefined ? {} : { words }) }
        : { by: 'harness' },
    )
  }

  /** The outcome of a command in the background, from a notice to the model. */
  function readNotification({ kind }: JsonObject): void {
    const { type, shellId, exitCode } = asObject(kind)
    const key = running.get(String(shellId))
    const exitStatus = asNumber(exitCode)
    if (type !== 'shell_completed' || key === undefined || exitStatus === undefined) return
    log.finished(key, { ok: exitStatus === 0, exitStatus })
  }

  function readResult(data: JsonObject, callId: string): void {
    const result = asObject(data.result)
    const text = readContentText(result.content) ?? asText(asObject(data.error).message) ?? asText(data.error)
    const refused = refusals.get(callId) ?? (data.success === false ? findRefusal(text, REFUSALS) : undefined)
    if (refused !== undefined) {
      log.finished(callId, { ok: false, text, refused })
      return
    }
    const exit = EXIT.exec((text ?? '').slice(-200))?.[1]
    const exitStatus = exit === undefined ? undefined : Number(exit)
    const key = awaited.get(callId) ?? callId
    const shell = RUNNING.exec((text ?? '').slice(-400))?.[1]
    if (shell !== undefined) running.set(shell, key)
    // A call that reads from a running command, or is refused, says nothing about the command's outcome.
    if (shell !== undefined || (key !== callId && exit === undefined && !STOPPED.test(text ?? ''))) return
    if (key !== callId && exit === undefined) {
      log.finished(key, { ok: false, interrupted: true })
      return
    }
    log.finished(key, {
      ok: data.success !== false && (exitStatus ?? 0) === 0,
      text: text?.replace(EXIT, ''),
      answers: readAnswers([questions.get(callId)], [text?.replace(/^User (?:selected|responded): /, '')]),
      ...(exitStatus === undefined ? {} : { exitStatus }),
    })
  }

  const reader = plainReader(log, (record) => {
    const data = asObject(record.data)
    const id = asText(record.id) ?? ''
    const callId = asText(data.toolCallId)
    log.learn({ time: record.timestamp })
    switch (record.type) {
      case 'session.start':
      case 'session.resume': {
        const context = asObject(data.context)
        log.learn({ session: data.sessionId, cwd: context.cwd, branch: context.branch, version: data.copilotVersion })
        break
      }
      case 'session.model_change':
        log.learn({ model: data.newModel })
        break
      case 'user.message':
        log.prompt(asText(data.content), id, isWorking ? { isQueued: true } : {})
        break
      case 'assistant.message':
        log.statement(asText(data.content))
        isWorking = asList(data.toolRequests).length > 0
        if (!isWorking && Array.isArray(data.toolRequests)) log.turnEnded(id)
        break
      case 'abort':
        isWorking = false
        log.turnAborted()
        break
      case 'permission.completed':
        if (callId !== undefined) readPermission(data, callId)
        break
      case 'system.notification':
        readNotification(data)
        break
      case 'tool.execution_start':
        if (callId !== undefined) readStart(data, callId)
        break
      case 'tool.execution_complete':
        if (callId !== undefined) readResult(data, callId)
        break
      case 'session.compaction_complete':
        log.compacted(id)
        log.summary(asText(data.summaryContent) ?? asText(data.summary))
        break
    }
  })
  return {
    ...reader,
    end() {
      for (const [shell, key] of running) log.finished(key, { ok: true, backgroundId: shell })
      return reader.end()
    },
  }
}

/** Only its transcripts are read: it is not connected. */
export const copilotHarness: Harness = {
  id: COPILOT,
  transcript: {
    createReader: createCopilotReader,
    isOwnRecord: ({ type, data }) => type === 'session.start' && isObject(data),
  },
  resumeCommand: (sessionKey) => ['copilot', '--resume', sessionKey],
}
