import { contentText, type JsonObject, numberOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { WINDSURF } from './events.ts'
import type { ReaderOptions, RecordReader } from '../transcript/record-reader.ts'
import { plainReader, SessionLog } from '../transcript/session-log.ts'

const FILE_NAME = /([^\\/]+)\.jsonl$/

/** What a step says: under its own name, as the vendor's page shows it, or beside its type. */
function bodyOf(step: JsonObject, type: string): JsonObject {
  return { content: step.content, ...objectOf(step[type]) }
}

/** The steps that change something, as the tools that other harnesses have for that. */
function callOf(type: string, body: JsonObject): Parameters<typeof readForeignCall>[0] | undefined {
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
 * The file that `post_cascade_response_with_transcript` names: a step on each line. Its vendor shows three kinds and promises none, so
 * a step that is not known says nothing. Beside a running session only what was said is taken: the hooks tell the rest, and share no id
 * with it.
 */
export function createWindsurfReader(options: ReaderOptions): RecordReader {
  const log = new SessionLog(WINDSURF, options)
  const isLive = options.mode === 'live'
  let steps = 0
  log.learn({ session: FILE_NAME.exec(options.transcriptPath ?? '')?.[1] })

  function readCall(type: string, body: JsonObject, key: string): void {
    const call = callOf(type, body)
    if (call === undefined) return
    const exitStatus = numberOf(body.exit_code)
    const text = textOf(body.output)
    log.started(key, readForeignCall(call))
    log.finished(key, {
      ok: (exitStatus ?? 0) === 0,
      ...(text === undefined ? {} : { text }),
      ...(exitStatus === undefined ? {} : { exitStatus }),
    })
  }

  return plainReader(log, (record) => {
    steps += 1
    const type = textOf(record.type)?.toLowerCase() ?? ''
    const body = bodyOf(record, type)
    const said = textOf(body.response) ?? textOf(body.user_response) ?? contentText(body.content)
    log.learn({ time: record.timestamp ?? record.created_at, cwd: record.cwd, model: body.model })
    if (type === 'planner_response') log.statement(said)
    else if (isLive) return
    else if (type === 'user_input') log.prompt(said, `step-${steps}`)
    else readCall(type, body, `step-${steps}`)
  })
}
