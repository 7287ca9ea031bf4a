import { z } from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import { lenientText } from '../payload/lenient.ts'

const loose = z.record(z.string(), z.unknown()).catch({})

/** What the plugin sends: what OpenClaw handed to its hook, and what the plugin knows besides. */
const Payload = z.object({
  event: loose,
  ctx: loose,
  session: z
    .object({
      id: lenientText,
      key: lenientText,
      root: lenientText,
      workspace: lenientText,
      isChild: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  /** How full the context was after the newest call of the model, and how much fits. */
  context: z.object({ tokens: z.unknown(), window: z.unknown() }).partial().optional().catch(undefined),
  source: lenientText,
  previous: lenientText,
  version: lenientText,
  tokensBefore: z.number().nonnegative().optional().catch(undefined),
})
export type OpenClawPayload = z.infer<typeof Payload>

export function parsePayload(hook: string, payload: unknown): OpenClawPayload {
  const parsed = Payload.safeParse(payload)
  if (parsed.success) return parsed.data
  throw new HoldfastError('invalid-input', `OpenClaw's ${hook} payload cannot be read: it is not an object.`)
}
