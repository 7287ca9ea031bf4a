import {
  GEMINI_CLI,
  plainResult,
  readDialogue,
  readCall as readToolCall,
  readResultText,
  withCreation,
  readUserText,
  withoutForeignText,
} from './events.ts'
import {
  readContentText,
  isObject,
  type JsonObject,
  asList,
  asNumber,
  asObject,
  asText,
} from '../../kernel/json-shape.ts'
import type { ReaderOptions, RecordReader, TranscriptFormat } from '../contract/transcript-format.ts'
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { sha256 } from '../../platform/base/crypto.ts'
import { userFolder } from './paths.ts'
import { plainReader, SessionLog } from '../transcript/session-log.ts'

/** The session, then its messages, of the single JSON document that versions before 0.6x wrote. */
function splitDocument(document: JsonObject): readonly JsonObject[] {
  const { messages, ...session } = document
  return [session, ...asList(messages).map(asObject)]
}

/** Gemini CLI's own answer to the snapshot, in its model's name. */
const ACKNOWLEDGEMENT = 'Got it. Thanks for the additional context!'

/** After compressing, Gemini CLI shows its model this as a user message. */
const SNAPSHOT = '<state_snapshot>'

function ownText(content: unknown): string | undefined {
  const text = readContentText(content)
  return text === undefined ? undefined : withoutForeignText(text)
}

function resultText(call: JsonObject): string | undefined {
  const [first] = asList(call.result).map(asObject)
  const response = asObject(asObject(first?.functionResponse).response)
  return asText(response.output) ?? asText(response.error)
}

/**
 * Beside a running session only what no hook reports: statements, the context's size and compressions. The hooks have
 * no id for a prompt or a call, so those would be counted twice.
 */
function createGeminiReader(options: ReaderOptions): RecordReader {
  const log = new SessionLog(GEMINI_CLI, options)
  const isLive = options.mode === 'live'
  /** A record is written again as it grows; its text counts once. */
  const said = new Map<string, string>()

  function readCall(call: JsonObject): void {
    const key = asText(call.id)
    if (key === undefined || (call.status !== 'success' && call.status !== 'error' && call.status !== 'cancelled'))
      return
    const result = resultText(call)
    const { isFailure, ...facts } = readResultText(result)
    const dialogue = readDialogue(asText(call.name) ?? '', call.args, result)
    // Beside a running session only a refused call, which no hook reports.
    if (isLive && dialogue.refused === undefined) return
    log.started(key, withCreation(readToolCall(asText(call.name) ?? 'unknown', call.args, key), call.resultDisplay))
    log.finished(key, {
      ...facts,
      ok: call.status === 'success' && !isFailure,
      text: asText(call.resultDisplay) || plainResult(result),
      interrupted: call.status === 'cancelled' || facts.interrupted === true,
      ...dialogue,
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
    const id = asText(message.id) ?? ''
    const text = ownText(message.content)
    const isNew = text !== undefined && text !== '' && said.get(id) !== text
    if (message.type === 'user' && isNew) {
      if (text.startsWith(SNAPSHOT)) readCompression(text, id)
      else if (!isLive) log.prompt(readUserText(text), id)
    }
    if (message.type !== 'gemini') return
    if (isNew && text !== ACKNOWLEDGEMENT) {
      said.set(id, text)
      log.statement(text)
    }
    for (const call of asList(message.toolCalls)) readCall(asObject(call))
    log.measured(asNumber(asObject(message.tokens).total))
  }

  /** The whole history, written again: beside a running session everything but a compression was read before. */
  function readHistory(messages: readonly unknown[]): void {
    for (const message of messages.map(asObject)) {
      const isCompression = message.type === 'user' && ownText(message.content)?.startsWith(SNAPSHOT) === true
      if (!isLive || isCompression) readMessage(message)
    }
  }

  const reader = plainReader(log, (record) => {
    log.learn({ time: record.timestamp ?? record.startTime, session: record.sessionId })
    const patch = asObject(record.$set)
    log.learn({ session: patch.sessionId })
    readHistory(asList(patch.messages))
    if (record.type !== undefined) readMessage(record)
  })
  return {
    ...reader,
    end() {
      // A message without calls ends a turn. It is written again as it grows, so only the last version shows it.
      if (!isLive) log.turnEnded('end')
      return reader.end()
    },
  }
}

function readSmall(path: string): string | undefined {
  try {
    const stats = statSync(path)
    return stats.isFile() && stats.size <= 1_048_576 ? readFileSync(path, 'utf8') : undefined
  } catch {
    // Most folders have none.
    return undefined
  }
}

const MAX_PATH_CHARS = 4_096

function isPath(text: string): boolean {
  return text.length <= MAX_PATH_CHARS && isAbsolute(text) && !/[\n\0]/.test(text)
}

/** Gemini CLI names a project's folder by a word or a digest; a file in it, or one list for all, says which project it is. */
function findProject(home: string, chat: string): string | undefined {
  const folder = dirname(dirname(chat))
  const root = readSmall(join(folder, '.project_root'))?.trim()
  if (root !== undefined && isPath(root)) return root
  const name = basename(folder)
  try {
    const list: unknown = JSON.parse(readSmall(join(home, 'projects.json')) ?? '{}')
    const projects = isObject(list) && isObject(list.projects) ? Object.entries(list.projects) : []
    return projects.find(([path, word]) => word === name || sha256(path) === name)?.[0]
  } catch {
    // The session is then imported without a location.
    return undefined
  }
}

export const geminiCliTranscript: TranscriptFormat = {
  createReader: createGeminiReader,
  splitDocument,
  // A call and its result are in one record.
  missingCalls: () => new Set(),
  isOwnRecord: ({ sessionId, projectHash, messages }) =>
    typeof sessionId === 'string' && (projectHash !== undefined || Array.isArray(messages)),
  isOwnDocument: (opening) => /"projectHash"\s*:/.test(opening),
  async findHistory(ports, list) {
    const home = userFolder(ports)
    const files = await list(join(home, 'tmp'))
    const chats = files.filter((path) => basename(dirname(path)) === 'chats')
    return chats.map((path) => ({ path, cwd: findProject(home, path) }))
  },
}
