import type { FacetValue, FindHit, FindKind, FindResult } from '../kernel/archive.ts'
import type { ProjectId, SessionId } from '../kernel/id.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { Session } from '../kernel/session.ts'
import { formatReopening } from '../kernel/shell/format-command.ts'
import { extractTerms } from '../kernel/text/terms.ts'
import { oneLine } from '../kernel/text/text.ts'
import type { Archive } from './archive.ts'
import type { FindInput, FindUseCases } from './use-cases.ts'

/** Events that a search adds to the archive before it looks. */
const MAX_WAITING_EVENTS = 5_000
/** Matches of each source that are ranked. */
const RANKED = 120
const EXCERPT_CHARS = 240
const BEFORE_MATCH_CHARS = 60

/** Before its session and project are looked up. */
interface Match {
  readonly kind: FindKind
  readonly projectId?: ProjectId
  readonly sessionId?: SessionId
  readonly at: string
  readonly text: string
  readonly ref: string
}

interface RankedMatch extends Match {
  readonly matched: readonly string[]
}

function listWords(query: string): readonly string[] {
  return [...new Set(query.split(/\s+/).filter((word) => extractTerms(word).length > 0))]
}

function findMatched(words: readonly string[], text: string): readonly string[] {
  const terms = new Set(extractTerms(text))
  return words.filter((word) => extractTerms(word).some((term) => terms.has(term)))
}

function excerpt(text: string, matched: readonly string[]): string {
  const line = oneLine(text)
  const places = matched.map((word) => line.toLowerCase().indexOf(word.toLowerCase())).filter((at) => at >= 0)
  const from = Math.max(0, Math.min(...places, line.length) - BEFORE_MATCH_CHARS)
  const start = places.length === 0 || line.length <= EXCERPT_CHARS ? 0 : from
  const part = line.slice(start, start + EXCERPT_CHARS)
  return `${start > 0 ? '…' : ''}${part}${start + EXCERPT_CHARS < line.length ? '…' : ''}`.toWellFormed()
}

function countFacet(values: readonly (readonly [value: string, label: string])[]): readonly FacetValue[] {
  const counts = new Map<string, { label: string; count: number }>()
  for (const [value, label] of values) {
    const known = counts.get(value)
    counts.set(value, { label, count: (known?.count ?? 0) + 1 })
  }
  return [...counts].map(([value, counted]) => ({ value, ...counted })).toSorted((a, b) => b.count - a.count)
}

export function createFind(ports: ContinuityPorts, archive: Archive): FindUseCases {
  const { store } = ports

  async function listMatches(input: FindInput, projectId: ProjectId | undefined): Promise<readonly Match[]> {
    const { text, harness, kinds, since, until } = input
    const wants = (kind: FindKind) => kinds === undefined || kinds.includes(kind)
    const entries = await store.searchArchive({ text, projectId, harness, kinds, since, until })
    const memories = wants('memory')
      ? await store.searchMemories({ projectId, text, isLiteral: true, limit: RANKED })
      : []
    const work =
      wants('checkpoint') || wants('decision') || wants('note')
        ? await store.searchWork({ projectId, text, limit: RANKED })
        : []
    const found: readonly Match[] = [
      ...entries.map(({ seq, ...entry }) => ({ ...entry, ref: String(seq) })),
      ...memories.map(({ memory }) => ({
        kind: 'memory' as const,
        projectId: memory.projectId,
        ...(memory.sessionId !== undefined && { sessionId: memory.sessionId }),
        at: memory.createdAt,
        text: memory.content,
        ref: memory.id,
      })),
      ...work.map(({ kind, id, ...hit }) => ({ ...hit, kind: kind === 'summary' ? ('note' as const) : kind, ref: id })),
    ]
    return found.filter(
      ({ kind, at }) => wants(kind) && (since === undefined || at >= since) && (until === undefined || at < until),
    )
  }

  function rank(words: readonly string[], matches: readonly Match[]): readonly RankedMatch[] {
    return matches
      .map((match) => ({ ...match, matched: findMatched(words, match.text) }))
      .filter(({ matched }) => matched.length > 0)
      .toSorted((a, b) => b.matched.length - a.matched.length || (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  }

  /** Remembers what was looked up: hits of one page share few projects. */
  function createLookups(own: ProjectId | undefined) {
    const projects = new Map<ProjectId, Promise<{ folder: string; isOpen: boolean }>>()
    const sessions = new Map<SessionId, Promise<Session | undefined>>()
    async function lookUp(id: ProjectId) {
      const [latest] = await store.listLocations({ projectId: id })
      // A location may be that of the git directory.
      const folder = latest?.location.replace(/\/\.git$/, '') ?? ''
      const { archive: setting } = await ports.configFor(folder === '' ? undefined : folder)
      // A project may keep its text from searches elsewhere.
      return { folder, isOpen: setting.enabled || id === own }
    }
    return {
      project(id: ProjectId) {
        const known = projects.get(id) ?? lookUp(id)
        projects.set(id, known)
        return known
      },
      session(id: SessionId) {
        const known = sessions.get(id) ?? store.findSession(id)
        sessions.set(id, known)
        return known
      },
    }
  }

  return {
    async find(input) {
      const isFilled = await archive.catchUp(MAX_WAITING_EVENTS)
      const own = input.cwd === undefined ? undefined : (await ports.locator.locate(input.cwd)).projectId
      const matches = await listMatches(input, input.projectId ?? own)
      const lookups = createLookups(own)
      const redactor = await ports.redactors.forWorktree(undefined, undefined)
      const hits: FindHit[] = []
      for (const match of rank(listWords(input.text), matches)) {
        const session = match.sessionId === undefined ? undefined : await lookups.session(match.sessionId)
        if (input.harness !== undefined && session?.harness !== input.harness) continue
        const project = match.projectId === undefined ? undefined : await lookups.project(match.projectId)
        if (project?.isOpen === false) continue
        const folder = session?.cwd ?? session?.place?.worktree
        const command = session && ports.resumeCommand?.(session.harness, session.key)
        hits.push({
          kind: match.kind,
          project: session?.place?.project ?? project?.folder ?? '',
          ...(match.projectId !== undefined && { projectId: match.projectId }),
          ...(session !== undefined && { session: session.key, harness: session.harness }),
          ...(session?.labels?.title !== undefined && { title: session.labels.title }),
          at: match.at,
          text: redactor.redact(excerpt(match.text, match.matched)),
          matched: match.matched,
          ref: match.ref,
          ...(command !== undefined && { reopen: formatReopening(command, folder) }),
        })
      }
      const { offset = 0, limit } = input
      return {
        hits: hits.slice(offset, offset + limit),
        facets: {
          project: countFacet(
            hits.flatMap(({ projectId, project }) => (projectId === undefined ? [] : [[projectId, project] as const])),
          ),
          harness: countFacet(
            hits.flatMap(({ harness }) => (harness === undefined ? [] : [[harness, harness] as const])),
          ),
          kind: countFacet(hits.map(({ kind }) => [kind, kind])),
          month: countFacet(hits.map(({ at }) => [at.slice(0, 7), at.slice(0, 7)])),
        },
        isComplete: isFilled && matches.length < RANKED,
      } satisfies FindResult
    },
  }
}
