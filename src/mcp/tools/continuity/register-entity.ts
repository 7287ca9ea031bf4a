import * as z from 'zod'
import { ENTITY_TYPES } from '../../../kernel/agent-records.ts'
import { lineNumber, project, projectRef, text } from '../../tool/arguments.ts'
import { defineTool } from '../../tool/tool.ts'

export const registerEntity = defineTool({
  name: 'register_entity',
  description: 'Adds or moves a name in the registry, so that the next session builds on it instead of anew.',
  input: z.object({ ...project, name: text, entity_type: z.enum(ENTITY_TYPES), file: text, line: lineNumber }),
  aliases: { type: 'entity_type', path: 'file' },
  hints: { isIdempotent: true },
  async run(input, context) {
    const ref = projectRef(input, context)
    const resolved = await context.door.resolveProject(ref)
    const { name, entity_type: type, file, line } = input
    const entity = await context.door.registerEntity({ ...ref, name, type, file, ...(line !== undefined && { line }) })
    return {
      ok: true,
      project: resolved.name,
      name: entity.name,
      type: entity.type,
      file: entity.file,
      line: entity.line ?? null,
      state: entity.state,
      ...(entity.foundAt !== undefined && { found_at: entity.foundAt }),
    }
  },
})
