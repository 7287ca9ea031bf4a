import type { Project } from './records.ts'
import { HoldfastError } from '../kernel/errors.ts'

const MIN_SIMILAR_CHARS = 2
const SHOWN_NAMES = 8

export type NameMatch = { readonly project: Project; readonly matchedBy: 'name' | 'similar-name' }

function isSimilar(asked: string, name: string): boolean {
  const shorter = Math.min(asked.length, name.length)
  return shorter >= MIN_SIMILAR_CHARS && (asked.includes(name) || name.includes(asked))
}

/** Names in words, for a hint. */
export function namesOf(projects: readonly Project[]): string {
  const names = projects.slice(0, SHOWN_NAMES).map((project) => project.name)
  const rest = projects.length - names.length
  return rest > 0 ? `${names.join(', ')} and ${rest} more` : names.join(', ')
}

/**
 * The one project that a name means: spelled so, spelled so but for case, a keyword, else the one whose name contains
 * it or is contained in it and differs least. Two that differ equally are refused, unless `isPreferred` settles it.
 */
export function matchName(
  asked: string,
  projects: readonly Project[],
  isPreferred: (project: Project) => boolean = () => false,
): NameMatch | undefined {
  const exact = projects.find((project) => project.name === asked)
  if (exact !== undefined) return { project: exact, matchedBy: 'name' }
  const lower = asked.toLowerCase()
  const sameLetters = projects.filter((project) => project.name.toLowerCase() === lower)
  const keyed = projects.filter((project) => project.keywords.includes(lower))
  const similar = projects.filter((project) => isSimilar(lower, project.name.toLowerCase()))
  const distance = (project: Project) => Math.abs(project.name.length - asked.length)
  const least = Math.min(...similar.map(distance))
  const closest = similar.filter((project) => distance(project) === least)
  const candidates = [sameLetters, keyed, closest].find((group) => group.length > 0) ?? []
  const [first] = candidates
  if (first === undefined) return undefined
  const project = candidates.length === 1 ? first : candidates.find(isPreferred)
  if (project !== undefined) return { project, matchedBy: 'similar-name' }
  throw new HoldfastError('conflict', `"${asked}" could be any of these projects: ${namesOf(candidates)}.`, {
    hint: 'Use the full name.',
  })
}
