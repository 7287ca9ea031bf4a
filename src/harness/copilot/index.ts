import { readContentText, isObject, type JsonObject, asObject, asText } from '../../kernel/json-shape.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import type { Harness } from '../contract/connector.ts'
import type { ReaderOptions, RecordReader } from '../contract/transcript-format.ts'
import { plainReader, SessionLog } from '../transcript/session-log.ts'

const COPILOT = 'copilot'

const EXIT = /<(?:shellId: \S+ )?(?:exited|completed) with exit code (-?\d+)>\s*$/

const RUNNING = /<command with shellId: (\S+) is still running\b[^>]*>\s*$/
const STOPPED = /^<command with id: \S+ stopped>/
const OF_A_SHELL = /^(?:read|write|stop)_(?:bash|powershell)$/

/** GitHub Copilot CLI's event files. */
function createCopilotReader(options: ReaderOptions): RecordReader {
  const log = new SessionLog(COPILOT, options)
  /** Calls whose command continues after they returned, by Copilot's id of the shell. */
  const running = new Map<string, string>()
  /** The command that a call reads from or stops. */
  const awaited = new Map<string, string>()

  function readStart(data: JsonObject, callId: string): void {
    const name = asText(data.toolName) ?? 'unknown'
    const going = running.get(String(asObject(data.arguments).shellId))
    if (going === undefined || !OF_A_SHELL.test(name))
      log.started(callId, readForeignCall({ name, input: data.arguments, callId }))
    else awaited.set(callId, going)
  }

  function readResult(data: JsonObject, callId: string): void {
    const result = asObject(data.result)
    const text = readContentText(result.content) ?? asText(asObject(data.error).message) ?? asText(data.error)
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
      ...(exitStatus === undefined ? {} : { exitStatus }),
    })
  }

  return plainReader(log, (record) => {
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
        log.prompt(asText(data.content), id)
        break
      case 'assistant.message':
        log.statement(asText(data.content))
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
}

/** Only its transcripts are read: it is not connected. */
export const copilotHarness: Harness = {
  id: COPILOT,
  transcript: {
    createReader: createCopilotReader,
    isOwnRecord: ({ type, data }) => type === 'session.start' && isObject(data),
  },
}
