import * as z from 'zod'
import { ENTITY_TYPES } from '../../kernel/agent-records.ts'
import { count, project, renderProject, toProjectRef, text, lineNumber } from '../tool/arguments.ts'
import { defineTool } from '../tool/tool.ts'

export const registerEntity = defineTool({
  name: 'register_entity',
  description: 'Adds or moves a name in the registry, so that the next session reuses it instead of writing it again.',
  input: z.object({ ...project, name: text, entity_type: z.enum(ENTITY_TYPES), file: text, line: lineNumber }),
  aliases: { type: 'entity_type', path: 'file' },
  hints: { isIdempotent: true },
  async run(input, context) {
    const ref = toProjectRef(input, context)
    const resolved = await context.agentApi.resolveProject(ref)
    const { name, entity_type: type, file, line } = input
    const entity = await context.agentApi.registerEntity({
      ...ref,
      name,
      type,
      file,
      ...(line !== undefined && { line }),
    })
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

const DEFAULT_ENTITIES = 200

export const getEntityRegistry = defineTool({
  name: 'get_entity_registry',
  description:
    'Definitions in the code and their locations, registered by hand or found by the index; state: holds, moved, gone or unknown, as of now.',
  input: z.object({
    ...project,
    entity_type: z.enum(ENTITY_TYPES).optional(),
    name: text.optional(),
    limit: count(1_000),
  }),
  aliases: { type: 'entity_type', query: 'name' },
  hints: { isReadOnly: true },
  async run(input, context) {
    const ref = toProjectRef(input, context)
    const { entity_type: type, name: wanted, limit = DEFAULT_ENTITIES } = input
    const resolved = await context.agentApi.resolveProject(ref)
    const found = await context.agentApi.listEntities({
      ...ref,
      limit: limit + 1,
      ...(type !== undefined && { type }),
      ...(wanted !== undefined && { name: wanted }),
    })
    const entities = found.slice(0, limit)
    return {
      ...renderProject(resolved, input),
      filter_type: type ?? null,
      count: entities.length,
      ...(found.length > limit && { more: 'There are others: search by name, or ask for one entity_type.' }),
      entities: entities.map((entity) => ({
        name: entity.name,
        type: entity.type,
        file: entity.file,
        line: entity.line ?? null,
        last_seen: entity.lastSeenAt,
        origin: entity.origin,
        state: entity.state,
        ...(entity.foundAt !== undefined && { found_at: entity.foundAt }),
      })),
    }
  },
})
