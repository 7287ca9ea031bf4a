import { isObject, type JsonObject, asList, asNumber, asObject, asText } from '../../kernel/json-shape.ts'
import { OPENCODE, readDialogue, readToolCall } from './events.ts'
import { BOUNDS, bounded } from '../payload/bounds.ts'
import type { ReaderOptions, RecordReader, TranscriptFormat } from '../contract/transcript-format.ts'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { plainReader, SessionLog } from '../transcript/session-log.ts'

const DATABASE_NAME = 'opencode.db'

/** The session, then its messages, of the output of `opencode export`. */
function splitDocument(document: JsonObject): readonly JsonObject[] {
  return [{ session: document.info }, ...asList(document.messages).map(asObject)]
}

function sumContextTokens(tokens: JsonObject): number | undefined {
  const cache = asObject(tokens.cache)
  const parts = [tokens.input, tokens.output, tokens.reasoning, cache.read, cache.write]
  return parts.reduce<number>((sum, part) => sum + (asNumber(part) ?? 0), 0)
}

function createOpenCodeReader(options: ReaderOptions): RecordReader {
  const log = new SessionLog(OPENCODE, options)
  const used = new Set<string>()

  /** The keys of the plugin's hooks. In exports without secrets many parts may have the same id. */
  function createKey(part: JsonObject): string {
    const shared = part.type === 'tool' ? part.callID : part.type === 'compaction' ? part.messageID : undefined
    const id = asText(shared) ?? asText(part.id) ?? asText(part.callID) ?? 'part'
    const key = used.has(id) ? `${id}-${used.size}` : id
    used.add(key)
    return key
  }

  /** A prompt has its message's id; further parts of the message have keys of their own. */
  function createPromptKey(part: JsonObject): string | undefined {
    const id = asText(part.messageID)
    if (id === undefined || used.has(id)) return undefined
    used.add(id)
    return id
  }

  function readPart(part: JsonObject, role: unknown): void {
    const key = createKey(part)
    switch (part.type) {
      case 'text':
        if (part.synthetic === true || part.ignored === true) return
        if (role === 'user') log.prompt(asText(part.text), createPromptKey(part) ?? key)
        else log.statement(asText(part.text))
        break
      case 'tool':
        readTool(part, key)
        break
      case 'subtask':
        readCommand(part, key)
        break
      case 'compaction':
        log.compacted(key)
        break
    }
  }

  /** A slash command that runs in a subagent: its prompt is what the command stands for. */
  function readCommand(part: JsonObject, key: string): void {
    const expansion = bounded(part.prompt, BOUNDS.plan)
    const name = asText(part.command)
    log.prompt(
      name === undefined ? asText(part.description) : `/${name}`,
      key,
      expansion === undefined ? {} : { expansion },
    )
  }

  function readTool(part: JsonObject, key: string): void {
    const state = asObject(part.state)
    log.started(key, readToolCall(asText(part.tool) ?? 'unknown', state.input, key, state.metadata))
    if (state.status !== 'completed' && state.status !== 'error') return
    const exitStatus = asNumber(asObject(state.metadata).exit)
    log.finished(key, {
      ok: state.status === 'completed' && (exitStatus ?? 0) === 0,
      text: asText(state.output) ?? asText(state.error),
      interrupted: asText(state.error)?.startsWith('Tool execution aborted') === true,
      ...readDialogue(asText(part.tool) ?? '', {
        input: state.input,
        metadata: state.metadata,
        error: asText(state.error),
      }),
      ...(exitStatus === undefined ? {} : { exitStatus }),
    })
  }

  return plainReader(log, (record) => {
    const session = asObject(record.session)
    const info = asObject(record.info)
    log.learn({
      time: asObject(info.time).created ?? asObject(session.time).created,
      session: session.id,
      cwd: session.directory,
      version: session.version,
      model: info.modelID,
    })
    // The harness's own summary is stored as an assistant message.
    const isSummary = info.role === 'assistant' && info.summary === true
    for (const part of asList(record.parts).map(asObject)) {
      if (isSummary && part.type === 'text') log.summary(asText(part.text))
      else readPart(part, info.role)
    }
    // The hook at the end of a turn has the message's id as its key.
    if (info.role === 'assistant' && info.finish === 'stop' && !isSummary)
      log.turnEnded(asText(info.id) ?? `turn-${used.size}`)
    if (info.role === 'assistant') log.measured(sumContextTokens(asObject(info.tokens)))
  })
}

export const openCodeTranscript: TranscriptFormat = {
  createReader: createOpenCodeReader,
  splitDocument,
  isOwnRecord: ({ info, messages }) => isObject(info) && Array.isArray(messages),
  isOwnDocument: (opening) => /"info"\s*:\s*\{/.test(opening) && /"directory"\s*:/.test(opening),
  async findHistory({ env }) {
    const data = env.XDG_DATA_HOME || join(env.HOME || env.USERPROFILE || homedir(), '.local', 'share')
    const path = env.OPENCODE_DB || join(data, 'opencode', DATABASE_NAME)
    return existsSync(path) ? [{ path }] : []
  },
  // Loaded on demand: no other reader needs the database driver.
  database: {
    fileName: DATABASE_NAME,
    listSessions: async (path) => (await import('./database.ts')).listSessions(path),
    async *readRecords(path, sessionId) {
      yield* (await import('./database.ts')).readRecords(path, sessionId)
    },
  },
}
