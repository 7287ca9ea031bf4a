import type { HistoryHit, HistoryInput, ResolvedProject } from '../kernel/agent-records.ts'
import type { AgentUseCases } from './use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { SessionId } from '../kernel/id.ts'
import { extractQueryTerms, extractTerms } from '../kernel/text/terms.ts'
import { clip } from '../kernel/text/text.ts'
import type { AgentApiPorts } from './ports.ts'
import type { Projects } from './projects.ts'
import { findSessionByLabel } from './find-session.ts'

const TITLE_CHARS = 120
const EXCERPT_CHARS = 300
/** Not every harness reports both. */
const COMPACTION = ['compaction-started', 'compaction-finished'] as const

/** Terms that another program may use for the project. */
export function getPiecesTerms({ name, keywords }: Pick<ResolvedProject, 'name' | 'keywords'>): readonly string[] {
  return [...new Set([name.toLowerCase(), ...keywords])].filter((term) => term.length >= 2)
}

/** Share of the query terms that a text has; 1 when it contains the query as a phrase. */
function measureShare(asked: ReadonlySet<string>, query: string, text: string): number {
  if (text.toLowerCase().includes(query)) return 1
  if (asked.size === 0) return 0
  const known = new Set(extractTerms(text))
  return [...asked].filter((term) => known.has(term)).length / asked.size
}

/** The line that matches best. */
function findExcerpt(asked: ReadonlySet<string>, query: string, text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const matching =
    lines.find((line) => line.toLowerCase().includes(query)) ??
    lines.toSorted((a, b) => measureShare(asked, query, b) - measureShare(asked, query, a))[0]
  return clip(matching ?? '', EXCERPT_CHARS)
}

function firstLine(text: string): string {
  return clip(text.trimStart().split('\n', 1)[0] ?? '', TITLE_CHARS)
}

interface ScoredHit {
  readonly hit: Omit<HistoryHit, 'score'>
  readonly score: number
  /** Share of the query terms. */
  readonly share: number
}

/** Makes the scores of differently ranked lists comparable, by the query share of each list's best hit. */
function normalizeScores(hits: readonly ScoredHit[]): readonly ScoredHit[] {
  const best = Math.max(...hits.map(({ score }) => score))
  const share = Math.max(...hits.map((hit) => hit.share))
  return hits.map((hit) => ({ ...hit, score: best === 0 ? 0 : (share * hit.score) / best }))
}

/**
 * The asking session, whose own words are left out because its context still has them. Undefined after a compaction, when
 * the context may have lost them.
 */
async function findAskingSession(
  deps: Pick<AgentApiPorts, 'store'>,
  { sessionKey, harness }: Pick<HistoryInput, 'sessionKey' | 'harness'>,
): Promise<SessionId | undefined> {
  if (sessionKey === undefined || sessionKey.trim() === '') return undefined
  const session = await findSessionByLabel(deps, sessionKey, harness)
  if (session === undefined || session.source === 'compact') return undefined
  const sessionId = session.id
  const compactions = await deps.store.listEvents({ sessionId, kinds: COMPACTION, limit: 1 })
  return compactions.length === 0 && session.compactionCount === 0 ? sessionId : undefined
}

export function createHistorySearch(
  deps: AgentApiPorts,
  projects: Pick<Projects, 'resolveProject'>,
): Pick<AgentUseCases, 'searchHistory'> {
  return {
    async searchHistory(input) {
      const { text, limit } = input
      const query = text.trim().toLowerCase()
      if (query === '') throw new HoldfastError('invalid-input', 'The search text is empty.')
      const project = await projects.resolveProject(input)
      const { projectId } = project
      const asked = new Set(extractQueryTerms(text))
      const askingSession = await findAskingSession(deps, input)
      const question = { projectId, text, limit, ...(askingSession !== undefined && { notSession: askingSession }) }
      const [work, memories, pieces, redactor] = await Promise.all([
        deps.store.searchWork(question),
        deps.store.searchMemories(question),
        deps.longTermMemory.search(query, getPiecesTerms(project), limit),
        deps.redactors.forWorktree(project.worktree),
      ])
      // Before the text is cut: half a secret is not recognized.
      const redact = (text: string) => redactor.redact(text)
      const hits: readonly ScoredHit[] = [
        ...normalizeScores(
          work.map(({ kind, id, title, at, files, text: said, score }) => {
            const body = redact([said, ...files].join('\n'))
            const excerpt = findExcerpt(asked, query, body)
            return {
              hit: { kind, id, title: redact(title), excerpt, at },
              score,
              share: measureShare(asked, query, body),
            }
          }),
        ),
        ...normalizeScores(
          memories.map(({ memory: { id, content: said, createdAt: at }, score }) => {
            const content = redact(said)
            const excerpt = findExcerpt(asked, query, content)
            const hit = { kind: 'memory' as const, id, title: firstLine(content), excerpt, at }
            return { hit, score, share: measureShare(asked, query, content) }
          }),
        ),
        ...pieces.map(({ docid, title }) => {
          const share = measureShare(asked, query, title)
          const hit = {
            kind: 'pieces' as const,
            id: String(docid),
            title: clip(redact(title), TITLE_CHARS),
            excerpt: '',
          }
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
