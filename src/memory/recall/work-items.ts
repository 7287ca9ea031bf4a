import type { WorkItem } from '../../kernel/work-item.ts'
import type { SessionSummary } from '../../kernel/agent-records.ts'
import type { Checkpoint } from '../../kernel/checkpoint.ts'

/** Later checkpoints of a session repeat what the earlier ones said: the newest takes the place of those with its key. */
export function workKeyOf({ name, sessionId }: Pick<Checkpoint, 'name' | 'sessionId'>): string {
  return name === undefined ? sessionId : `${sessionId} ${name}`
}

const MAX_TEXT_CHARS = 6_000
const MAX_TITLE_CHARS = 120
const MAX_FILES = 40

function bounded(parts: readonly (string | undefined)[]): string {
  const lines = [...new Set(parts.filter((part) => part !== undefined && part.trim() !== ''))]
  return lines.join('\n').slice(0, MAX_TEXT_CHARS).toWellFormed()
}

function titleOf(text: string): string {
  return (text.trimStart().split('\n', 1)[0] ?? '').slice(0, MAX_TITLE_CHARS).toWellFormed()
}

/** Not its digest: that repeats memories, and one that is superseded by now must not be found through it. */
export function itemsOfCheckpoint(checkpoint: Checkpoint): readonly WorkItem[] {
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
      title: titleOf(checkpoint.summary),
      text: bounded([
        checkpoint.name,
        checkpoint.summary,
        written?.summary,
        ...work.asks.map((ask) => ask.text).toReversed(),
        checkpoint.nextAction,
        checkpoint.waitingFor,
        ...checkpoint.nextSteps,
        ...work.todos.map((todo) => todo.text),
        ...work.blockers,
        ...work.errors.map((error) => error.text),
        ...work.failedApproaches,
        ...work.refs,
        work.identifiers.map(({ name }) => name).join(' '),
      ]),
    },
    ...work.decisions.map(({ decision, rationale, alternatives = [] }) => ({
      ...base,
      kind: 'decision' as const,
      title: titleOf(decision),
      text: bounded([decision, rationale, ...alternatives]),
      files: [],
    })),
  ]
}

export function itemOfSummary(summary: SessionSummary): WorkItem {
  return {
    kind: 'summary',
    id: summary.id,
    projectId: summary.projectId,
    ...(summary.sessionId !== undefined && { sessionId: summary.sessionId }),
    title: titleOf(summary.summary),
    text: bounded([summary.summary, ...summary.entitiesRegistered, ...Object.values(summary.checklistProgress)]),
    files: summary.filesChanged.slice(0, MAX_FILES),
    at: summary.savedAt,
  }
}
