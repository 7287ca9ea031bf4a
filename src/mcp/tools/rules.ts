import * as z from 'zod'
import { optionalText, project, resolveDirectory } from '../tool/arguments.ts'
import { defineTool } from '../tool/tool.ts'

export const rules = defineTool({
  name: 'rules',
  description: 'Lists the rules the user gave; `propose` suggests one, which the user must confirm.',
  input: z.object({ ...project, propose: optionalText }),
  hints: {},
  async run(input, context) {
    const cwd = await resolveDirectory(input, context)
    const { continuity } = context
    if (input.propose !== undefined) {
      const { id, state } = await continuity.addRule({ text: input.propose, cwd, isProposal: true })
      return { ok: true, id, state, ...(state === 'proposed' && { next: 'the user runs `holdfast rules review`' }) }
    }
    const listed = await continuity.listRules({ cwd })
    return { count: listed.length, rules: listed.map(({ id, text, since, state }) => ({ id, text, since, state })) }
  },
})
