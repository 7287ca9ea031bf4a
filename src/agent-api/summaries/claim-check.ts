import type {
  CheckedSummary,
  RefutedClaim,
  ResolvedProject,
  SessionSummary,
  ChecklistItem,
  ChecklistView,
} from '../../kernel/agent-records.ts'
import type { Checkpoint, CheckRun, CommandRun, CommitRecord, FileWork } from '../../kernel/checkpoint.ts'
import { baseName, isScratch, relativePath } from '../../kernel/paths/paths.ts'
import { clip } from '../../kernel/text/text.ts'
import type { AgentApiPorts } from '../ports.ts'
import {
  checkClaims,
  type ClaimEvidence,
  getLastEditOrder,
  listObservedChecks,
} from '../../checkpoint/claims/check-claims.ts'
import { findStatedPaths, splitSentences } from '../../checkpoint/claims/find-claims.ts'

/** What the sessions of one worktree observed, as if they were one; `newestFirst`: their checkpoints. */
function mergeEvidence(newestFirst: readonly Checkpoint[]): ClaimEvidence {
  const sessions = newestFirst.filter(
    ({ sessionId }, at) => newestFirst.findIndex((other) => other.sessionId === sessionId) === at,
  )
  const checks = new Map<string, CheckRun>()
  const commands: CommandRun[] = []
  const commits: CommitRecord[] = []
  const files = new Map<string, FileWork>()
  let lastEditOrder: number | undefined
  let lastPushOrder: number | undefined
  let offset = 0
  // Orders compare within a session only.
  for (const { work } of sessions.toReversed()) {
    const shift = (order: number) => order + offset
    for (const check of listObservedChecks(work)) checks.set(check.command, { ...check, order: shift(check.order) })
    commands.push(...work.commands.map((run) => ({ ...run, lastOrder: shift(run.lastOrder) })))
    commits.push(...(work.commits ?? []).map((commit) => ({ ...commit, order: shift(commit.order) })))
    for (const file of work.files) files.set(file.path, file)
    const edited = getLastEditOrder(work)
    if (edited > 0) lastEditOrder = shift(edited)
    if (work.lastPushOrder !== undefined) lastPushOrder = shift(work.lastPushOrder)
    offset += work.lastOrder
  }
  return { checks: [...checks.values()], commands, commits, files: [...files.values()], lastEditOrder, lastPushOrder }
}

