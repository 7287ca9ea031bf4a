import type {
  SessionBriefing,
  BriefingInput,
  ResolvedProject,
  SessionPhase,
  ChecklistItem,
  ChecklistStatus,
  ChecklistView,
} from '../../kernel/agent-records.ts'
import type { AgentUseCases } from '../use-cases.ts'
import type { Session } from '../../kernel/session.ts'
import { layOut, type SectionDraft } from './layout.ts'
import { describeMissingHooks, isPlainWord, describeProject, type NamedEntry } from './sections.ts'
import {
  entitySection,
  gitSection,
  indexSection,
  intentSection,
  memorySection,
  piecesSection,
  summarySection,
} from './sections.ts'
import type { AgentApiPorts } from '../ports.ts'
import type { Entities } from '../entities/entities.ts'
import { getPiecesTerms } from '../search-history.ts'
import type { Intents } from '../intents.ts'
import type { Projects } from '../projects.ts'
import { findSessionByLabel } from '../find-session.ts'
import { findPhase, listCurrentItems, listDetailLines } from './current-task.ts'
import { listUnsummarized, type Summaries } from '../summaries/summaries.ts'
import { clip } from '../../kernel/text/text.ts'
import { formatAge } from '../../kernel/text/text.ts'

const LINE_CHARS = 300
const MAX_PENDING = 15

function countItems(items: readonly ChecklistItem[], status: ChecklistStatus): number {
  return items.filter((item) => item.status === status).length
}

function renderItem(item: ChecklistItem): string {
  const note = item.note === undefined ? '' : ` (note: ${item.note})`
  return clip(`${item.status}: ${item.text}${note} [${item.section}, line ${item.line}, id ${item.id}]`, LINE_CHARS)
}

function checklistSection(view: ChecklistView | undefined, now: string): SectionDraft {
  const shared = { name: 'checklist', title: 'CHECKLIST Status (single source of truth)', weight: 26 } as const
  if (view === undefined) return { ...shared, origin: 'no CHECKLIST.md in the project root', notes: [], lines: [] }
  const { items, discrepancies, notLookedAt } = view
  const of = (status: ChecklistStatus) => items.filter((item) => item.status === status)
  const pending = of('pending')
  const more = pending.length - MAX_PENDING
  return {
    ...shared,
    origin: `from CHECKLIST.md, last written ${formatAge(view.modifiedAt, now)}`,
    asOf: view.modifiedAt,
    notes: [
      `Total: ${items.length} items | ${countItems(items, 'verified')} verified | ${countItems(items, 'done')} done | ${countItems(items, 'in_progress')} in progress | ${countItems(items, 'blocked')} blocked | ${pending.length} pending`,
      ...(discrepancies.length === 0
        ? []
        : [
            `${discrepancies.length} ticked item${discrepancies.length === 1 ? '' : 's'} (marked "! discrepancy") did not hold when checked.`,
          ]),
      ...(notLookedAt.length === 0
        ? []
        : [
            `${notLookedAt.length} of what ticked items name could not be compared with code: get_checklist says what and why.`,
          ]),
    ],
    lines: [
      ...discrepancies.map(({ text, because }) =>
        clip(`! discrepancy: "${text}" is ticked, but ${because}`, LINE_CHARS),
      ),
      ...of('in_progress').map(renderItem),
      ...of('blocked').map(renderItem),
      ...pending.slice(0, MAX_PENDING).map(renderItem),
      ...(more > 0 ? [`and ${more} more pending: call get_checklist`] : []),
    ],
  }
}

