import { readContentText, type JsonObject, asNumber, asObject, asText } from '../../kernel/json-shape.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { WINDSURF } from './events.ts'
import type { ReaderOptions, RecordReader, TranscriptFormat } from '../contract/transcript-format.ts'
import { plainReader, SessionLog } from '../transcript/session-log.ts'

const FILE_NAME = /([^\\/]+)\.jsonl$/

/** A step's content: under the name of its type, as in the vendor's documentation, or beside the type. */
function getBody(step: JsonObject, type: string): JsonObject {
  return { content: step.content, ...asObject(step[type]) }
}

/** The steps that correspond to tools of other harnesses. */
function toForeignCall(type: string, body: JsonObject): Parameters<typeof readForeignCall>[0] | undefined {
  const path = body.path ?? body.file_path
  const command = body.command_line ?? body.command
  switch (type) {
    case 'code_action':
      return { name: 'write', input: { path, content: body.new_content } }
    case 'view_file':
    case 'read_code':
      return { name: 'read', input: { path } }
    case 'run_command':
      return { name: 'bash', input: { command } }
    default:
      return undefined
  }
}

/**
 * The file that `post_cascade_response_with_transcript` names: a step per line. The vendor documents three kinds and
 * guarantees none, so unknown steps are skipped. Beside a running session only statements are taken: the hooks report
 * the rest, without common ids.
 */
function createWindsurfReader(options: ReaderOptions): RecordReader {
  const log = new SessionLog(WINDSURF, options)
  const isLive = options.mode === 'live'
  let steps = 0
  log.learn({ session: FILE_NAME.exec(options.transcriptPath ?? '')?.[1] })

  function readCall(type: string, body: JsonObject, key: string): void {
    const call = toForeignCall(type, body)
    if (call === undefined) return
    const exitStatus = asNumber(body.exit_code)
    const text = asText(body.output)
    log.started(key, readForeignCall(call))
    log.finished(key, {
      ok: (exitStatus ?? 0) === 0,
      ...(text === undefined ? {} : { text }),
      ...(exitStatus === undefined ? {} : { exitStatus }),
    })
  }

  return plainReader(log, (record) => {
    steps += 1
    const type = asText(record.type)?.toLowerCase() ?? ''
    const body = getBody(record, type)
    const text = asText(body.response) ?? asText(body.user_response) ?? readContentText(body.content)
    log.learn({ time: record.timestamp ?? record.created_at, cwd: record.cwd, model: body.model })
    if (type === 'planner_response') log.statement(text)
    else if (isLive) return
    else if (type === 'user_input') log.prompt(text, `step-${steps}`)
    else readCall(type, body, `step-${steps}`)
  })
}

export const windsurfTranscript: TranscriptFormat = {
  createReader: createWindsurfReader,
  // A step contains the call and its result.
  missingCalls: () => new Set(),
}
