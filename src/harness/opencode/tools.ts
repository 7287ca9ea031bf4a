import type { FileTouch, ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { BOUNDS, bounded, boundedPath, MAX_FILES } from '../payload/bounds.ts'
import { contentText, listOf, numberOf, objectOf, textOf } from '../../kernel/json-shape.ts'
import { readForeignCall } from '../payload/tool-call.ts'
import { readOutcome } from '../payload/tool-output.ts'

/** OpenCode's own tools (1.18); a tool of an MCP server goes by `<server>_<tool>`, and nothing else has such a name. */
const OWN_TOOLS = new Set([
  'apply_patch',
  'bash',
  'batch',
  'codesearch',
  'edit',
  'glob',
  'grep',
  'invalid',
  'list',
  'lsp',
  'multiedit',
  'patch',
  'plan_enter',
  'plan_exit',
  'question',
  'read',
  'skill',
  'task',
  'todoread',
  'todowrite',
  'webfetch',
  'websearch',
  'write',
])

/** A file that the write tool found missing is one that it made. */
function filesOf(call: ToolCall, metadata: unknown): readonly FileTouch[] {
  const { exists, files } = objectOf(metadata)
  if (call.name === 'write' && exists === false)
    return call.files.map((file): FileTouch => ({ path: file.path, action: 'created' }))
  if (call.kind !== 'edit' || call.files.length > 0) return call.files
  return listOf(files)
    .slice(0, MAX_FILES)
    .flatMap((file): readonly FileTouch[] => {
      const path = boundedPath(objectOf(file).filePath ?? file)
      return path === undefined ? [] : [{ path, action: 'edited' }]
    })
}

/** OpenCode's tool call in our words; the same from its plugin hooks and from its database. */
export function readToolCall(name: string, args: unknown, callId: string | undefined, metadata?: unknown): ToolCall {
  const id = bounded(callId, BOUNDS.word)
  const call = readForeignCall({ name, input: args, ...(id === undefined ? {} : { callId: id }) })
  const kind = call.kind === 'other' && !OWN_TOOLS.has(name) && name.includes('_') ? 'mcp' : call.kind
  return { ...call, kind, files: filesOf(call, metadata) }
}

export interface RawResult {
  /** `{title, output, metadata}` of OpenCode's own tools, `{content: […]}` of an MCP server's. */
  readonly output: unknown
  readonly error?: unknown
  readonly durationMs?: number
}

export function readResult(call: ToolCall, { output, error, durationMs }: RawResult): ToolOutcome {
  const result = objectOf(output)
  const metadata = objectOf(result.metadata)
  const exitStatus = numberOf(metadata.exit)
  const failure = textOf(error)
  const text = failure ?? textOf(result.output) ?? contentText(result.content)
  return readOutcome(call.kind, {
    ok: failure === undefined && (exitStatus ?? 0) === 0 && result.isError !== true,
    ...(text === undefined ? {} : { text }),
    ...(exitStatus === undefined ? {} : { exitStatus }),
    ...(durationMs === undefined ? {} : { durationMs }),
    interrupted: metadata.interrupted === true || failure?.startsWith('Tool execution aborted') === true,
  })
}
