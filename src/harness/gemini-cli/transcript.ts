import { GEMINI_CLI } from './events.ts'
import { plainResult, readCall as readToolCall, readResultText, withCreation } from './tools.ts'
import { readUserText, withoutForeignText } from './user-text.ts'
import { contentText, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import type { ReaderOptions, RecordReader } from '../transcript/record-reader.ts'
import { plainReader, SessionLog } from '../transcript/session-log.ts'

/** The session itself, then its messages, of the one JSON document that versions before 0.6x wrote. */
export function recordsOfGemini(document: JsonObject): readonly JsonObject[] {
  const { messages, ...session } = document
  return [session, ...listOf(messages).map(objectOf)]
}

/** After compressing, Gemini CLI shows its model this in the user's place. */
const SNAPSHOT = '<state_snapshot>'

function ownText(content: unknown): string | undefined {
  const text = contentText(content)
  return text === undefined ? undefined : withoutForeignText(text)
}

function resultText(call: JsonObject): string | undefined {
  const [first] = listOf(call.result).map(objectOf)
  const response = objectOf(objectOf(first?.functionResponse).response)
  return textOf(response.output) ?? textOf(response.error)
}

/**
 * Beside a running session only what no hook tells: what was said, how full the context is, and that it was compressed.
 * Its hooks have no id for a prompt or a call, so what the transcript says of those could only count twice.
 */
export function createGeminiReader(options: ReaderOptions): RecordReader {
  const log = new SessionLog(GEMINI_CLI, options)
  const isLive = options.mode === 'live'
  /** The same record is written again as it grows; its words count once. */
  const said = new Map<string, string>()

  function readCall(call: JsonObject): void {
    const key = textOf(call.id)
    if (key === undefined || (call.status !== 'success' && call.status !== 'error' && call.status !== 'cancelled'))
      return
    const result = resultText(call)
    const { isFailure, ...facts } = readResultText(result)
    log.started(key, withCreation(readToolCall(textOf(call.name) ?? 'unknown', call.args, key), call.resultDisplay))
    log.finished(key, {
      ...facts,
      ok: call.status === 'success' && !isFailure,
      text: textOf(call.resultDisplay) || plainResult(result),
      interrupted: call.status === 'cancelled' || facts.interrupted === true,
    })
  }

  function readCompression(text: string, id: string): void {
    said.set(id, text)
    log.compacted(id)
    if (isLive) log.startedAfterCompaction(id)
    log.summary(text)
  }

  function readMessage(message: JsonObject): void {
    log.learn({ time: message.timestamp, model: message.model })
    const id = textOf(message.id) ?? ''
    const text = ownText(message.content)
    const isNew = text !== undefined && text !== '' && said.get(id) !== text
    if (message.type === 'user' && isNew) {
      if (text.startsWith(SNAPSHOT)) readCompression(text, id)
      else if (!isLive) log.prompt(readUserText(text), id)
    }
    if (message.type !== 'gemini') return
    if (isNew) {
      said.set(id, text)
      log.statement(text)
    }
    if (!isLive) for (const call of listOf(message.toolCalls)) readCall(objectOf(call))
    log.measured(numberOf(objectOf(message.tokens).total))
  }

  /** The whole history, written anew: beside a running session all but a compression was read before. */
  function readHistory(messages: readonly unknown[]): void {
    for (const message of messages.map(objectOf)) {
      const isCompression = message.type === 'user' && ownText(message.content)?.startsWith(SNAPSHOT) === true
      if (!isLive || isCompression) readMessage(message)
    }
  }

  return plainReader(log, (record) => {
    log.learn({ time: record.timestamp ?? record.startTime, session: record.sessionId })
    const patch = objectOf(record.$set)
    log.learn({ session: patch.sessionId })
    readHistory(listOf(patch.messages))
    if (record.type !== undefined) readMessage(record)
  })
}
