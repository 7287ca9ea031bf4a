import { isClaimedSummary } from '../summaries/summaries.ts'
import type {
  CheckedEntity,
  CheckedSummary,
  EntityOrigin,
  IntentConflict,
  PiecesSession,
  IntentWithLiveness,
  ResolvedProject,
} from '../../kernel/agent-records.ts'
import type { Checkpoint } from '../../kernel/checkpoint.ts'
import { describeMemory, type Memory } from '../../kernel/memory.ts'
import type { GitState } from '../../kernel/location.ts'
import { isProjectMeant } from '../../kernel/paths/is-project-meant.ts'
import { clip } from '../../kernel/text/text.ts'
import { formatAge } from '../../kernel/text/text.ts'
import type { SectionDraft } from './layout.ts'
import type { IndexView, ExpectedHook } from '../ports.ts'
import type { CommitLine, HookSighting } from '../../kernel/ports/ports.ts'

const RECENT_MS = 3 * 86_400_000

/** Routine hooks that a harness has not called for days while it called others: then its sessions are recorded incompletely. */
function findMissingHooks(
  expected: readonly ExpectedHook[],
  sightings: readonly HookSighting[],
): readonly { readonly harness: string; readonly hook: string; readonly lastSeenAt?: string }[] {
  return expected.flatMap(({ harness, hook, isRoutine }) => {
    const ofHarness = sightings.filter((sighting) => sighting.harness === harness)
    const newest = ofHarness
      .map((sighting) => sighting.lastSeenAt)
      .toSorted()
      .at(-1)
    if (!isRoutine || newest === undefined) return []
    const lastSeenAt = ofHarness
      .filter((sighting) => sighting.hook === hook)
      .map((sighting) => sighting.lastSeenAt)
      .toSorted()
      .at(-1)
    if (lastSeenAt === undefined) return [{ harness, hook }]
    return Date.parse(newest) - Date.parse(lastSeenAt) > RECENT_MS ? [{ harness, hook, lastSeenAt }] : []
  })
}

export function describeMissingHooks(
  expected: readonly ExpectedHook[],
  sightings: readonly HookSighting[],
  now: string,
): readonly string[] {
  const missing = findMissingHooks(expected, sightings)
  if (missing.length === 0) return []
  const said = missing.map(
    ({ harness, hook, lastSeenAt }) =>
      `${harness} ${hook} (${lastSeenAt === undefined ? 'never seen' : `last ${formatAge(lastSeenAt, now)}`})`,
  )
  return [
    `Expected hooks not seen recently: ${said.join(', ')}. Run \`holdfast doctor\`; until then some work may be missing below.`,
  ]
}

/** Safe to show outside a fence: a name or a path. */
export function isPlainWord(text: string): boolean {
  return /^[\w.@+:/\\-]{1,200}$/.test(text)
}

export function describeProject(project: ResolvedProject, asked: string | undefined): readonly string[] {
  return [
    ...(isProjectMeant(project, asked)
      ? []
      : [
          `No project is named ${asked !== undefined && isPlainWord(asked) ? `"${asked}"` : 'like that'}: this is the one of ${project.matchedBy === 'similar-name' ? 'the most similar name' : 'the current directory'}. Writes to that name are refused.`,
        ]),
    ...(project.isOnDisk ? [] : ['The project root is NOT FOUND on disk: nothing below could be checked again.']),
    ...(project.isRegistered
      ? []
      : [
          'This directory is not registered: the briefing is based on git, files and sessions. Call register_project once to give it a name.',
        ]),
  ]
}

const LINE_CHARS = 300
const SUMMARY_CHARS = 800
const MAX_INDEX_LINES = 4_000
const MAX_FILES = 10

function formatMinute(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}

/** Only our own text: a time from a file is shown only when it is valid. */
function describeOrigin(what: string, at: string | undefined, now: string): string {
  const isTime = at !== undefined && !Number.isNaN(Date.parse(at))
  return isTime ? `${what}, ${formatAge(at, now)}` : what
}

const INDEX_HINT =
  'The user, or a scheduled job, should run `holdfast index`; an agent at work should not. Do not explore everything instead: use `git ls-files` and targeted searches.'

const PAIR_NOTES: Readonly<Record<IndexView['pair'], readonly string[]>> = {
  matched: [],
  'no-json': [`PROJECT_INDEX.json is missing beside the Markdown. ${INDEX_HINT}`],
  mismatched: [`PROJECT_INDEX.md and .json do not match. ${INDEX_HINT}`],
  missing: [`PROJECT_INDEX.md is missing. ${INDEX_HINT}`],
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
    origin: describeOrigin(
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
      ...(commits ?? []).map(({ id, at, subject }) => clip(`${id} ${formatAge(at, now)}: ${subject}`, 160)),
    ],
    weight: 12,
  }
}

const LIVENESS: Readonly<Record<IntentWithLiveness['standing'], string>> = {
  live: 'live',
  dead: 'stale, its session is over',
  unknown: 'unknown session',
}

