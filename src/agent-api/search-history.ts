import type { HistoryHit, HistoryInput, ResolvedProject } from '../kernel/agent-records.ts'
import type { AgentUseCases } from './use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { SessionId } from '../kernel/id.ts'
import { queryTermsOf, termsOf } from '../kernel/text/terms.ts'
import { clip } from '../kernel/text/text.ts'
import type { AgentDoorDeps } from './deps.ts'
import type { Projects } from './projects.ts'
import { findSessionByLabel } from './session-liveness.ts'

const TITLE_CHARS = 120
const EXCERPT_CHARS = 300
/** Not every harness tells of both its ends. */
const COMPACTION = ['compaction-started', 'compaction-finished'] as const

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

/**
 * The session whose words need not be told to it: it asks, and it still sees them all. After a compaction it does not,
 * and nothing tells which of them are left: then its own are found like anybody's.
 */
async function findOnlooker(
  deps: Pick<AgentDoorDeps, 'store'>,
  { sessionKey, harness }: Pick<HistoryInput, 'sessionKey' | 'harness'>,
): Promise<SessionId | undefined> {
  if (sessionKey === undefined || sessionKey.trim() === '') return undefined
  const session = await findSessionByLabel(deps, sessionKey, harness)
  if (session === undefined || session.source === 'compact') return undefined
  const sessionId = session.id
  const compactions = await deps.store.listEvents({ sessionId, kinds: COMPACTION, limit: 1 })
  return compactions.length === 0 && session.compactionCount === 0 ? sessionId : undefined
}

/** Search over everything that was ever told about a project. */
export function createHistory(
  deps: AgentDoorDeps,
  projects: Pick<Projects, 'resolveProject'>,
): Pick<AgentUseCases, 'searchHistory'> {
  return {
    async searchHistory(input) {
      const { text, limit } = input
      const query = text.trim().toLowerCase()
      if (query === '') throw new HoldfastError('invalid-input', 'There is nothing to search for.')
      const project = await projects.resolveProject(input)
      const { projectId } = project
      const asked = new Set(queryTermsOf(text))
      const onlooker = await findOnlooker(deps, input)
      const question = { projectId, text, limit, ...(onlooker !== undefined && { notSession: onlooker }) }
      const [work, memories, pieces, redactor] = await Promise.all([
        deps.store.searchWork(question),
        deps.store.searchMemories(question),
        deps.longTermMemory.search(query, piecesTerms(project), limit),
        deps.redactors.forWorktree(project.worktree),
      ])
      // Before it is cut: half a secret is not known as one.
      const safe = (text: string) => redactor.redact(text)
      const hits: readonly Scored[] = [
        ...comparable(
          work.map(({ kind, id, title, at, files, text: said, score }) => {
            const body = safe([said, ...files].join('\n'))
            const excerpt = excerptOf(asked, query, body)
            return { hit: { kind, id, title: safe(title), excerpt, at }, score, share: shareOf(asked, query, body) }
          }),
        ),
        ...comparable(
          memories.map(({ memory: { id, content: said, createdAt: at }, score }) => {
            const content = safe(said)
            const excerpt = excerptOf(asked, query, content)
            const hit = { kind: 'memory' as const, id, title: firstLine(content), excerpt, at }
            return { hit, score, share: shareOf(asked, query, content) }
          }),
        ),
        ...pieces.map(({ docid, title }) => {
          const share = shareOf(asked, query, title)
          const hit = { kind: 'pieces' as const, id: String(docid), title: clip(safe(title), TITLE_CHARS), excerpt: '' }
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
