import type { Entity, EntityType } from '../../kernel/agent-records.ts'
import type { ProjectId } from '../../kernel/id.ts'
import { isScratch } from '../../kernel/paths/paths.ts'
import type { KnownEntity } from './entity-check.ts'
import type { IndexedSymbols } from '../ports.ts'

const MAX_NAME_CHARS = 80
const MAX_FILE_CHARS = 500

/** What a definition's name and place look like: whoever wrote the repository wrote the index too. */
function isPlausible({ name, file }: { readonly name: string; readonly file: string }): boolean {
  const isName = name.length <= MAX_NAME_CHARS && /^[^\s\p{C}]+$/u.test(name)
  return isName && file.length <= MAX_FILE_CHARS && !/\p{C}/u.test(file) && !isScratch(file) && !file.includes('/../')
}

const sameName = ({ name, type }: Pick<Entity, 'name' | 'type'>) => `${type} ${name}`
const samePlace = ({ name, file }: Pick<Entity, 'name' | 'file'>) => `${name} ${file}`

/** What the index adds to what was registered by hand; of what both have, the hand's word stands. */
export function indexedBeside(
  hand: readonly Entity[],
  { symbols, generatedAt }: IndexedSymbols,
  projectId: ProjectId,
): readonly KnownEntity[] {
  if (generatedAt === undefined) return []
  const names = new Set(hand.map(sameName))
  const places = new Set(hand.map(samePlace))
  return symbols
    .filter((symbol) => isPlausible(symbol) && !names.has(sameName(symbol)) && !places.has(samePlace(symbol)))
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

/** 0 is the name itself; undefined when the name does not hold the text. */
function distance(name: string, wanted: string): number | undefined {
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

/** Those that are meant, nearest match first; among equals the order they came in. */
export function select(
  entities: readonly KnownEntity[],
  { type, name: wanted = '' }: EntityFilter,
): readonly KnownEntity[] {
  const ofType = type === undefined ? entities : entities.filter((entity) => entity.type === type)
  if (wanted === '') return ofType
  return ofType
    .flatMap((entity) => {
      const away = distance(entity.name, wanted)
      return away === undefined ? [] : [{ entity, away }]
    })
    .toSorted((a, b) => a.away - b.away)
    .map(({ entity }) => entity)
}
