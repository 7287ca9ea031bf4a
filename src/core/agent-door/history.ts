import type { AgentDoor, HistoryHit, ResolvedProject } from '../agent-door.ts'
import type { Checkpoint, StoredCheckpoint } from '../checkpoint.ts'
import { HoldfastError } from '../errors.ts'
import { queryTermsOf, termsOf } from '../terms.ts'
import { clip } from '../work/text.ts'
import type { AgentDoorDeps } from './deps.ts'
import type { Projects } from './projects.ts'

const SUMMARIES = 500
const CHECKPOINTS = 200
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

/** Later checkpoints of a session repeat what the earlier ones said. */
function newestOfEachSession(newestFirst: readonly StoredCheckpoint[]): readonly Checkpoint[] {
  const bySession = new Map<string, Checkpoint>()
  for (const { checkpoint } of newestFirst) {
    const key = checkpoint.name ?? checkpoint.sessionId
    if (!bySession.has(key)) bySession.set(key, checkpoint)
  }
  return [...bySession.values()]
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
      const asked = new Set(queryTermsOf(query))
      const [summaries, checkpoints, memories, pieces] = await Promise.all([
        deps.store.listSummaries({ projectId, limit: SUMMARIES }),
        deps.store.listCheckpoints({ projectId, limit: CHECKPOINTS }),
        deps.store.searchMemories({ projectId, text, limit }),
        deps.longTermMemory.search(query, piecesTerms(project), limit),
      ])
      const hits: readonly HistoryHit[] = [
        ...summaries.map((summary): HistoryHit => {
          const body = [summary.summary, ...summary.filesChanged, ...summary.entitiesRegistered].join('\n')
          return {
            kind: 'summary',
            id: summary.id,
            title: firstLine(summary.summary),
            excerpt: excerptOf(asked, query, body),
            at: summary.savedAt,
            score: shareOf(asked, query, body),
          }
        }),
        ...newestOfEachSession(checkpoints).map((checkpoint): HistoryHit => {
          const body = `${checkpoint.summary}\n${checkpoint.digest}`
          return {
            kind: 'checkpoint',
            id: checkpoint.id,
            title: clip(checkpoint.summary, TITLE_CHARS),
            excerpt: excerptOf(asked, query, body),
            at: checkpoint.createdAt,
            score: shareOf(asked, query, body),
          }
        }),
        ...memories.map(
          ({ memory, coverage }): HistoryHit => ({
            kind: 'memory',
            id: memory.id,
            title: firstLine(memory.content),
            excerpt: excerptOf(asked, query, memory.content),
            at: memory.createdAt,
            score: coverage,
          }),
        ),
        ...pieces.map(
          (session): HistoryHit => ({
            kind: 'pieces',
            id: String(session.docid),
            title: clip(session.title, TITLE_CHARS),
            excerpt: '',
            score: shareOf(asked, query, session.title),
          }),
        ),
      ]
      return hits
        .filter((hit) => hit.score > 0)
        .toSorted((a, b) => b.score - a.score || ((b.at ?? '') > (a.at ?? '') ? 1 : -1))
        .slice(0, limit)
    },
  }
}
