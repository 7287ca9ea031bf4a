import * as z from 'zod'
import { checkpointName } from '../../core/checkpoint-name.ts'
import { text } from '../arguments.ts'
import { digestFields, keepDigest } from '../digest.ts'
import { defineTool } from '../tool.ts'

export const checkpointSave = defineTool({
  name: 'checkpoint_save',
  description: 'A named checkpoint, kept until deleted. kebab-case name; real paths and a next action that can be run.',
  input: z.object({ name: text, ...digestFields }),
  aliases: { task: 'summary', next: 'next_action' },
  async run({ name, ...digest }, context) {
    return keepDigest(digest, context, checkpointName(name))
  },
})
