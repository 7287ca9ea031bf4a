import { messageOf } from '../../kernel/errors.ts'
import { datedId, MemoryId, type ProjectId, type SessionId } from '../../kernel/id.ts'
import type { Memory, FailureEvidence, Finding } from '../../kernel/memory.ts'
import { scopeOf, scopesOf } from './evidence.ts'
import { findingsOf } from './findings.ts'
import { keysToMatch, readRun } from './run-verdict.ts'
import { isFix } from './undo.ts'
import { triedAndFailed, wentWellAgain } from './wording.ts'
import { redactEvidence } from '../../redaction/redact-memory.ts'
import type { Session } from '../../kernel/session.ts'
import type { AttemptWatch, Heard } from './attempt-watch.ts'
import type { Announce, ContinuityDeps } from '../../kernel/ports/runtime.ts'
import { createWentWell, resolvedSince } from './last-success.ts'

/** Of one project; the oldest go. */
const MAX_KEPT = 40
const MAX_SESSIONS = 5
const MAX_FILES = 6
/** Another machine's memories, where the store is shared, are seen after this long. */
const FRESH_MS = 60_000
const IMPORTANCE = { failed_approach: 6, lesson: 4 } as const
const SOURCE = 'observed'

/** A project's failed approaches, by the scopes of the commands that they are about. */
export type KnownFailures = ReadonlyMap<string, Memory>

export interface FailedApproaches {
  /** From memory; one indexed question to the store when the project is new to this process. */
  of(projectId: ProjectId): Promise<KnownFailures>
  /** Keeps what the session found to fail as things stand. */
  settle(sessionId: SessionId): Promise<void>
  /** A command that went well takes back what was known against it. */
  afterRun(heard: Heard): void
  /** What is known may have changed by other hands. */
  readonly refresh: () => void
  /** Resolves when nothing is under way. */
  readonly drain: () => Promise<void>
}

