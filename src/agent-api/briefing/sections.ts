import type {
  CheckedEntity,
  CheckedSummary,
  EntityOrigin,
  IntentConflict,
  PiecesSession,
  StandingIntent,
} from '../../kernel/agent-records.ts'
import type { Checkpoint } from '../../kernel/checkpoint.ts'
import type { Memory } from '../../kernel/memory.ts'
import type { GitState } from '../../kernel/project.ts'
import { clip } from '../../kernel/text/text.ts'
import { ageOf } from '../../kernel/text/age.ts'
import type { SectionDraft } from './layout.ts'
import type { IndexView } from '../ports.ts'
import type { CommitLine } from '../../kernel/ports/ports.ts'

const LINE_CHARS = 300
const SUMMARY_CHARS = 800
const MAX_INDEX_LINES = 4_000
const MAX_FILES = 10

function day(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}

/** Our words only: a time that a file tells is shown only when it is one. */
function agedOrigin(what: string, at: string | undefined, now: string): string {
  const isTime = at !== undefined && !Number.isNaN(Date.parse(at))
  return isTime ? `${what}, ${ageOf(at, now)}` : what
}

const FOR_THE_OPERATOR =
  'The operator, or a scheduled job, should run `holdfast index`; an agent at work should not, and exploring everything is no substitute: use `git ls-files` and targeted searches.'

const PAIR_NOTES: Readonly<Record<IndexView['pair'], readonly string[]>> = {
  matched: [],
  'no-json': [`PROJECT_INDEX.json is missing beside the Markdown. ${FOR_THE_OPERATOR}`],
  mismatched: [`PROJECT_INDEX.md and .json are not of one piece. ${FOR_THE_OPERATOR}`],
  missing: [`There is no PROJECT_INDEX.md. ${FOR_THE_OPERATOR}`],
}

export function indexSection(index: IndexView, now: string): SectionDraft {
  const lines = index.text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_INDEX_LINES)
    .map((line) => clip(line, LINE_CHARS))
  return {
    name: 'index',
    title: 'Project Index (codemap)',
    origin: agedOrigin(
      index.pair === 'missing' ? 'no index' : 'from PROJECT_INDEX.md, as it was generated',
      index.generatedAt,
      now,
    ),
    ...(index.generatedAt === undefined ? {} : { asOf: index.generatedAt }),
    notes: PAIR_NOTES[index.pair],
    lines: [...(index.detail === undefined ? [] : [clip(index.detail, LINE_CHARS)]), ...lines],
    weight: 28,
  }
}

export function gitSection(
  state: GitState | undefined,
  commits: readonly CommitLine[] | undefined,
  now: string,
): SectionDraft {
  const dirty = state?.dirty
  const changed = dirty === undefined ? 0 : dirty.staged + dirty.unstaged + dirty.untracked
  return {
    name: 'git',
    title: 'Recent Git History (last 10 commits)',
    origin: state === undefined ? 'not a git repository, or git did not answer' : 'from git, now',
    asOf: now,
    notes:
      dirty === undefined || changed === 0
        ? state === undefined
          ? []
          : ['Working tree: clean.']
        : [`Uncommitted: ${dirty.staged} staged, ${dirty.unstaged} changed, ${dirty.untracked} untracked.`],
    lines: [
      ...(state === undefined
        ? []
        : [`branch ${state.branch ?? '(detached)'} at ${state.head?.slice(0, 9) ?? 'no commit'}`]),
      ...(dirty?.paths ?? []).map((path) => clip(`uncommitted ${path}`, LINE_CHARS)),
      ...(commits ?? []).map(({ id, at, subject }) => clip(`${id} ${ageOf(at, now)}: ${subject}`, 160)),
    ],
    weight: 12,
  }
}

const STANDINGS: Readonly<Record<StandingIntent['standing'], string>> = {
  live: 'live',
  dead: 'stale, its session is over',
  unknown: 'unknown session',
}

export function intentSection(
  intents: readonly StandingIntent[],
  conflicts: readonly IntentConflict[],
  { now, self }: { now: string; self: string | undefined },
): SectionDraft {
  const newest = intents[0]?.startedAt
  return {
    name: 'intents',
    title: 'Previous Session Intents (incomplete)',
    origin:
      intents.length === 0 ? 'none recorded' : agedOrigin('as recorded by their sessions, the newest', newest, now),
    ...(newest === undefined ? {} : { asOf: newest }),
    notes:
      conflicts.length === 0
        ? []
        : [
            `${conflicts.length} live intent${conflicts.length === 1 ? '' : 's'} of others on files of this session: agree before editing.`,
          ],
    lines: [
      ...conflicts.map(({ intent, files }) =>
        clip(`! conflict with ${intent.sessionLabel} (${STANDINGS[intent.standing]}): ${files.join(', ')}`, LINE_CHARS),
      ),
      ...intents.map((intent) => {
        const who =
          intent.sessionLabel === self ? 'this session' : `${intent.sessionLabel}, ${STANDINGS[intent.standing]}`
        const files = intent.files.length === 0 ? '' : ` [${intent.files.slice(0, 5).join(', ')}]`
        return clip(`${day(intent.startedAt)} (${who}) ${intent.intent}${files}`, LINE_CHARS)
      }),
    ],
    weight: 12,
  }
}

