import * as z from 'zod'
import { digestFields, keepDigest } from '../../tool/digest.ts'
import { defineTool } from '../../tool/tool.ts'

export const sessionDigest = defineTool({
  name: 'session_digest',
  description:
    'A checkpoint in your own words: where the work stands and the one next action. Call when context runs short or the work turns.',
  input: z.object(digestFields),
  aliases: { digest: 'summary', next: 'next_action' },
  run: (input, context) => keepDigest(input, context),
})
