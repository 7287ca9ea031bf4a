import type { AgentDoor, Briefing, BriefingInput, ResolvedProject, SessionPhase } from '../records.ts'
import type { Session } from '../../kernel/session.ts'
import { checklistSection, taskSection } from './checklist-section.ts'
import { layOut, type SectionDraft } from './layout.ts'
import { hookNotices, isPlainWord, projectNotices } from './notices.ts'
import { entitySection, gitSection, indexSection, intentSection, piecesSection, summarySection } from './sections.ts'
import type { AgentDoorDeps } from '../deps.ts'
import type { Entities } from '../entities/entities.ts'
import { piecesTerms } from '../search-history.ts'
import type { Intents } from '../intents.ts'
import type { Projects } from '../projects.ts'
import { findSessionByLabel } from '../session-liveness.ts'
import type { Summaries } from '../summaries/summaries.ts'

const DEFAULT_BUDGET_TOKENS = 6_000
const MIN_BUDGET_TOKENS = 100
const CHARS_PER_TOKEN = 4
const COMMITS = 10
const OPEN_INTENTS = 8
const SUMMARIES = 5
const CHECKPOINTS = 3
const MEMORIES = 5
const PIECES = 5
const ENTITIES = 40
/** The index has a section of its own: here are only its first names. */
const INDEXED_ENTITIES = 12
const MAX_CHECKLIST_BYTES = 1_000_000

const REMINDERS = [
  '## Key Reminders',
  '- CHECKLIST.md is the only checklist: mark items there as they are done, verified ones with the command that proved it.',
  '- Record an intent with the files you mean to touch before you edit; do not go on silently over a conflict.',
  '- Register the functions, classes and endpoints you add.',
  '- Save a summary after every few changes and before the end: save_session_summary first, then complete_session_intent.',
  '- The index is read, never regenerated, by an agent at work.',
]

interface Parts extends Pick<Intents, 'listIntents' | 'conflictsOf'> {
  readonly projects: Pick<Projects, 'resolveProject'>
  readonly summaries: Pick<Summaries, 'recent' | 'checkpoints'>
  readonly entities: Pick<Entities, 'of'>
}

/** S4's briefing: everything a session needs to know in one call, each part saying when it was true and who says so. */
export function createBriefing(deps: AgentDoorDeps, parts: Parts): Pick<AgentDoor, 'briefing'> {
  async function told(project: ResolvedProject) {
    const { projectId } = project
    const checkpoints = await parts.summaries.checkpoints(project)
    const summaries = await parts.summaries.recent(project, SUMMARIES, checkpoints)
    const spoken = new Set(summaries.map((summary) => summary.sessionId))
    const newest = new Map(checkpoints.toReversed().map((one) => [one.sessionId, one]))
    return {
      summaries,
      checkpoints: [...newest.values()]
        .toReversed()
        .filter((one) => !spoken.has(one.sessionId))
        .slice(0, CHECKPOINTS),
      memories: await deps.store.listMemories({ projectId, limit: MEMORIES }),
    }
  }

  /** `holdfast index` writes at the top of a checkout, wherever in it the project's root is. */
  async function indexOf({ rootPath, worktree }: ResolvedProject) {
    const index = await deps.codemap.indexState(rootPath)
    return index.pair === 'missing' && worktree !== rootPath ? deps.codemap.indexState(worktree) : index
  }

  async function conflictsOfSession(project: ResolvedProject, sessionLabel: string | undefined) {
    if (sessionLabel === undefined) return []
    const { projectId } = project
    const own = await deps.store.listIntents({ projectId, sessionLabel, isOpen: true, limit: OPEN_INTENTS })
    const sessionId = own.find((intent) => intent.sessionId !== undefined)?.sessionId
    const files = own.flatMap((intent) => intent.files)
    return parts.conflictsOf(project, files, { sessionLabel, ...(sessionId === undefined ? {} : { sessionId }) })
  }

  async function sevenSections(project: ResolvedProject, input: BriefingInput): Promise<readonly SectionDraft[]> {
    const now = deps.clock.now()
    const { rootPath, worktree } = project
    const self = input.sessionLabel
    const [index, state, commits, checklist, intents, conflicts, history, pieces, entities] = await Promise.all([
      indexOf(project),
      deps.git.state(worktree),
      deps.history.log(worktree, COMMITS),
      deps.checklists.read(rootPath),
      parts.listIntents({ ...input, limit: OPEN_INTENTS }),
      conflictsOfSession(project, self),
      told(project),
      deps.longTermMemory.recent(piecesTerms(project), PIECES),
      parts.entities.of(project, { limit: ENTITIES, indexLimit: INDEXED_ENTITIES }),
    ])
    return [
      indexSection(index, now),
      gitSection(state, commits, now),
      checklistSection(checklist, now),
      intentSection(intents, conflicts, { now, self }),
      summarySection(history, now),
      piecesSection(pieces),
      entitySection(entities, now),
    ]
  }

  async function currentTask(project: ResolvedProject): Promise<SectionDraft | undefined> {
    const checklist = await deps.checklists.read(project.rootPath)
    if (checklist === undefined) return undefined
    const text = await deps.files.readText(checklist.path, MAX_CHECKLIST_BYTES)
    return taskSection(checklist, text ?? '', deps.clock.now())
  }

  async function headOf(project: ResolvedProject, phase: SessionPhase | undefined): Promise<readonly string[]> {
    const now = deps.clock.now()
    const sightings = await deps.store.listSightings()
    return [
      `# Session Briefing${isPlainWord(project.name) ? `: ${project.name}` : ''}`,
      `Generated: ${now}${phase === undefined ? '' : `, phase ${phase}`}`,
      ...(isPlainWord(project.rootPath) ? [`**Project root**: \`${project.rootPath}\``] : []),
      ...[...projectNotices(project), ...hookNotices(deps.expectedHooks, sightings, now)].map(
        (notice) => `- ${notice}`,
      ),
    ]
  }

  async function phaseOf(input: BriefingInput): Promise<SessionPhase | undefined> {
    if (input.phase !== undefined || input.sessionLabel === undefined) return input.phase
    return deps.store.findPhase(input.sessionLabel)
  }

  /** A session whose last start was a compaction goes on after it, whether or not the caller says so. */
  async function isAfterCompaction(input: BriefingInput): Promise<boolean> {
    if (input.afterCompaction !== undefined) return input.afterCompaction
    const session: Session | undefined =
      input.sessionLabel === undefined ? undefined : await findSessionByLabel(deps, input.sessionLabel)
    return session?.source === 'compact'
  }

  return {
    async briefing(input): Promise<Briefing> {
      const project = await parts.projects.resolveProject(input)
      const phase = await phaseOf(input)
      const isCoding = phase === 'CODE' && (await isAfterCompaction(input))
      const task = isCoding ? await currentTask(project) : undefined
      const budgetTokens = Math.max(MIN_BUDGET_TOKENS, Math.floor(input.budgetTokens ?? DEFAULT_BUDGET_TOKENS))
      const head = await headOf(project, phase)
      const redactor = await deps.redactors.forWorktree(project.worktree)
      const drafts = task === undefined ? await sevenSections(project, input) : [task]
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
