import type { AgentDoor, CheckedEntity, Entity, ResolvedProject } from '../agent-door.ts'
import { HoldfastError } from '../errors.ts'
import { isScratch, relativePath } from '../work/paths.ts'
import type { AgentDoorDeps } from './deps.ts'
import { findInSource } from './find-in-source.ts'
import type { Projects } from './projects.ts'

const MAX_NAME_CHARS = 300
const MAX_SOURCE_BYTES = 1_000_000
const AT_ONCE = 8

export interface Entities extends Pick<AgentDoor, 'registerEntity' | 'listEntities'> {
  /** Each entity as the code has it now; every file is read once. */
  check(entities: readonly Entity[], project: ResolvedProject): Promise<readonly CheckedEntity[]>
}

type Source =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable' }

export function createEntities(deps: AgentDoorDeps, projects: Pick<Projects, 'resolveProject'>): Entities {
  async function readSource(path: string): Promise<Source> {
    const facts = await deps.files.facts(path)
    if (facts === undefined) return { kind: 'missing' }
    if (facts.size > MAX_SOURCE_BYTES) return { kind: 'unreadable' }
    const text = await deps.files.readText(path, MAX_SOURCE_BYTES)
    return text === undefined ? { kind: 'unreadable' } : { kind: 'text', text }
  }

  /** The index may know where it went; without one, what is not where it was is gone. */
  async function lookElsewhere(entity: Entity, project: ResolvedProject): Promise<CheckedEntity> {
    const foundAt = await deps.codemap.findSymbol(project.rootPath, entity.name)
    return foundAt === undefined || foundAt.file === entity.file
      ? { ...entity, state: 'gone' }
      : { ...entity, state: 'moved', foundAt }
  }

  async function checkOne(entity: Entity, source: Source, project: ResolvedProject): Promise<CheckedEntity> {
    if (!project.isOnDisk || isScratch(entity.file) || source.kind === 'unreadable')
      return { ...entity, state: 'unknown' }
    if (source.kind === 'missing') return lookElsewhere(entity, project)
    const line = findInSource(source.text, entity.name, entity.line)
    if (line === undefined) return lookElsewhere(entity, project)
    return entity.line === undefined || line === entity.line
      ? { ...entity, state: 'holds' }
      : { ...entity, state: 'moved', foundAt: { file: entity.file, line } }
  }

  async function check(entities: readonly Entity[], project: ResolvedProject): Promise<readonly CheckedEntity[]> {
    const files = [...new Set(entities.map((entity) => entity.file))]
    const checked = new Map<Entity, CheckedEntity>()
    // A few files at a time, and none kept: a registry may name thousands.
    for (let start = 0; start < files.length; start += AT_ONCE) {
      await Promise.all(
        files.slice(start, start + AT_ONCE).map(async (file) => {
          const source = isScratch(file)
            ? ({ kind: 'unreadable' } as const)
            : await readSource(`${project.worktree}/${file}`)
          for (const entity of entities) {
            if (entity.file === file) checked.set(entity, await checkOne(entity, source, project))
          }
        }),
      )
    }
    return entities.map((entity) => checked.get(entity) ?? { ...entity, state: 'unknown' })
  }

  return {
    check,

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
      const [checked] = await check([entity], project)
      return checked ?? { ...entity, state: 'unknown' }
    },

    async listEntities({ type, limit, ...ref }) {
      const project = await projects.resolveProject(ref)
      const { projectId } = project
      const entities = await deps.store.listEntities({ projectId, ...(type === undefined ? {} : { type }), limit })
      return check(entities, project)
    },
  }
}
