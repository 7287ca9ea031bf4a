import type { AgentDoor, HistoryHit, ResolvedProject } from '../agent-door.ts'
import { HoldfastError } from '../errors.ts'
import { queryTermsOf, termsOf } from '../terms.ts'
import { clip } from '../work/text.ts'
import type { AgentDoorDeps } from './deps.ts'
import type { Projects } from './projects.ts'

const TITLE_CHARS = 120
const EXCERPT_CHARS = 300

/** What other programs may call the project. */
export function piecesTerms({ name, keywords }: Pick<ResolvedProject, 'name' | 'keywords'>): readonly string[] {
  return [...new Set([name.toLowerCase(), ...keywords])].filter((term) => term.length >= 2)
}

/** The asked terms that a text has, as a share; a text that has the very words in order counts as all of them. */
function shareOf(asked: ReadonlySet<string>, query: string, text: string): number {
  if (text.toLowerCase().includes(query)) return 1
  if (asked.size === 0) return 0
  const known = new Set(termsOf(text))
  return [...asked].filter((term) => known.has(term)).length / asked.size
}

/** The line around the first asked term, so that the reader sees why it was found. */
function excerptOf(asked: ReadonlySet<string>, query: string, text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const telling =
    lines.find((line) => line.toLowerCase().includes(query)) ??
    lines.toSorted((a, b) => shareOf(asked, query, b) - shareOf(asked, query, a))[0]
  return clip(telling ?? '', EXCERPT_CHARS)
}

function firstLine(text: string): string {
  return clip(text.trimStart().split('\n', 1)[0] ?? '', TITLE_CHARS)
}

interface Scored {
  readonly hit: Omit<HistoryHit, 'score'>
  readonly score: number
  /** Of the question's terms, how many it has. */
  readonly share: number
}

/** Lists are ranked each by its own rule: what they have in common is how much of the question their best answer has. */
function comparable(hits: readonly Scored[]): readonly Scored[] {
  const best = Math.max(...hits.map(({ score }) => score))
  const share = Math.max(...hits.map((hit) => hit.share))
  return hits.map((hit) => ({ ...hit, score: best === 0 ? 0 : (share * hit.score) / best }))
}

/** Search over everything that was ever told about a project. */
export function createHistory(
  deps: AgentDoorDeps,
  projects: Pick<Projects, 'resolveProject'>,
): Pick<AgentDoor, 'searchHistory'> {
  return {
    async searchHistory({ text, limit, ...ref }) {
      const query = text.trim().toLowerCase()
      if (query === '') throw new HoldfastError('invalid-input', 'There is nothing to search for.')
      const project = await projects.resolveProject(ref)
      const { projectId } = project
      const asked = new Set(queryTermsOf(text))
      const [work, memories, pieces] = await Promise.all([
        deps.store.searchWork({ projectId, text, limit }),
        deps.store.searchMemories({ projectId, text, limit }),
        deps.longTermMemory.search(query, piecesTerms(project), limit),
      ])
      const hits: readonly Scored[] = [
        ...comparable(
          work.map(({ kind, id, title, at, files, text: said, score }) => {
            const body = [said, ...files].join('\n')
            const excerpt = excerptOf(asked, query, body)
            return { hit: { kind, id, title, excerpt, at }, score, share: shareOf(asked, query, body) }
          }),
        ),
        ...comparable(
          memories.map(({ memory: { id, content, createdAt: at }, score }) => {
            const excerpt = excerptOf(asked, query, content)
            const hit = { kind: 'memory' as const, id, title: firstLine(content), excerpt, at }
            return { hit, score, share: shareOf(asked, query, content) }
          }),
        ),
        ...pieces.map(({ docid, title }) => {
          const share = shareOf(asked, query, title)
          const hit = { kind: 'pieces' as const, id: String(docid), title: clip(title, TITLE_CHARS), excerpt: '' }
          return { hit, score: share, share }
        }),
      ]
      return hits
        .filter((hit) => hit.score > 0)
        .toSorted((a, b) => b.score - a.score)
        .slice(0, limit)
        .map(({ hit, score }): HistoryHit => ({ ...hit, score }))
    },
  }
}
