import type { CheckedEntity, Entity, EntityOrigin, ResolvedProject } from '../records.ts'
import { baseName, isScratch, isWithin } from '../../kernel/paths/paths.ts'
import type { AgentDoorDeps } from '../deps.ts'
import { findDefinition, findInSource, writtenName } from './find-in-source.ts'

const MAX_SOURCE_BYTES = 1_000_000
const AT_ONCE = 8
/** Elsewhere to look for one that is not where it was. */
const MAX_PLACES = 5

type Source =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable' }

/** As it is remembered, before anybody looks. */
export interface KnownEntity extends Entity {
  readonly origin: EntityOrigin
}

export type CheckEntities = (
  entities: readonly KnownEntity[],
  project: ResolvedProject,
) => Promise<readonly CheckedEntity[]>

/** Each entity as the code has it now; every file is read once. */
export function createEntityCheck(
  deps: Pick<AgentDoorDeps, 'files' | 'codemap' | 'history' | 'realPath'>,
): CheckEntities {
  async function readSource(file: string, { worktree }: ResolvedProject): Promise<Source> {
    const path = `${worktree}/${file}`
    if (isScratch(file)) return { kind: 'unreadable' }
    const facts = await deps.files.facts(path)
    if (facts === undefined) return { kind: 'missing' }
    // A link may point anywhere, and a name may lead out of the folder.
    const real = await deps.realPath(path)
    if (facts.size > MAX_SOURCE_BYTES || !isWithin(real, worktree)) return { kind: 'unreadable' }
    const text = await deps.files.readText(path, MAX_SOURCE_BYTES)
    return text === undefined ? { kind: 'unreadable' } : { kind: 'text', text }
  }

  /** Nothing that somebody else wrote down is believed before the file itself says the same. */
  async function lookElsewhere(entity: KnownEntity, project: ResolvedProject): Promise<CheckedEntity> {
    const name = writtenName(entity.name)
    // The index's others of that name are entities of their own, and no proof that this one moved.
    const indexed = entity.origin === 'index' ? [] : (await deps.codemap.symbols(project.worktree)).symbols
    const renamed = (await deps.history.filesNamed(project.worktree, [baseName(entity.file)])) ?? []
    const places = [
      ...indexed.filter((symbol) => symbol.name === name).map(({ file, line }) => ({ file, line })),
      ...renamed.map((file) => ({ file, line: undefined })),
    ].filter(({ file }) => file !== entity.file)
    for (const { file, line } of places.slice(0, MAX_PLACES)) {
      const source = await readSource(file, project)
      const found = source.kind === 'text' ? findDefinition(source.text, name, line ?? entity.line) : undefined
      if (found !== undefined) return { ...entity, state: 'moved', foundAt: { file, line: found } }
    }
    return { ...entity, state: 'gone' }
  }

  async function checkOne(entity: KnownEntity, source: Source, project: ResolvedProject): Promise<CheckedEntity> {
    if (!project.isOnDisk || source.kind === 'unreadable') return { ...entity, state: 'unknown' }
    const line = source.kind === 'text' ? findInSource(source.text, entity.name, entity.line) : undefined
    if (line === undefined) return lookElsewhere(entity, project)
    return entity.line === undefined || line === entity.line
      ? { ...entity, state: 'holds' }
      : { ...entity, state: 'moved', foundAt: { file: entity.file, line } }
  }

  return async (entities, project) => {
    const checked = new Map<KnownEntity, CheckedEntity>()
    const byFile = new Map<string, KnownEntity[]>()
    for (const entity of entities) {
      const here = byFile.get(entity.file)
      if (here === undefined) byFile.set(entity.file, [entity])
      else here.push(entity)
    }
    const files = [...byFile]
    // A few files at a time, and none kept: a registry may name thousands.
    for (let start = 0; start < files.length; start += AT_ONCE) {
      await Promise.all(
        files.slice(start, start + AT_ONCE).map(async ([file, here]) => {
          const source = await readSource(file, project)
          for (const entity of here) checked.set(entity, await checkOne(entity, source, project))
        }),
      )
    }
    return entities.map((entity) => checked.get(entity) ?? { ...entity, state: 'unknown' })
  }
}