function summaryLines(summary: CheckedSummary): readonly string[] {
  const body = summary.summary.slice(0, SUMMARY_CHARS).toWellFormed().split('\n')
  const progress = Object.entries(summary.checklistProgress).filter(([, status]) => status !== '')
  return [
    `[${day(summary.savedAt)}] ${summary.sessionLabel ?? 'unnamed'} claimed:`,
    ...summary.doubts.map(({ claim, because }) => clip(`! doubted: "${claim}" - ${because}`, LINE_CHARS)),
    ...body.filter((line) => line.trim() !== '').map((line) => clip(`  ${line}`, LINE_CHARS)),
    ...(summary.filesChanged.length === 0
      ? []
      : [clip(`Files: ${summary.filesChanged.slice(0, MAX_FILES).join(', ')}`, LINE_CHARS)]),
    ...(progress.length === 0
      ? []
      : [clip(`Progress: ${progress.map(([item, status]) => `${item}: ${status}`).join('; ')}`, LINE_CHARS)]),
  ]
}

/** Where nobody said what comes next, it is to go on with what was asked: that is the summary already. */
function repeats(nextAction: string, summary: string): boolean {
  const said = (text: string) => text.replace(/…$/, '')
  return said(nextAction).includes(said(summary))
}

function checkpointLines(checkpoint: Checkpoint): readonly string[] {
  const { nextAction, summary } = checkpoint
  const isNews = nextAction !== undefined && !repeats(nextAction, summary)
  const next = isNews ? [clip(`  next: ${nextAction}`, LINE_CHARS)] : []
  const title = `[${day(checkpoint.createdAt)}] ${checkpoint.sessionKey} observed (${checkpoint.trigger}):`
  return [clip(`${title} ${checkpoint.summary}`, LINE_CHARS), ...next]
}

export interface Told {
  readonly summaries: readonly CheckedSummary[]
  /** Newest of each session that saved no summary. */
  readonly checkpoints: readonly Checkpoint[]
  readonly memories: readonly Memory[]
}

export function summarySection({ summaries, checkpoints, memories }: Told, now: string): SectionDraft {
  const doubts = summaries.reduce((sum, summary) => sum + summary.doubts.length, 0)
  const newest = [...summaries.map((one) => one.savedAt), ...checkpoints.map((one) => one.createdAt)].toSorted().at(-1)
  return {
    name: 'summaries',
    title: 'Saved Session Summaries',
    origin:
      newest === undefined && memories.length === 0
        ? 'none saved'
        : agedOrigin('what sessions said of themselves, re-checked now; the newest', newest, now),
    ...(newest === undefined ? {} : { asOf: newest }),
    notes:
      doubts === 0
        ? []
        : [
            `${doubts} statement${doubts === 1 ? '' : 's'} below (marked "! doubted") did not hold when checked: verify before building on them.`,
          ],
    lines: [
      ...summaries.flatMap(summaryLines),
      ...checkpoints.flatMap(checkpointLines),
      ...memories.map((memory) =>
        clip(`remembered (${memory.type}, ${day(memory.createdAt)}): ${memory.content}`, LINE_CHARS),
      ),
    ],
    weight: 20,
  }
}

export function piecesSection(sessions: readonly PiecesSession[]): SectionDraft {
  return {
    name: 'pieces',
    title: 'Recent Session History (from Pieces LTM)',
    origin:
      sessions.length === 0
        ? 'no Pieces database, or nothing in it'
        : 'titles from Pieces, newest first; it tells no times',
    notes: [],
    lines: sessions.map((session) => clip(session.title, 160)),
    weight: 4,
  }
}

const ORIGINS: Readonly<Record<EntityOrigin, string>> = { hand: 'by hand', index: 'by the index' }

export function entitySection(
  { entities, total }: { readonly entities: readonly CheckedEntity[]; readonly total: number },
  now: string,
): SectionDraft {
  const off = entities.filter((entity) => entity.state === 'moved' || entity.state === 'gone').length
  const where = ({ file, line }: { file: string; line?: number }) => (line === undefined ? file : `${file}:${line}`)
  const more = total - entities.length
  return {
    name: 'entities',
    title: 'Named Entity Registry',
    origin: entities.length === 0 ? 'none registered' : 'as registered, each looked up in the code now',
    asOf: now,
    notes: [
      ...(off === 0 ? [] : [`${off} of ${entities.length} moved or gone since they were registered.`]),
      ...(more > 0 ? [`${more} more: search them by name with get_entity_registry.`] : []),
    ],
    lines: entities
      .toSorted((a, b) => Number(b.state !== 'holds') - Number(a.state !== 'holds'))
      .map((entity) => {
        const found = entity.foundAt === undefined ? '' : `, now ${where(entity.foundAt)}`
        const state = entity.state === 'holds' ? '' : `${entity.state}${found}; `
        const told = `${state}${ORIGINS[entity.origin]} ${ageOf(entity.lastSeenAt, now)}`
        return clip(`${entity.type} ${entity.name} -> ${where(entity)} (${told})`, 200)
      }),
    weight: 8,
  }
}