/** After a compaction in the CODE phase: only the current task. */
function taskSection(view: ChecklistView, fileText: string, now: string): SectionDraft {
  const fileLines = fileText.split('\n')
  const current = listCurrentItems(view.items)
  const refuted = view.discrepancies.filter(({ itemId }) => current.some((item) => item.id === itemId))
  return {
    name: 'task',
    title: 'Current task',
    origin: `from CHECKLIST.md, last written ${formatAge(view.modifiedAt, now)}`,
    asOf: view.modifiedAt,
    notes:
      current.length === 0
        ? ['No item is in progress or pending: say so, and ask what is next.']
        : [
            'You are in the CODE phase after a compaction: continue this task, do not re-explore. The other items are in CHECKLIST.md.',
          ],
    lines: [
      ...refuted.map(({ because }) => clip(`! discrepancy: ${because}`, LINE_CHARS)),
      ...current.flatMap((item) => [renderItem(item), ...listDetailLines(item, fileLines)]),
    ],
    weight: 1,
  }
}

const DEFAULT_BUDGET_TOKENS = 6_000
const MIN_BUDGET_TOKENS = 100
const CHARS_PER_TOKEN = 4
const COMMITS = 10
const OPEN_INTENTS = 8
const SUMMARIES = 5
const CHECKPOINTS = 3
const NAMED = 5
const MEMORIES = 5
const PIECES = 5
const ENTITIES = 40
/** Few, because the index has its own section. */
const INDEXED_ENTITIES = 12
const MAX_CHECKLIST_BYTES = 1_000_000

const REMINDERS = [
  '## Key Reminders',
  '- CHECKLIST.md is the only checklist: mark items there as they are done, verified ones with the command that proved it.',
  '- Record an intent with the files you plan to edit first; do not ignore a conflict silently.',
  '- Register the functions, classes and endpoints you add.',
  '- Save a summary after every few changes and before the end: save_session_summary first, then complete_session_intent.',
  '- The index is read, never regenerated, by an agent at work.',
]

interface BriefingParts extends Pick<Intents, 'listIntents' | 'findIntentConflicts'> {
  readonly projects: Pick<Projects, 'resolveProject'>
  readonly summaries: Pick<Summaries, 'recent' | 'checkpoints'>
  readonly entities: Pick<Entities, 'listForProject'>
  readonly listNamed: (ref: BriefingInput) => Promise<readonly NamedEntry[]>
}

