import { contentText, type JsonObject, listOf, numberOf, objectOf, textOf } from '../harness/json-shape.ts'
import { readForeignCall } from '../harness/tool-call.ts'
import { withoutElements } from '../harness/without-elements.ts'
import type { ReaderOptions, RecordReader } from './record-reader.ts'
import { SessionLog } from './session-log.ts'

/** The session itself, then its messages, of the one JSON document that versions before 0.6x wrote. */
export function recordsOfGemini(document: JsonObject): readonly JsonObject[] {
  const { messages, ...session } = document
  return [session, ...listOf(messages).map(objectOf)]
}

const FOREIGN_ELEMENTS = ['session_context', 'hook_context', 'untrusted_context'] as const

const EXIT = /^(?:Exit Code|Command exited with code): (\d+)$/m
/** After compressing, Gemini CLI shows its model this in the user's place. */
const SNAPSHOT = '<state_snapshot>'

function ownText(content: unknown): string | undefined {
  const text = contentText(content)
  return text === undefined ? undefined : withoutElements(text, FOREIGN_ELEMENTS).trim()
}

function resultText(call: JsonObject): string | undefined {
  const display = textOf(call.resultDisplay)
  if (display !== undefined && display !== '') return display
  const [first] = listOf(call.result).map(objectOf)
  const response = objectOf(objectOf(first?.functionResponse).response)
  return textOf(response.output) ?? textOf(response.error)
}

export function createGeminiReader(options: ReaderOptions): RecordReader {
  const log = new SessionLog('gemini-cli', options)
  /** The same record is written again as it grows; its words count once. */
  const said = new Map<string, string>()

  function readCall(call: JsonObject): void {
    const key = textOf(call.id)
    if (key === undefined || (call.status !== 'success' && call.status !== 'error' && call.status !== 'cancelled'))
      return
    const text = resultText(call)
    const exit = EXIT.exec(text ?? '')?.[1]
    const exitStatus = exit === undefined ? undefined : Number(exit)
    log.started(key, readForeignCall({ name: textOf(call.name) ?? 'unknown', input: call.args, callId: key }))
    log.finished(key, {
      ok: call.status === 'success' && (exitStatus ?? 0) === 0,
      text,
      interrupted: call.status === 'cancelled',
      ...(exitStatus === undefined ? {} : { exitStatus }),
    })
  }

  function readUser(text: string, id: string): void {
    if (text.startsWith('<session_context>')) return
    if (!text.startsWith(SNAPSHOT)) log.prompt(text, id)
    else if (said.get(id) !== text) {
      said.set(id, text)
      log.compacted(id)
      log.summary(text)
    }
  }

  function readMessage(message: JsonObject): void {
    log.learn({ time: message.timestamp, model: message.model })
    const id = textOf(message.id) ?? ''
    const text = ownText(message.content)
    const isNew = text !== undefined && text !== '' && said.get(id) !== text
    if (message.type === 'user' && isNew) readUser(text, id)
    if (message.type !== 'gemini') return
    if (isNew) {
      said.set(id, text)
      log.statement(text)
    }
    for (const call of listOf(message.toolCalls)) readCall(objectOf(call))
    log.measured(numberOf(objectOf(message.tokens).total))
  }

  return {
    prime: () => undefined,
    takeFinishedSubagents: () => [],
    facts: () => log.facts(),
    end: () => log.end(),
    read(record) {
      log.learn({ time: record.timestamp ?? record.startTime, session: record.sessionId })
      const patch = objectOf(record.$set)
      log.learn({ session: patch.sessionId })
      for (const message of listOf(patch.messages)) readMessage(objectOf(message))
      if (record.type !== undefined) readMessage(record)
      return log.take()
    },
  }
}
