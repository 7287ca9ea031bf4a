import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import { readToolCall } from './tools.ts'
import type { ReaderOptions, RecordReader } from '../transcript/record-reader.ts'
import { plainReader, SessionLog } from '../transcript/session-log.ts'

/** The session itself, then its messages, of what `opencode export` writes. */
export function recordsOfOpenCode(document: JsonObject): readonly JsonObject[] {
  return [{ session: document.info }, ...listOf(document.messages).map(objectOf)]
}

function contextTokensOf(tokens: JsonObject): number | undefined {
  const cache = objectOf(tokens.cache)
  const parts = [tokens.input, tokens.output, tokens.reasoning, cache.read, cache.write]
  return parts.reduce<number>((sum, part) => sum + (numberOf(part) ?? 0), 0)
}

export function createOpenCodeReader(options: ReaderOptions): RecordReader {
  const log = new SessionLog('opencode', options)
  const used = new Set<string>()

  /** The keys that the plugin's hooks know a fact by. Exports that were cleaned of secrets may give many parts the same id. */
  function keyOf(part: JsonObject): string {
    const shared = part.type === 'tool' ? part.callID : part.type === 'compaction' ? part.messageID : undefined
    const id = textOf(shared) ?? textOf(part.id) ?? textOf(part.callID) ?? 'part'
    const key = used.has(id) ? `${id}-${used.size}` : id
    used.add(key)
    return key
  }

  /** A prompt is its message; what more parts of the same one say has keys of its own. */
  function promptKeyOf(part: JsonObject): string | undefined {
    const id = textOf(part.messageID)
    if (id === undefined || used.has(id)) return undefined
    used.add(id)
    return id
  }

  function readPart(part: JsonObject, role: unknown): void {
    const key = keyOf(part)
    switch (part.type) {
      case 'text':
        if (part.synthetic === true || part.ignored === true) return
        if (role === 'user') log.prompt(textOf(part.text), promptKeyOf(part) ?? key)
        else log.statement(textOf(part.text))
        break
      case 'tool':
        readTool(part, key)
        break
      case 'compaction':
        log.compacted(key)
        break
    }
  }

  function readTool(part: JsonObject, key: string): void {
    const state = objectOf(part.state)
    log.started(key, readToolCall(textOf(part.tool) ?? 'unknown', state.input, key, state.metadata))
    if (state.status !== 'completed' && state.status !== 'error') return
    const exitStatus = numberOf(objectOf(state.metadata).exit)
    log.finished(key, {
      ok: state.status === 'completed' && (exitStatus ?? 0) === 0,
      text: textOf(state.output) ?? textOf(state.error),
      ...(exitStatus === undefined ? {} : { exitStatus }),
    })
  }

  return plainReader(log, (record) => {
    const session = objectOf(record.session)
    const info = objectOf(record.info)
    log.learn({
      time: objectOf(info.time).created ?? objectOf(session.time).created,
      session: session.id,
      cwd: session.directory,
      version: session.version,
      model: info.modelID,
    })
    // A summary that the harness wrote for itself stands there as an assistant's message.
    const isSummary = info.role === 'assistant' && info.summary === true
    for (const part of listOf(record.parts).map(objectOf)) {
      if (isSummary && part.type === 'text') log.summary(textOf(part.text))
      else readPart(part, info.role)
    }
    if (info.role === 'assistant') log.measured(contextTokensOf(objectOf(info.tokens)))
  })
}
