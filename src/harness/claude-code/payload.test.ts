import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { readPayload } from './events.ts'

const text = z.string().optional().catch(undefined)
/** The other spelling of the field counts when this one is empty. */
const written = text.transform((given) => (given?.trim() === '' ? undefined : given))

/** What is read, as a schema says it. */
const Spec = z.object({
  session_id: z.string().trim().min(1).max(200),
  transcript_path: text,
  cwd: text,
  prompt_id: text,
  agent_id: text,
  agent_type: text,
  source: text,
  model: text,
  prompt: text,
  tool_name: text,
  tool_input: z.unknown().optional(),
  tool_response: z.unknown().optional(),
  tool_use_id: text,
  duration_ms: z.number().nonnegative().optional().catch(undefined),
  error: z.unknown().optional(),
  is_interrupt: z.boolean().optional().catch(undefined),
  last_assistant_message: text,
  trigger: z.enum(['manual', 'auto']).optional().catch(undefined),
  custom_instructions: written,
  compact_summary: text,
  reason: text,
  cursor_version: z.unknown().optional(),
})

const anything = fc.anything({ maxDepth: 2 })
const value = fc.oneof(
  anything,
  fc.string(),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom<unknown>('manual', 'auto', -0, 1e-9, Infinity, '', null, undefined),
)
const sessionId = fc.oneof(
  { weight: 3, arbitrary: fc.string({ minLength: 1 }) },
  { weight: 1, arbitrary: value },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' \u00a0\n', ' padded ', 'x'.repeat(200), ` ${'x'.repeat(200)} `, 'x'.repeat(201)),
  },
)
const fields = Object.keys(Spec.shape).filter((name) => name !== 'session_id')
const nearly = fc
  .tuple(sessionId, fc.dictionary(fc.constantFrom(...fields, 'hook_event_name', 'toString'), value))
  .map(([id, rest]): unknown => ({ ...rest, session_id: id }))

test('property: what is read is what a schema of the same fields would read, whatever is sent', () => {
  let read = 0
  let refused = 0
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: nearly }, { weight: 1, arbitrary: anything }), (payload) => {
      const expected = Spec.safeParse(payload)
      if (expected.success) {
        read += 1
        expect(readPayload('PostToolUse', payload)).toEqual(expected.data)
      } else {
        refused += 1
        expect(() => readPayload('PostToolUse', payload)).toThrow(/^Claude Code's PostToolUse payload cannot be read: /)
      }
    }),
    { numRuns: 3_000, seed: 20_261_116 },
  )
  // A control: neither side must be empty.
  expect([read, refused].every((count) => count > 300)).toBe(true)
})

test.each<[unknown, string]>([
  [[], 'it is not a JSON object'],
  [null, 'it is not a JSON object'],
  [{}, 'session_id is not a text of 1 to 200 characters'],
  [{ session_id: 7 }, 'session_id is not a text of 1 to 200 characters'],
])('%j is refused: %s', (payload, why) => {
  expect(() => readPayload('Stop', payload)).toThrow(`Claude Code's Stop payload cannot be read: ${why}.`)
})