const STUB =
  /\b(?:TODO|FIXME|XXX)\b|\bnot[ _-]?(?:yet[ _-]?)?implemented\b|\bNotImplemented(?:Error|Exception)?\b|\b(?:unimplemented|todo)!\(|\bplaceholder\b|\breplace[ -]me\b|\bstub(?:bed)?\b/i
const MAX_LINE_CHARS = 2_000

interface Stub {
  /** 1-based. */
  readonly line: number
  readonly text: string
}

/** The first line of a source that says it is unfinished. */
function findStub(source: string): Stub | undefined {
  const lines = source.split('\n')
  const index = lines.findIndex((line) => line.length <= MAX_LINE_CHARS && STUB.test(line))
  return index < 0 ? undefined : { line: index + 1, text: clip(lines[index] ?? '', 80) }
}

const MAX_REFUTED = 12
const MAX_SOURCES = 20
const MAX_SOURCE_BYTES = 400_000

/** What is known independently of the summary. */
export interface ClaimContext {
  readonly project: ResolvedProject
  /** Of the worktree, newest first. */
  readonly checkpoints: readonly Checkpoint[]
  readonly checklist: ChecklistView | undefined
  readonly entityNames: ReadonlySet<string>
}

type ClaimCheckPorts = Pick<AgentApiPorts, 'files' | 'history' | 'git'>

const COMPLETE =
  /\b(?:fully|completely|100 ?%|all) (?:\w+ )?(?:implemented|complete|completed|done|working|functional|finished)\b|\b(?:production[- ]ready|ready to ship|ship[- ]it|ready for production|feature[- ]complete)\b|\bimplementation (?:is )?(?:complete|done|finished)\b|\beverything (?:is )?(?:works|done|implemented|complete)\b/i
const NOT_A_FACT = /\b(?:not|isn't|aren't|never|if|once|when|until|should|will|would|todo|before|n't)\b|\?$/i

const MAX_COMMITS = 8

/** Abbreviated and full ids of commits. A decimal number is none. */
const listCommitIds = (sentence: string): readonly string[] =>
  /\bcommit/i.test(sentence)
    ? (sentence.match(/(?<![\w#:@-])(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,40}(?![\w-])/g) ?? [])
    : []

/** The first sentence that says that the work is finished. */
function findCompleteness(summary: string): string | undefined {
  const sentence = splitSentences(summary).find((one) => COMPLETE.test(one) && !NOT_A_FACT.test(one))
  return sentence === undefined ? undefined : clip(sentence, 140)
}

function checkProgress(
  progress: Readonly<Record<string, string>>,
  checklist: ChecklistView | undefined,
): readonly RefutedClaim[] {
  if (checklist === undefined) return []
  const isDone = (status: string) => /^(?:done|verified|complete[d]?|x|✅)$/i.test(status.trim())
  const findItem = (key: string): ChecklistItem | undefined =>
    checklist.items.find((item) => item.id === key || item.text === key) ??
    checklist.items.find((item) => key.length >= 3 && item.text.toLowerCase().includes(key.toLowerCase()))
  return Object.entries(progress).flatMap(([key, status]) => {
    const item = findItem(key)
    if (!isDone(status) || item === undefined || item.status === 'done' || item.status === 'verified') return []
    return [
      { claim: clip(`${key}: ${status}`, 140), because: `CHECKLIST.md line ${item.line} has it as ${item.status}` },
    ]
  })
}

/** Claims of a summary that disk, checklist or observed runs refute. What cannot be checked is not refuted. */
export function createClaimCheck(deps: ClaimCheckPorts) {
  async function findMissingPaths(paths: readonly string[], context: ClaimContext): Promise<readonly string[]> {
    const { worktree, isOnDisk, rootPath } = context.project
    if (!isOnDisk) return []
    const deleted = new Set(
      context.checkpoints.flatMap(({ work }) =>
        work.files.filter((file) => file.action === 'deleted').map((file) => file.path),
      ),
    )
    const normal = paths.flatMap((path) => relativePath(path, { worktree, cwd: rootPath }) ?? [])
    const candidates = [...new Set(normal)].filter((path) => !isScratch(path) && !deleted.has(path))
    const absent: string[] = []
    for (const path of candidates) {
      const isThere =
        (await deps.files.facts(`${worktree}/${path}`)) !== undefined ||
        (await deps.files.isDirectory(`${worktree}/${path}`))
      if (!isThere) absent.push(path)
    }
    if (absent.length === 0) return []
    // `lib/auth.ts` may be short for a longer path: a path is missing only when no file ends in it.
    const known = await deps.history.filesNamed(worktree, [...new Set(absent.map(baseName))])
    return known === undefined
      ? absent.filter((path) => path.includes('/'))
      : absent.filter((path) => !known.some((file) => file === path || file.endsWith(`/${path}`)))
  }

  /** Commits that a sentence names: whether git has them. Undefined when it cannot tell. */
  async function lookUpCommits(summary: string, worktree: string): Promise<ReadonlyMap<string, boolean | undefined>> {
    const ids = [...new Set(splitSentences(summary).flatMap(listCommitIds))].slice(0, MAX_COMMITS)
    return new Map(await Promise.all(ids.map(async (id) => [id, await deps.git.hasCommit(worktree, id)] as const)))
  }

  async function checkCompleteness(
    claim: string | undefined,
    sources: readonly string[],
    { context, evidence }: { context: ClaimContext; evidence: ClaimEvidence },
  ): Promise<readonly RefutedClaim[]> {
    if (claim === undefined) return []
    const reasons: string[] = []
    for (const path of sources.slice(0, MAX_SOURCES)) {
      const text = await deps.files.readText(`${context.project.worktree}/${path}`, MAX_SOURCE_BYTES)
      const stub = text === undefined ? undefined : findStub(text)
      if (stub !== undefined) reasons.push(`${path}:${stub.line} still says "${stub.text}"`)
      if (reasons.length >= 3) break
    }
    const open = context.checklist?.items.filter((item) => item.status !== 'done' && item.status !== 'verified') ?? []
    if (open.length > 0) reasons.push(`CHECKLIST.md has ${open.length} open item${open.length === 1 ? '' : 's'}`)
    reasons.push(...checkClaims('All tests pass.', evidence).map(({ because }) => because))
    return reasons.length === 0 ? [] : [{ claim, because: reasons.join('; ') }]
  }

  async function checkSummary(summary: SessionSummary, context: ClaimContext): Promise<readonly RefutedClaim[]> {
    const evidence = mergeEvidence(context.checkpoints)
    const named = [...summary.filesChanged, ...findStatedPaths(summary.summary)]
    const missing = await findMissingPaths(named, context)
    const { worktree, rootPath } = context.project
    const sources = named.flatMap((path) => relativePath(path, { worktree, cwd: rootPath }) ?? [])
    const edited = context.checkpoints
      .filter((checkpoint) => checkpoint.sessionId === summary.sessionId)
      .slice(0, 1)
      .flatMap(({ work }) => work.files.filter((file) => file.edits > 0).map((file) => file.path))
    const readable = [...new Set([...sources, ...edited])].filter((path) => !isScratch(path) && !missing.includes(path))
    const known = await lookUpCommits(summary.summary, worktree)
    const lacking = splitSentences(summary.summary).flatMap((sentence) =>
      listCommitIds(sentence)
        .filter((id) => known.get(id) === false)
        .map((id) => ({ claim: clip(sentence, 140), because: `git has no commit ${id}` })),
    )
    return [
      ...checkClaims(summary.summary, evidence)
        // The disk says more about a file than what was observed of it, and git about a commit that is named.
        .filter(
          ({ topic, claim }) => topic !== 'created' && (topic !== 'committed' || listCommitIds(claim).length === 0),
        )
        .map(({ claim, because, kind }) => ({
          claim: clip(claim, 140),
          because,
          ...(kind === 'unobserved' && { isUnobserved: true as const }),
        })),
      ...lacking,
      ...(await checkCompleteness(findCompleteness(summary.summary), readable, { context, evidence })),
      ...missing.map((path) => ({ claim: path, because: 'the file does not exist' })),
      ...summary.entitiesRegistered
        .filter((name) => !context.entityNames.has(name))
        .map((name) => ({ claim: clip(name, 140), because: 'no entity of that name is registered' })),
      ...checkProgress(summary.checklistProgress, context.checklist),
    ].slice(0, MAX_REFUTED)
  }

  return async (summaries: readonly SessionSummary[], context: ClaimContext): Promise<readonly CheckedSummary[]> => {
    const checked: CheckedSummary[] = []
    for (const summary of summaries) checked.push({ ...summary, doubts: await checkSummary(summary, context) })
    return checked
  }
}
