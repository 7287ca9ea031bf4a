import * as z from 'zod'
import { ENTITY_TYPES } from '../../core/agent-door.ts'
import { count, project, projectRef } from '../arguments.ts'
import { defineTool } from '../tool.ts'

const USUAL = 200

export const getEntityRegistry = defineTool({
  name: 'get_entity_registry',
  description: 'Registered names and where they are; state: holds, moved, gone or unknown in the code as it is now.',
  input: z.object({ ...project, entity_type: z.enum(ENTITY_TYPES).optional(), limit: count(1_000) }),
  aliases: { type: 'entity_type' },
  hints: { isReadOnly: true },
  async run(input, context) {
    const ref = projectRef(input, context)
    const { entity_type: type, limit = USUAL } = input
    const { name } = await context.door.resolveProject(ref)
    const entities = await context.door.listEntities({ ...ref, limit, ...(type !== undefined && { type }) })
    return {
      project: name,
      filter_type: type ?? null,
      count: entities.length,
      entities: entities.map((entity) => ({
        name: entity.name,
        type: entity.type,
        file: entity.file,
        line: entity.line ?? null,
        last_seen: entity.lastSeenAt,
        state: entity.state,
        ...(entity.foundAt !== undefined && { found_at: entity.foundAt }),
      })),
    }
  },
})
