import { contentText, type JsonObject, objectOf, textOf } from '../harness/json-shape.ts'
import { readForeignCall } from '../harness/tool-call.ts'
import type { ReaderOptions, RecordReader } from './record-reader.ts'
import { SessionLog } from './session-log.ts'

const EXIT = /<(?:shellId: \S+ )?(?:exited|completed) with exit code (-?\d+)>\s*$/

/** GitHub Copilot CLI's event files. */
export function createCopilotReader(options: ReaderOptions): RecordReader {
  const log = new SessionLog('copilot', options)

  function readResult(data: JsonObject, key: string): void {
    const result = objectOf(data.result)
    const text = contentText(result.content) ?? textOf(objectOf(data.error).message) ?? textOf(data.error)
    const exit = EXIT.exec((text ?? '').slice(-200))?.[1]
    const exitStatus = exit === undefined ? undefined : Number(exit)
    log.finished(key, {
      ok: data.success !== false && (exitStatus ?? 0) === 0,
      text: text?.replace(EXIT, ''),
      ...(exitStatus === undefined ? {} : { exitStatus }),
    })
  }

  return {
    prime: () => undefined,
    takeFinishedSubagents: () => [],
    facts: () => log.facts(),
    end: () => log.end(),
    read(record) {
      const data = objectOf(record.data)
      const id = textOf(record.id) ?? ''
      const callId = textOf(data.toolCallId)
      log.learn({ time: record.timestamp })
      switch (record.type) {
        case 'session.start':
        case 'session.resume': {
          const context = objectOf(data.context)
          log.learn({ session: data.sessionId, cwd: context.cwd, branch: context.branch, version: data.copilotVersion })
          break
        }
        case 'session.model_change':
          log.learn({ model: data.newModel })
          break
        case 'user.message':
          log.prompt(textOf(data.content), id)
          break
        case 'assistant.message':
          log.statement(textOf(data.content))
          break
        case 'tool.execution_start':
          if (callId !== undefined)
            log.started(
              callId,
              readForeignCall({ name: textOf(data.toolName) ?? 'unknown', input: data.arguments, callId }),
            )
          break
        case 'tool.execution_complete':
          if (callId !== undefined) readResult(data, callId)
          break
        case 'session.compaction_complete':
          log.compacted(id)
          log.summary(textOf(data.summaryContent) ?? textOf(data.summary))
          break
      }
      return log.take()
    },
  }
}