/** The same trouble in another session: told as one, with what both saw. */
function merged(finding: Finding, before: FailureEvidence | undefined, session: Session): FailureEvidence {
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

/** Where edits were taken back and that helped, the command is fine as it is: nothing to be told before it runs. */
function indexKeys({ keys, purpose, undone, branch }: Finding & Pick<FailureEvidence, 'branch'>): readonly string[] {
  const scopes = keys.map((key) => scopeOf(key, purpose, branch))
  return undone?.helped === true ? scopes.map((scope) => `undone ${scope}`) : scopes
}

function isNews(finding: Finding, before: FailureEvidence | undefined): boolean {
  return before === undefined || before.kind !== finding.kind || before.seqs.join() !== finding.seqs.join()
}

export function createFailedApproaches(
  deps: ContinuityDeps,
  watch: Pick<AttemptWatch, 'stateOf' | 'known' | 'isFailing'>,
  announce: Announce,
): FailedApproaches {
  const projects = new Map<ProjectId, { readonly failures: Promise<KnownFailures>; readonly atMs: number }>()
  const underWay = new Map<SessionId, Promise<void>>()
  const wentWell = createWentWell()

  async function load(projectId: ProjectId): Promise<KnownFailures> {
    const memories = await deps.store.listMemories({ projectId, types: ['failed_approach'], limit: 2 * MAX_KEPT })
    const byKey = new Map<string, Memory>()
    // Newest first: of two about one command, the newer is the one to tell.
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
    // The one who asks does not wait for news; the next one has them.
    if (deps.clock.monotonicMs() - known.atMs > FRESH_MS)
      reload(projectId).catch((error: unknown) => {
        deps.log.warn('failed approaches not read', { error: messageOf(error) })
      })
    return known.failures
  }

  async function keep(memory: Omit<Memory, 'id' | 'createdAt' | 'hits' | 'source'>): Promise<void> {
    const createdAt = deps.clock.now()
    const id = MemoryId(datedId('mem', createdAt, deps.entropy.bytes(10)))
    await deps.store.keepMemory({ ...memory, id, createdAt, source: SOURCE, hits: 0 })
    announce({ seq: await deps.store.lastSeq(), kind: 'memory', detail: id })
  }

  /** With the one that it replaced: nobody else would ever find that. */
  async function drop({ id, supersedes }: Pick<Memory, 'id' | 'supersedes'>): Promise<void> {
    await deps.store.deleteMemory(id)
    if (supersedes !== undefined) await deps.store.deleteMemory(supersedes)
  }

  /** Bounded: what was found by itself goes by itself. */
  async function trim(projectId: ProjectId): Promise<void> {
    for (const type of ['failed_approach', 'lesson'] as const) {
      const kept = await deps.store.listMemories({ projectId, types: [type], limit: 10 * MAX_KEPT })
      const found = kept.filter(({ evidence }) => evidence !== undefined)
      for (const memory of found.slice(MAX_KEPT)) await drop(memory)
    }
  }

  async function keepFinding(finding: Finding, session: Session, projectId: ProjectId): Promise<boolean> {
    const known = await of(projectId)
    const before = indexKeys({ ...finding, branch: session.place?.branch })
      .map((key) => known.get(key))
      .find((memory) => memory !== undefined)
    if (!isNews(finding, before?.evidence)) return false
    const redactor = await deps.redactors.forWorktree(session.place?.worktree, session.cwd)
    const evidence = redactEvidence(merged(finding, before?.evidence, session), redactor)
    await keep({
      projectId,
      type: 'failed_approach',
      content: redactor.redact(triedAndFailed(evidence)),
      importance: IMPORTANCE.failed_approach,
      tags: ['tried-failed', finding.kind],
      sessionId: session.id,
      evidence,
      ...(before === undefined ? {} : { supersedes: before.id }),
    })
    // What it replaces had itself replaced another: one step back is enough to see how it came about.
    if (before?.supersedes !== undefined) await deps.store.deleteMemory(before.supersedes)
    await reload(projectId)
    return true
  }

  /** Another session may have seen the command go well since: then this one only has not heard of it. */
  async function stillStanding(findings: readonly Finding[], { place }: Session, projectId: ProjectId) {
    if (findings.length === 0) return findings
    const lessons = await deps.store.listMemories({ projectId, types: ['lesson'], limit: 2 * MAX_KEPT })
    return findings.filter(({ keys, purpose, seqs }) => {
      const failedLast = Math.max(0, ...seqs)
      return keys.some((key) => {
        const scope = scopeOf(key, purpose, place?.branch)
        return Math.max(wentWell.since(projectId, scope), resolvedSince(lessons, scope)) < failedLast
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
    const findings = findingsOf(await watch.stateOf(session), ({ key, purpose, failures }) => {
      const before = known.get(scopeOf(key, purpose, session.place?.branch))?.evidence
      return before !== undefined && failures.at(-1)?.traits.some((trait) => before.traits.includes(trait)) === true
    })
    let kept = 0
    for (const finding of await stillStanding(findings, session, projectId))
      if (await keepFinding(finding, session, projectId)) kept += 1
    if (kept === 0) return
    await trim(projectId)
    deps.log.info('failed approaches kept', { session: session.id, count: kept })
  }

  /** In the session that found it, it was a step on the way; for the others it is worth knowing what helped. */
  async function resolve(memory: Memory, { session, seq }: Heard): Promise<void> {
    const { evidence, projectId } = memory
    if (evidence === undefined) return
    const edits = watch.known(session.id)?.edits ?? []
    const files = [...new Set(edits.map(({ path }) => path).filter(isFix))].slice(-MAX_FILES)
    const isOwn = evidence.sessions.every((id) => id === session.id)
    if (isOwn || files.length === 0) await drop(memory)
    else {
      const redactor = await deps.redactors.forWorktree(session.place?.worktree, session.cwd)
      const resolved = redactEvidence({ ...evidence, resolved: { sessionId: session.id, seq, files } }, redactor)
      await keep({
        projectId,
        type: 'lesson',
        content: redactor.redact(wentWellAgain(resolved, files)),
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

  async function retire(heard: Heard, projectId: ProjectId): Promise<void> {
    const known = await of(projectId)
    if (heard.event.kind !== 'tool-finished') return
    const { tool, outcome, cwd } = heard.event
    const { place } = heard.session
    const knownOf = (keys: readonly string[]) =>
      scopesOf(keys, place?.branch).flatMap((scope) => known.get(scope) ?? [])
    const matters = (keys: readonly string[]) => knownOf(keys).length > 0 || watch.isFailing(keys)
    const run = readRun(tool, outcome, { worktree: place?.worktree, cwd, matters })
    const keys = keysToMatch(run.commands)
    if (run.verdict !== 'passed' || !matters(keys)) return
    wentWell.note(projectId, scopesOf(keys, place?.branch), heard.seq)
    for (const memory of new Set(knownOf(keys))) await resolve(memory, heard)
  }

  /** One thing at a time for a session: what is settled and what is retired must not overtake each other. */
  function inOrder(id: SessionId, run: () => Promise<void>): Promise<void> {
    const next = (underWay.get(id) ?? Promise.resolve()).then(run).catch((error: unknown) => {
      // Found again at the next checkpoint, or when the command goes well once more.
      deps.log.warn('failed approaches not kept', { session: id, error: messageOf(error) })
    })
    underWay.set(id, next)
    return next.finally(() => {
      if (underWay.get(id) === next) underWay.delete(id)
    })
  }

  return {
    of,
    settle: (sessionId) => inOrder(sessionId, () => settleNow(sessionId)),
    afterRun(heard) {
      const { event, session } = heard
      const projectId = session.place?.projectId
      if (event.kind !== 'tool-finished' || event.tool.kind !== 'shell' || projectId === undefined) return
      if (event.outcome.ok) void inOrder(session.id, () => retire(heard, projectId))
    },
    refresh: () => projects.clear(),
    async drain() {
      while (underWay.size > 0) await Promise.all(underWay.values())
    },
  }
}
