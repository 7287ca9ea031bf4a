import type {
  CheckedEntity,
  Entity,
  ListEntitiesInput,
  ResolvedProject,
  EntityType,
} from '../../kernel/agent-records.ts'
import type { AgentUseCases } from '../use-cases.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { relativePath, isScratch } from '../../kernel/paths/paths.ts'
import type { AgentApiPorts, IndexedSymbols } from '../ports.ts'
import { createEntityCheck, type KnownEntity } from './entity-check.ts'
import type { Projects } from '../projects.ts'
import type { ProjectId } from '../../kernel/id.ts'

const MAX_SYMBOL_CHARS = 80
const MAX_FILE_CHARS = 500

/** Checks name and path: the index is part of the repository and not trusted. */
function isPlausible({ name, file }: { readonly name: string; readonly file: string }): boolean {
  const isName = name.length <= MAX_SYMBOL_CHARS && /^[^\s\p{C}]+$/u.test(name)
  return isName && file.length <= MAX_FILE_CHARS && !/\p{C}/u.test(file) && !isScratch(file) && !file.includes('/../')
}

const toNameKey = ({ name, type }: Pick<Entity, 'name' | 'type'>) => `${type} ${name}`
const toLocationKey = ({ name, file }: Pick<Entity, 'name' | 'file'>) => `${name} ${file}`

/** Entities of the index that are not registered by hand. */
function listIndexed(
  hand: readonly Entity[],
  { symbols, generatedAt }: IndexedSymbols,
  projectId: ProjectId,
): readonly KnownEntity[] {
  if (generatedAt === undefined) return []
  const names = new Set(hand.map(toNameKey))
  const locations = new Set(hand.map(toLocationKey))
  return symbols
    .filter((symbol) => isPlausible(symbol) && !names.has(toNameKey(symbol)) && !locations.has(toLocationKey(symbol)))
    .map(({ name, type, file, line }) => ({
      projectId,
      name,
      type,
      file,
      line,
      lastSeenAt: generatedAt,
      origin: 'index',
    }))
}

/** 0 for an exact match; undefined when the name does not contain the text. */
function measureDistance(name: string, wanted: string): number | undefined {
  if (name === wanted) return 0
  const [lowerName, lowerWanted] = [name.toLowerCase(), wanted.toLowerCase()]
  if (lowerName === lowerWanted) return 1
  if (lowerName.startsWith(lowerWanted)) return 2
  return lowerName.includes(lowerWanted) ? 3 : undefined
}

export interface EntityFilter {
  readonly type?: EntityType
  readonly name?: string
}

/** Closest match first; equals keep their order. */
function filterEntities(
  entities: readonly KnownEntity[],
  { type, name: wanted = '' }: EntityFilter,
): readonly KnownEntity[] {
  const ofType = type === undefined ? entities : entities.filter((entity) => entity.type === type)
  if (wanted === '') return ofType
  return ofType
    .flatMap((entity) => {
      const away = measureDistance(entity.name, wanted)
      return away === undefined ? [] : [{ entity, away }]
    })
    .toSorted((a, b) => a.away - b.away)
    .map(({ entity }) => entity)
}

const MAX_NAME_CHARS = 300
/** Registered by hand in one project: more are not looked through. */
const MAX_BY_HAND = 5_000

export interface Entities extends Pick<AgentUseCases, 'registerEntity' | 'listEntities' | 'forgetEntity'> {
  /** Like `listEntities`, with a limit for those of the index, and the total count. */
  listForProject(
    project: ResolvedProject,
    query: EntityFilter & { readonly limit: number; readonly indexLimit: number },
  ): Promise<{ readonly entities: readonly CheckedEntity[]; readonly total: number }>
}

export function createEntities(
  ports: AgentApiPorts,
  projects: Pick<Projects, 'resolveProject' | 'resolveForWrite'>,
): Entities {
  const check = createEntityCheck(ports)

  const of: Entities['listForProject'] = async (project, { limit, indexLimit, ...filter }) => {
    const { projectId, worktree } = project
    const [hand, indexed, redactor] = await Promise.all([
      ports.store.listEntities({ projectId, limit: MAX_BY_HAND }),
      ports.codemap.symbols(worktree),
      ports.redactors.forWorktree(worktree),
    ])
    const byHand = filterEntities(
      hand.map((entity) => ({ ...entity, origin: 'hand' })),
      filter,
    )
    const fromIndex = filterEntities(listIndexed(hand, indexed, projectId), filter)
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
    listForProject: of,

    async registerEntity(input) {
      const project = await projects.resolveForWrite(input)
      const redactor = await ports.redactors.forWorktree(project.worktree)
      const name = redactor.redact(input.name.toWellFormed().trim())
      if (name === '' || name.length > MAX_NAME_CHARS) {
        throw new HoldfastError('invalid-input', `An entity name must have 1 to ${MAX_NAME_CHARS} characters.`)
      }
      const from = input.cwd ?? project.rootPath
      const file = relativePath(redactor.redact(input.file.toWellFormed()), { worktree: project.worktree, cwd: from })
      if (file === undefined) {
        throw new HoldfastError('invalid-input', `"${input.file}" is not a file path.`, {
          hint: 'Give the path of the file, relative to the project root.',
        })
      }
      const entity: Entity = {
        projectId: project.projectId,
        name,
        type: input.type,
        file,
        ...(input.line === undefined ? {} : { line: input.line }),
        lastSeenAt: ports.clock.now(),
      }
      await ports.store.saveEntity(entity)
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
      const { projectId } = await projects.resolveForWrite(ref)
      const forgotten = await ports.store.deleteEntities({ projectId, name, ...(type === undefined ? {} : { type }) })
      if (forgotten > 0) return forgotten
      throw new HoldfastError('not-found', `No ${type ?? 'entity'} "${name}" is registered in this project.`, {
        hint: 'Names must match exactly: `holdfast entities list` shows them. Entities of the index disappear with the code.',
      })
    },
  }
}
