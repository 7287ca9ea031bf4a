import type { WorkItem } from '../../kernel/memory.ts'
import type { SessionSummary } from '../../kernel/agent-records.ts'
import { NEXT_MESSAGE, type Checkpoint } from '../../kernel/checkpoint.ts'

/** A checkpoint replaces earlier ones with the same key in the index, because it repeats what they said. */
export function getWorkKey({ name, sessionId }: Pick<Checkpoint, 'name' | 'sessionId'>): string {
  return name === undefined ? sessionId : `${sessionId} ${name}`
}

const MAX_TEXT_CHARS = 6_000
const MAX_TITLE_CHARS = 120
const MAX_FILES = 40

function joinBounded(parts: readonly (string | undefined)[]): string {
  const lines = [...new Set(parts.filter((part) => part !== undefined && part.trim() !== ''))]
  return lines.join('\n').slice(0, MAX_TEXT_CHARS).toWellFormed()
}

function makeTitle(text: string): string {
  return (text.trimStart().split('\n', 1)[0] ?? '').slice(0, MAX_TITLE_CHARS).toWellFormed()
}

/** Without the digest: it repeats memories, and a superseded one must not be found through it. */
export function createCheckpointItems(checkpoint: Checkpoint): readonly WorkItem[] {
  const { id, sessionId, work, written, place, createdAt: at } = checkpoint
  const files = work.files
    .toSorted((a, b) => b.edits - a.edits || b.lastOrder - a.lastOrder)
    .slice(0, MAX_FILES)
    .map(({ path }) => path)
  const base = { id, projectId: place.projectId, sessionId, files, at }
  return [
    {
      ...base,
      kind: 'checkpoint',
      title: makeTitle(checkpoint.summary),
      text: joinBounded([
        checkpoint.name,
        checkpoint.summary,
        written?.summary,
        ...work.asks.map((ask) => ask.text).toReversed(),
        checkpoint.nextAction,
        // Ours, in most checkpoints: a search must not match it.
        checkpoint.waitingFor === NEXT_MESSAGE ? undefined : checkpoint.waitingFor,
        ...checkpoint.nextSteps,
        ...work.todos.map((todo) => todo.text),
        ...work.blockers,
        ...work.errors.map((error) => error.text),
        ...work.failedApproaches,
        ...work.refs,
      ]),
    },
    ...work.decisions.map(({ decision, rationale, alternatives = [] }) => ({
      ...base,
      kind: 'decision' as const,
      title: makeTitle(decision),
      text: joinBounded([decision, rationale, ...alternatives]),
      files: [],
    })),
  ]
}

export function createSummaryItem(summary: SessionSummary): WorkItem {
  return {
    kind: 'summary',
    id: summary.id,
    projectId: summary.projectId,
    ...(summary.sessionId !== undefined && { sessionId: summary.sessionId }),
    title: makeTitle(summary.summary),
    text: joinBounded([summary.summary, ...summary.entitiesRegistered, ...Object.values(summary.checklistProgress)]),
    files: summary.filesChanged.slice(0, MAX_FILES),
    at: summary.savedAt,
  }
}
