import type { CheckedEntity, Entity, ListEntitiesInput, ResolvedProject } from '../../kernel/agent-records.ts'
import type { AgentUseCases } from '../use-cases.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { relativePath } from '../../kernel/paths/paths.ts'
import type { AgentDoorDeps } from '../deps.ts'
import { createEntityCheck } from './entity-check.ts'
import { type EntityFilter, indexedBeside, select } from './entity-search.ts'
import type { Projects } from '../projects.ts'

const MAX_NAME_CHARS = 300
/** Registered by hand in one project: more are not looked through. */
const MAX_BY_HAND = 5_000

export interface Entities extends Pick<AgentUseCases, 'registerEntity' | 'listEntities' | 'forgetEntity'> {
  /** As `listEntities`, with at most so many of the index's, and how many there are in all. */
  of(
    project: ResolvedProject,
    query: EntityFilter & { readonly limit: number; readonly indexLimit: number },
  ): Promise<{ readonly entities: readonly CheckedEntity[]; readonly total: number }>
}

export function createEntities(deps: AgentDoorDeps, projects: Pick<Projects, 'resolveProject'>): Entities {
  const check = createEntityCheck(deps)

  const of: Entities['of'] = async (project, { limit, indexLimit, ...filter }) => {
    const { projectId, worktree } = project
    const [hand, indexed, redactor] = await Promise.all([
      deps.store.listEntities({ projectId, limit: MAX_BY_HAND }),
      deps.codemap.symbols(worktree),
      deps.redactors.forWorktree(worktree),
    ])
    const byHand = select(
      hand.map((entity) => ({ ...entity, origin: 'hand' })),
      filter,
    )
    const fromIndex = select(indexedBeside(hand, indexed, projectId), filter)
    const page = [...byHand, ...fromIndex.slice(0, indexLimit)].slice(0, limit)
    const checked = await check(page, project)
    return {
      entities: checked.map((entity) =>
        entity.origin === 'hand' ? entity : { ...entity, name: redactor.redact(entity.name) },
      ),
      total: byHand.length + fromIndex.length,
    }
  }

  return {
    of,

    async registerEntity(input) {
      const project = await projects.resolveProject(input)
      const redactor = await deps.redactors.forWorktree(project.worktree)
      const name = redactor.redact(input.name.toWellFormed().trim())
      if (name === '' || name.length > MAX_NAME_CHARS) {
        throw new HoldfastError('invalid-input', `An entity's name has 1 to ${MAX_NAME_CHARS} characters.`)
      }
      const from = input.cwd ?? project.rootPath
      const file = relativePath(redactor.redact(input.file.toWellFormed()), { worktree: project.worktree, cwd: from })
      if (file === undefined) {
        throw new HoldfastError('invalid-input', `"${input.file}" names no file.`, {
          hint: "Give the file's path, relative to the project's root.",
        })
      }
      const entity: Entity = {
        projectId: project.projectId,
        name,
        type: input.type,
        file,
        ...(input.line === undefined ? {} : { line: input.line }),
        lastSeenAt: deps.clock.now(),
      }
      await deps.store.keepEntity(entity)
      const known = { ...entity, origin: 'hand' } as const
      const [checked] = await check([known], project)
      return checked ?? { ...known, state: 'unknown' }
    },

    async listEntities({ type, name, limit, ...ref }: ListEntitiesInput) {
      const project = await projects.resolveProject(ref)
      const filter = { ...(type === undefined ? {} : { type }), ...(name === undefined ? {} : { name }) }
      return (await of(project, { ...filter, limit, indexLimit: limit })).entities
    },

    async forgetEntity({ name, type, ...ref }) {
      const { projectId } = await projects.resolveProject(ref)
      const forgotten = await deps.store.deleteEntities({ projectId, name, ...(type === undefined ? {} : { type }) })
      if (forgotten > 0) return forgotten
      throw new HoldfastError('not-found', `Nobody registered ${type ?? 'anything'} "${name}" in this project.`, {
        hint: 'Names are matched as they were registered: `holdfast entities list` shows them. What the index found goes when the code does.',
      })
    },
  }
}