/** Everything a session needs to know in one call; each section has its source and age. */
export function createBriefing(deps: AgentApiPorts, parts: BriefingParts): Pick<AgentUseCases, 'briefing'> {
  async function loadHistory(project: ResolvedProject, input: BriefingInput) {
    const checkpoints = await parts.summaries.checkpoints(project)
    const summaries = await parts.summaries.recent(project, { limit: SUMMARIES }, checkpoints)
    const named = (await parts.listNamed(input)).toSorted((a, b) => Date.parse(b.savedAt) - Date.parse(a.savedAt))
    return {
      summaries,
      named: named.slice(0, NAMED),
      checkpoints: listUnsummarized(checkpoints, summaries).slice(0, CHECKPOINTS),
    }
  }

  /** `holdfast index` writes to the top of the checkout, which may be above the project root. */
  async function findIndex({ rootPath, worktree }: ResolvedProject) {
    const index = await deps.codemap.indexState(rootPath)
    return index.pair === 'missing' && worktree !== rootPath ? deps.codemap.indexState(worktree) : index
  }

  async function findSessionConflicts(project: ResolvedProject, sessionLabel: string | undefined) {
    if (sessionLabel === undefined) return []
    const { projectId } = project
    const own = await deps.store.listIntents({ projectId, sessionLabel, isOpen: true, limit: OPEN_INTENTS })
    const sessionId = own.find((intent) => intent.sessionId !== undefined)?.sessionId
    const files = own.flatMap((intent) => intent.files)
    return parts.findIntentConflicts(project, files, {
      sessionLabel,
      ...(sessionId === undefined ? {} : { sessionId }),
    })
  }

  async function buildSections(project: ResolvedProject, input: BriefingInput): Promise<readonly SectionDraft[]> {
    const now = deps.clock.now()
    const { rootPath, worktree } = project
    const self = input.sessionLabel
    const [index, state, commits, checklist, intents, conflicts, history, memories, pieces, entities] =
      await Promise.all([
        findIndex(project),
        deps.git.state(worktree, 'now'),
        deps.history.log(worktree, COMMITS),
        deps.checklists.read(rootPath),
        parts.listIntents({ ...input, limit: OPEN_INTENTS }),
        findSessionConflicts(project, self),
        loadHistory(project, input),
        deps.store.listMemories({ projectId: project.projectId, withoutTasks: true, limit: MEMORIES }),
        deps.longTermMemory.recent(getPiecesTerms(project), PIECES),
        parts.entities.listForProject(project, { limit: ENTITIES, indexLimit: INDEXED_ENTITIES }),
      ])
    return [
      indexSection(index, now),
      gitSection(state, commits, now),
      checklistSection(checklist, now),
      intentSection(intents, conflicts, { now, self }),
      summarySection(history, now),
      ...(memories.length === 0 ? [] : [memorySection(memories, now)]),
      piecesSection(pieces),
      entitySection(entities, now),
    ]
  }

  async function findCurrentTask(project: ResolvedProject): Promise<SectionDraft | undefined> {
    const checklist = await deps.checklists.read(project.rootPath)
    if (checklist === undefined) return undefined
    const text = await deps.files.readText(checklist.path, MAX_CHECKLIST_BYTES)
    return taskSection(checklist, text ?? '', deps.clock.now())
  }

  async function renderHead(
    project: ResolvedProject,
    { project: asked }: BriefingInput,
    phase: SessionPhase | undefined,
  ): Promise<readonly string[]> {
    const now = deps.clock.now()
    const sightings = await deps.store.listSightings()
    return [
      `# Session Briefing${isPlainWord(project.name) ? `: ${project.name}` : ''}`,
      `Generated: ${now}${phase === undefined ? '' : `, phase ${phase}`}`,
      ...(isPlainWord(project.rootPath) ? [`**Project root**: \`${project.rootPath}\``] : []),
      ...[...describeProject(project, asked), ...describeMissingHooks(deps.expectedHooks, sightings, now)].map(
        (notice) => `- ${notice}`,
      ),
    ]
  }

  /** Without an answer from the caller, the session's last start decides. */
  async function isAfterCompaction(input: BriefingInput): Promise<boolean> {
    if (input.afterCompaction !== undefined) return input.afterCompaction
    const session: Session | undefined =
      input.sessionLabel === undefined ? undefined : await findSessionByLabel(deps, input.sessionLabel)
    return session?.source === 'compact'
  }

  return {
    async briefing(input): Promise<SessionBriefing> {
      const project = await parts.projects.resolveProject(input)
      const phase = input.phase ?? (await findPhase(deps, input.sessionLabel))
      const isCoding = phase === 'CODE' && (await isAfterCompaction(input))
      const task = isCoding ? await findCurrentTask(project) : undefined
      const budgetTokens = Math.max(MIN_BUDGET_TOKENS, Math.floor(input.budgetTokens ?? DEFAULT_BUDGET_TOKENS))
      const head = await renderHead(project, input, phase)
      const redactor = await deps.redactors.forWorktree(project.worktree)
      const drafts = task === undefined ? await buildSections(project, input) : [task]
      const { text, sections } = layOut({
        head,
        sections: drafts.map((draft) => ({ ...draft, lines: redactor.redactAll(draft.lines) })),
        foot: task === undefined ? REMINDERS : [],
        budgetChars: budgetTokens * CHARS_PER_TOKEN,
        sha256: deps.sha256,
      })
      return {
        project,
        generatedAt: deps.clock.now(),
        mode: task === undefined ? 'full' : 'current-task',
        ...(phase === undefined ? {} : { phase }),
        isDegraded: !project.isRegistered,
        text,
        tokens: Math.ceil(text.length / CHARS_PER_TOKEN),
        sections,
      }
    },
  }
}
