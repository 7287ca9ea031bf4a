import { getErrorMessage } from '../../kernel/errors.ts'
import { datedId, MemoryId, type ProjectId, type SessionId } from '../../kernel/id.ts'
import type { Memory, FailureEvidence, RepeatedFailure } from '../../kernel/memory.ts'
import { detectFindings } from './findings.ts'
import { keysToMatch, readRun } from './run-verdict.ts'
import { isFix } from './undo.ts'
import { describeFailure, describeResolved } from './wording.ts'
import { redactEvidence } from '../../redaction/redact-checkpoint.ts'
import type { Session } from '../../kernel/session.ts'
import type { AttemptWatch, FoldedEvent } from './attempt-watch.ts'
import type { Announce, ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { KeyedTaskQueue } from '../../kernel/structures/task-queue.ts'
import type { CommandPurpose } from '../../kernel/checkpoint.ts'
import { isCheck } from '../../kernel/shell/command-key.ts'

const MAX_SUCCESSES = 1_000

/** When commands last succeeded, by scope: an earlier failure is outdated. */
export interface LastSuccesses {
  note(projectId: ProjectId, scopes: readonly string[], seq: number): void
  /** Sequence number of the last success; 0 when none is known. */
  since(projectId: ProjectId, scope: string): number
}

function createLastSuccesses(): LastSuccesses {
  const seqs = new Map<string, number>()
  const toKey = (projectId: ProjectId, scope: string) => `${projectId}\n${scope}`
  return {
    note(projectId, scopes, seq) {
      for (const scope of scopes) {
        const key = toKey(projectId, scope)
        const latest = Math.max(seqs.get(key) ?? 0, seq)
        seqs.delete(key)
        seqs.set(key, latest)
      }
      for (const oldest of seqs.keys()) {
        if (seqs.size <= MAX_SUCCESSES) break
        seqs.delete(oldest)
      }
    },
    since: (projectId, scope) => seqs.get(toKey(projectId, scope)) ?? 0,
  }
}

/** The last success according to stored lessons, for a process that did not see it. */
function findResolvedSeq(lessons: readonly Memory[], scope: string): number {
  const seqs = lessons.flatMap(({ evidence }) => {
    const { resolved, keys = [], purpose = 'other', branch } = evidence ?? {}
    return resolved !== undefined && keys.some((key) => toScope(key, purpose, branch) === scope) ? [resolved.seq] : []
  })
  return Math.max(0, ...seqs)
}

/** The result of a check depends on the code, so its scope includes the branch; other commands fail on any branch. */
export function toScope(key: string, purpose: CommandPurpose, branch: string | undefined): string {
  return isCheck({ purpose }) ? `${branch ?? ''}\n${key}` : key
}

/** Every scope that a command may be known under on this branch. */
export function toScopes(keys: readonly string[], branch: string | undefined): readonly string[] {
  return keys.flatMap((key) => [key, toScope(key, 'test', branch)])
}

const STALE_AFTER_MS = 14 * 86_400_000

export function isStale(seenAt: string, now: string): boolean {
  return Date.parse(now) - Date.parse(seenAt) > STALE_AFTER_MS
}

/** In one project; the oldest are deleted. */
const MAX_STORED = 40
const MAX_SESSIONS = 5
const MAX_FILES = 6
/** Delay until memories of another machine on a shared store are seen. */
const FRESH_MS = 60_000
const IMPORTANCE = { failed_approach: 6, lesson: 4 } as const
const SOURCE = 'observed'

/** A project's failed approaches, by command scope. */
export type KnownFailures = ReadonlyMap<string, Memory>

export interface FailedApproaches {
  /** Cached; one indexed query when the project is new to this process. */
  forProject(projectId: ProjectId): Promise<KnownFailures>
  /** Stores what currently fails in the session. */
  settle(sessionId: SessionId): Promise<void>
  /** A command that succeeds retires what was stored about it. */
  afterRun(folded: FoldedEvent): void
  /** Drops the cache. */
  readonly refresh: () => void
  /** Resolves when nothing is under way. */
  readonly drain: () => Promise<void>
}

/** Merges the same failure of another session into one. */
function mergeEvidence(
  finding: RepeatedFailure,
  before: FailureEvidence | undefined,
  session: Session,
): FailureEvidence {
  const others = (before?.sessions ?? []).filter((id) => id !== session.id)
  const isSame = before !== undefined && before.traits.some((trait) => finding.traits.includes(trait))
  const sessions = isSame ? [...others, session.id].slice(-MAX_SESSIONS) : [session.id]
  const { branch, head } = session.place ?? {}
  return {
    ...finding,
    sessions,
    epoch: session.epoch,
    ...(branch === undefined ? {} : { branch }),
    ...(head === undefined ? {} : { head }),
  }
}

/** Where undoing edits helped, the command itself is fine, so no warning is needed before it runs. */
function indexKeys({
  keys,
  purpose,
  undone,
  branch,
}: RepeatedFailure & Pick<FailureEvidence, 'branch'>): readonly string[] {
  const scopes = keys.map((key) => toScope(key, purpose, branch))
  return undone?.helped === true ? scopes.map((scope) => `undone ${scope}`) : scopes
}

function isNew(finding: RepeatedFailure, before: FailureEvidence | undefined): boolean {
  return before === undefined || before.kind !== finding.kind || before.seqs.join() !== finding.seqs.join()
}

export function createFailedApproaches(
  deps: ContinuityPorts,
  watch: Pick<AttemptWatch, 'getState' | 'findState' | 'isFailing'>,
  announce: Announce,
): FailedApproaches {
  const projects = new Map<ProjectId, { readonly failures: Promise<KnownFailures>; readonly atMs: number }>()
  const queue = new KeyedTaskQueue<SessionId>()
  const successes = createLastSuccesses()

  async function load(projectId: ProjectId): Promise<KnownFailures> {
    const memories = await deps.store.listMemories({
      projectId,
      isHereOnly: true,
      types: ['failed_approach'],
      limit: 2 * MAX_STORED,
    })
    const byKey = new Map<string, Memory>()
    // Newest first: the newer of two about one command wins.
    for (const memory of memories) {
      const keys = memory.evidence === undefined ? [] : indexKeys(memory.evidence)
      for (const key of keys) if (!byKey.has(key)) byKey.set(key, memory)
    }
    return byKey
  }

  function reload(projectId: ProjectId): Promise<KnownFailures> {
    const failures = load(projectId)
    projects.set(projectId, { failures, atMs: deps.clock.monotonicMs() })
    failures.catch(() => projects.delete(projectId))
    return failures
  }

  function of(projectId: ProjectId): Promise<KnownFailures> {
    const known = projects.get(projectId)
    if (known === undefined) return reload(projectId)
    // This caller gets the cached value; the next one gets the refreshed value.
    if (deps.clock.monotonicMs() - known.atMs > FRESH_MS)
      reload(projectId).catch((error: unknown) => {
        deps.log.warn('failed approaches not read', { error: getErrorMessage(error) })
      })
    return known.failures
  }

  async function saveFound(memory: Omit<Memory, 'id' | 'createdAt' | 'hits' | 'source'>): Promise<void> {
    const createdAt = deps.clock.now()
    const id = MemoryId(datedId('mem', createdAt, deps.entropy.bytes(10)))
    await deps.store.saveMemory({ ...memory, id, createdAt, source: SOURCE, hits: 0 })
    announce({ seq: await deps.store.lastSeq(), kind: 'memory', detail: id })
  }

  /** Also deletes the memory that it superseded, which nothing else refers to. */
  async function drop({ id, supersedes }: Pick<Memory, 'id' | 'supersedes'>): Promise<void> {
    await deps.store.deleteMemory(id)
    if (supersedes !== undefined) await deps.store.deleteMemory(supersedes)
  }

  async function trim(projectId: ProjectId): Promise<void> {
    for (const type of ['failed_approach', 'lesson'] as const) {
      const stored = await deps.store.listMemories({
        projectId,
        isHereOnly: true,
        types: [type],
        limit: 10 * MAX_STORED,
      })
      const found = stored.filter(({ evidence }) => evidence !== undefined)
      for (const memory of found.slice(MAX_STORED)) await drop(memory)
    }
  }

  async function saveFinding(finding: RepeatedFailure, session: Session, projectId: ProjectId): Promise<boolean> {
    const known = await of(projectId)
    const before = indexKeys({ ...finding, branch: session.place?.branch })
      .map((key) => known.get(key))
      .find((memory) => memory !== undefined)
    if (!isNew(finding, before?.evidence)) return false
    const redactor = await deps.redactors.forWorktree(session.place?.worktree, session.cwd)
    const evidence = redactEvidence(mergeEvidence(finding, before?.evidence, session), redactor)
    await saveFound({
      projectId,
      type: 'failed_approach',
      content: redactor.redact(describeFailure(evidence)),
      importance: IMPORTANCE.failed_approach,
      tags: ['tried-failed', finding.kind],
      sessionId: session.id,
      evidence,
      ...(before === undefined ? {} : { supersedes: before.id }),
    })
    // One superseded step is enough history.
    if (before?.supersedes !== undefined) await deps.store.deleteMemory(before.supersedes)
    await reload(projectId)
    return true
  }

  /** Another session may have seen the command succeed since. */
  async function dropResolved(findings: readonly RepeatedFailure[], { place }: Session, projectId: ProjectId) {
    if (findings.length === 0) return findings
    const lessons = await deps.store.listMemories({
      projectId,
      isHereOnly: true,
      types: ['lesson'],
      limit: 2 * MAX_STORED,
    })
    return findings.filter(({ keys, purpose, seqs }) => {
      const failedLast = Math.max(0, ...seqs)
      return keys.some((key) => {
        const scope = toScope(key, purpose, place?.branch)
        return Math.max(successes.since(projectId, scope), findResolvedSeq(lessons, scope)) < failedLast
      })
    })
  }

  async function settleNow(sessionId: SessionId): Promise<void> {
    const session = await deps.store.findSession(sessionId)
    const projectId = session?.place?.projectId
    if (session === undefined || projectId === undefined || session.endReason === 'imported') return
    const { continuity, memory } = await deps.configFor(session.place?.worktree)
    if (!continuity.enabled || !memory.failedApproaches) return
    const known = await of(projectId)
    const findings = detectFindings(await watch.getState(session), ({ key, purpose, failures }) => {
      const before = known.get(toScope(key, purpose, session.place?.branch))?.evidence
      return before !== undefined && failures.at(-1)?.traits.some((trait) => before.traits.includes(trait)) === true
    })
    let stored = 0
    for (const finding of await dropResolved(findings, session, projectId))
      if (await saveFinding(finding, session, projectId)) stored += 1
    if (stored === 0) return
    await trim(projectId)
    deps.log.info('failed approaches stored', { session: session.id, count: stored })
  }

  /** For another session than the one that failed, what helped becomes a lesson. */
  async function resolve(memory: Memory, { session, seq }: FoldedEvent): Promise<void> {
    const { evidence, projectId } = memory
    if (evidence === undefined) return
    const edits = watch.findState(session.id)?.edits ?? []
    const files = [...new Set(edits.map(({ path }) => path).filter(isFix))].slice(-MAX_FILES)
    const isOwn = evidence.sessions.every((id) => id === session.id)
    if (isOwn || files.length === 0) await drop(memory)
    else {
      const redactor = await deps.redactors.forWorktree(session.place?.worktree, session.cwd)
      const resolved = redactEvidence({ ...evidence, resolved: { sessionId: session.id, seq, files } }, redactor)
      await saveFound({
        projectId,
        type: 'lesson',
        content: redactor.redact(describeResolved(resolved, files)),
        importance: IMPORTANCE.lesson,
        tags: ['tried-failed', 'resolved'],
        sessionId: session.id,
        evidence: resolved,
        supersedes: memory.id,
      })
    }
    await reload(projectId)
    deps.log.info('failed approach retired', { memory: memory.id, session: session.id })
  }

  async function retire(folded: FoldedEvent, projectId: ProjectId): Promise<void> {
    const known = await of(projectId)
    if (folded.event.kind !== 'tool-finished') return
    const { tool, outcome, cwd } = folded.event
    const { place } = folded.session
    const findKnown = (keys: readonly string[]) =>
      toScopes(keys, place?.branch).flatMap((scope) => known.get(scope) ?? [])
    const matters = (keys: readonly string[]) => findKnown(keys).length > 0 || watch.isFailing(keys)
    const run = readRun(tool, outcome, { worktree: place?.worktree, cwd, matters })
    const keys = keysToMatch(run.commands)
    if (run.verdict !== 'passed' || !matters(keys)) return
    successes.note(projectId, toScopes(keys, place?.branch), folded.seq)
    for (const memory of new Set(findKnown(keys))) await resolve(memory, folded)
  }

  /** Storing and retiring run one after the other for each session. */
  function runInOrder(id: SessionId, run: () => Promise<void>): Promise<void> {
    return queue.run(id, run).catch((error: unknown) => {
      // It is found again at the next checkpoint or the next success.
      deps.log.warn('failed approaches not stored', { session: id, error: getErrorMessage(error) })
    })
  }

  return {
    forProject: of,
    settle: (sessionId) => runInOrder(sessionId, () => settleNow(sessionId)),
    afterRun(folded) {
      const { event, session } = folded
      const projectId = session.place?.projectId
      if (event.kind !== 'tool-finished' || event.tool.kind !== 'shell' || projectId === undefined) return
      if (event.outcome.ok) void runInOrder(session.id, () => retire(folded, projectId))
    },
    refresh: () => projects.clear(),
    drain: () => queue.drain(),
  }
}
