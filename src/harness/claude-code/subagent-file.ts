import { dirname, extname, join } from 'node:path'
import type { TranscriptItem } from '../../kernel/event.ts'
import type { ReaderOptions, RecordReader } from '../contract/transcript-format.ts'
import { parseLine, readAppended } from '../transcript/append-log.ts'

const PLAIN_ID = /^[\w-]{1,80}$/
const LIMITS = { chunkBytes: 2 * 1_048_576, backlogBytes: 2 * 1_048_576 }

/** The events of a finished subagent, from the file that Claude Code writes for it beside the session's; never its statements. */
export async function readSubagentFile(
  options: ReaderOptions,
  agentId: string,
  createReader: (options: ReaderOptions) => RecordReader,
): Promise<readonly TranscriptItem[]> {
  const path = options.transcriptPath
  if (path === undefined || !PLAIN_ID.test(agentId)) return []
  const folder = path.slice(0, path.length - extname(path).length)
  if (folder === path || dirname(folder) === folder) return []
  const { lines } = await readAppended(join(folder, 'subagents', `agent-${agentId}.jsonl`), 0, LIMITS)
  const reader = createReader({ ...options, mode: 'live' })
  return lines.flatMap((line) => {
    const record = parseLine(line.text)
    const items = record === undefined ? [] : reader.read({ ...record, isSidechain: true, agentId })
    return items.filter((item) => item.type === 'event')
  })
}