export function intentSection(
  intents: readonly IntentWithLiveness[],
  conflicts: readonly IntentConflict[],
  { now, self }: { now: string; self: string | undefined },
): SectionDraft {
  const newest = intents[0]?.startedAt
  return {
    name: 'intents',
    title: 'Previous Session Intents (incomplete)',
    origin:
      intents.length === 0 ? 'none recorded' : describeOrigin('as recorded by their sessions, the newest', newest, now),
    ...(newest === undefined ? {} : { asOf: newest }),
    notes:
      conflicts.length === 0
        ? []
        : [
            `${conflicts.length} live intent${conflicts.length === 1 ? '' : 's'} of other sessions on files of this session: coordinate before editing.`,
          ],
    lines: [
      ...conflicts.map(({ intent: { sessionLabel, standing }, files }) => {
        const liveness = LIVENESS[standing]
        return clip(`! conflict with ${sessionLabel} (${liveness}): ${files.join(', ')}`, LINE_CHARS)
      }),
      ...intents.map((intent) => {
        const who =
          intent.sessionLabel === self ? 'this session' : `${intent.sessionLabel}, ${LIVENESS[intent.standing]}`
        const files = intent.files.length === 0 ? '' : ` [${intent.files.slice(0, 5).join(', ')}]`
        return clip(`${formatMinute(intent.startedAt)} (${who}) ${intent.intent}${files}`, LINE_CHARS)
      }),
    ],
    weight: 12,
  }
}

function summaryLines(summary: CheckedSummary): readonly string[] {
  const body = summary.summary.slice(0, SUMMARY_CHARS).toWellFormed().split('\n')
  const progress = Object.entries(summary.checklistProgress).filter(([, status]) => status !== '')
  return [
    `[${formatMinute(summary.savedAt)}] ${summary.sessionLabel ?? 'unnamed'} claimed:`,
    ...summary.doubts.map(({ claim, because, isUnobserved }) =>
      clip(`! ${isUnobserved === true ? 'not observed' : 'refuted'}: "${claim}" - ${because}`, LINE_CHARS),
    ),
    ...body.filter((line) => line.trim() !== '').map((line) => clip(`  ${line}`, LINE_CHARS)),
    ...(summary.filesChanged.length === 0
      ? []
      : [clip(`Files: ${summary.filesChanged.slice(0, MAX_FILES).join(', ')}`, LINE_CHARS)]),
    ...(progress.length === 0
      ? []
      : [clip(`Progress: ${progress.map(([item, status]) => `${item}: ${status}`).join('; ')}`, LINE_CHARS)]),
  ]
}

/** Without a stated next step, the next action repeats the summary. */
function isRepetition(nextAction: string, summary: string): boolean {
  const said = (text: string) => text.replace(/…$/, '')
  return said(nextAction).includes(said(summary))
}

function checkpointLines(checkpoint: Checkpoint): readonly string[] {
  const { nextAction, summary } = checkpoint
  const isNews = nextAction !== undefined && !isRepetition(nextAction, summary)
  const next = isNews ? [clip(`  next: ${nextAction}`, LINE_CHARS)] : []
  const title = `[${formatMinute(checkpoint.createdAt)}] ${checkpoint.sessionKey} ${isClaimedSummary(checkpoint) ? 'claimed' : 'observed'} (${checkpoint.trigger}):`
  return [clip(`${title} ${checkpoint.summary}`, LINE_CHARS), ...next]
}

export interface SessionHistory {
  readonly summaries: readonly CheckedSummary[]
  /** The newest of each session without a summary. */
  readonly checkpoints: readonly Checkpoint[]
  /** Newest first. */
  readonly named: readonly NamedEntry[]
}

export interface NamedEntry {
  readonly name: string
  readonly savedAt: string
  readonly task: string
}

export function memorySection(memories: readonly Memory[], now: string): SectionDraft {
  const newest = memories[0]?.createdAt
  return {
    name: 'memories',
    title: 'Remembered for this Project',
    origin: describeOrigin('stated by people or agents to be remembered; the newest', newest, now),
    ...(newest === undefined ? {} : { asOf: newest }),
    notes: [],
    lines: memories.map((memory) =>
      clip(`(${describeMemory(memory, formatMinute(memory.createdAt))}) ${memory.content}`, LINE_CHARS),
    ),
    weight: 6,
  }
}

export function summarySection({ summaries, checkpoints, named }: SessionHistory, now: string): SectionDraft {
  const refuted = summaries.reduce(
    (sum, { doubts }) => sum + doubts.filter(({ isUnobserved }) => isUnobserved !== true).length,
    0,
  )
  const newest = [...summaries.map((one) => one.savedAt), ...checkpoints.map((one) => one.createdAt)].toSorted().at(-1)
  return {
    name: 'summaries',
    title: 'Saved Session Summaries',
    origin:
      newest === undefined
        ? 'none saved'
        : describeOrigin('as stated by the sessions, checked now; the newest', newest, now),
    ...(newest === undefined ? {} : { asOf: newest }),
    notes:
      refuted === 0
        ? []
        : [
            `${refuted} statement${refuted === 1 ? '' : 's'} below (marked "! refuted") did not hold when checked: verify before building on them.`,
          ],
    lines: [
      ...named.map(({ name, savedAt, task }) =>
        clip(
          `saved checkpoint ${name} (${formatAge(savedAt, now)}): ${task || 'no task stated'}; checkpoint_resume shows it`,
          LINE_CHARS,
        ),
      ),
      ...summaries.flatMap(summaryLines),
      ...checkpoints.flatMap(checkpointLines),
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
        : 'titles from Pieces, newest first; without times',
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
    origin: entities.length === 0 ? 'none registered' : 'as registered, each checked against the code now',
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
        const details = `${state}${ORIGINS[entity.origin]} ${formatAge(entity.lastSeenAt, now)}`
        return clip(`${entity.type} ${entity.name} -> ${where(entity)} (${details})`, 200)
      }),
    weight: 8,
  }
}
