import { z } from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { lenientText } from '../payload/lenient.ts'

const count = z.number().int().nonnegative().optional().catch(undefined)
const loose = z.record(z.string(), z.unknown()).catch({})

/** What the plugin sends: what OpenCode handed to its hook, and what the plugin knows besides. */
const Payload = z.object({
  input: loose,
  output: loose,
  /** Which session, the one it runs inside, and where. */
  session: z
    .object({ id: lenientText, root: lenientText, agent: lenientText, directory: lenientText, version: lenientText })
    .optional()
    .catch(undefined),
  directory: lenientText,
  transcript: lenientText,
  /** The last text that the agent of this session wrote. */
  last: z.object({ messageID: lenientText, text: lenientText }).optional().catch(undefined),
  /** How full the context was after the agent's newest message, and how much fits. */
  context: z.object({ tokens: z.unknown(), window: z.unknown() }).partial().optional().catch(undefined),
  source: lenientText,
  /** Of the message that asks for a compaction. */
  id: lenientText,
  auto: z.boolean().optional().catch(undefined),
  summary: lenientText,
  tokensBefore: count,
  tokensAfter: count,
})
export type OpenCodePayload = z.infer<typeof Payload>

export function parsePayload(hook: string, payload: unknown): OpenCodePayload {
  const parsed = Payload.safeParse(payload)
  if (parsed.success) return parsed.data
  throw new HoldfastError('invalid-input', `OpenCode's ${hook} payload cannot be read: it is not an object.`)
}
