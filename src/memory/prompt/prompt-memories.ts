import type { EventOf } from '../../kernel/event.ts'
import type { MemoryId, ProjectId } from '../../kernel/id.ts'
import { BEFORE_COMMAND, createInjection, type Injection, type InjectionText } from '../../kernel/injection.ts'
import type { Redactor } from '../../kernel/ports/ports.ts'
import { judgeForPrompt, type PromptOutcome, type PromptVerdict } from './prompt-threshold.ts'
import { fence } from '../../kernel/text/fence.ts'
import type { Session } from '../../kernel/session.ts'
import { clip, leadingSentences, readPrompt } from '../../kernel/text/text.ts'
import type { ContinuityDeps } from '../../kernel/ports/runtime.ts'

/** A memory that shares a word with a prompt, and what became of it. */
export interface ConsideredMemory {
  readonly id: MemoryId
  /** The beginning of it. */
  readonly content: string
  /** What it was measured at, against `memory.minCoverage`. */
  readonly share: number
  readonly outcome: PromptOutcome | 'not-shown'
  readonly reason: string
}

/** What was found for one prompt: judged by the memories and the settings of now, with what the ledger says of then. */
export interface ConsideredPrompt {
  readonly at: string
  /** The beginning of it. */
  readonly prompt: string
  /** Whether memories may be put before prompts at all. */
  readonly isOn: boolean
  /** The likelier ones first; superseded ones last. */
  readonly memories: readonly ConsideredMemory[]
}

const INJECTION_BUDGET_CHARS = 1_200
/** Of one memory before a prompt: a long one must neither fill the budget nor fall out of it. */
const SHOWN_CHARS = 500
const SEARCH_WIDTH = 20
const LEDGER_LOOKBACK = 200
const EMPTY_FOR_MS = 5_000
const EXPLAINED_PROMPTS = 3
const MAX_PROMPTS = 10_000
const PROMPT_CHARS = 200

export interface PromptMemories {
  /** The few memories that clear the bar for this prompt and were not shown to this session yet. */
  forPrompt(session: Session, event: EventOf<'prompt-submitted'>, maxChars: number): Promise<InjectionText | undefined>
  /** What was found for the session's latest prompts, newest first, and why it was or was not shown. */
  considered(session: Session): Promise<readonly ConsideredPrompt[]>
  /** Something was remembered there. */
  noteKept(projectId: ProjectId): void
}

/** What was no secret when it was kept may be one now. Redacted before it is cut: half a secret is not known as one. */
function lineOf({ memory: { type, createdAt, content } }: PromptVerdict, redactor: Redactor): string {
  return `- (${type}, ${createdAt.slice(0, 10)}) ${leadingSentences(redactor.redact(content), SHOWN_CHARS)}`
}

export function createPromptMemories(deps: ContinuityDeps): PromptMemories {
  const emptySince = new Map<ProjectId, number>()
  const known = new Set<ProjectId>()

  /** Most projects have none, and every prompt would ask. Another machine's memories are seen a few seconds later. */
  async function mayHaveMemories(projectId: ProjectId): Promise<boolean> {
    if (known.has(projectId)) return true
    const since = emptySince.get(projectId)
    if (since !== undefined && deps.clock.monotonicMs() - since < EMPTY_FOR_MS) return false
    const [any] = await deps.store.listMemories({ projectId, limit: 1 })
    if (any === undefined) emptySince.set(projectId, deps.clock.monotonicMs())
    else known.add(projectId)
    return any !== undefined
  }

  function ledgerOf(session: Session): Promise<readonly Injection[]> {
    return deps.store.listInjections({ sessionId: session.id, limit: LEDGER_LOOKBACK })
  }

  /** Before a prompt: what stood before a command is none of its answers. */
  function toldIn(injections: readonly Injection[]): ReadonlySet<string> {
    const before = injections.filter(
      ({ kind, reasons }) => kind === 'memories' && !reasons.some(({ section }) => section === BEFORE_COMMAND),
    )
    return new Set(before.flatMap(({ sources }) => sources))
  }

  /** What the ledger says became of a verdict that was made again now. */
  function asItWas(
    verdict: PromptVerdict,
    { at, answers }: { at: string; answers: readonly Injection[] },
  ): Pick<PromptVerdict, 'outcome' | 'reason'> | { outcome: 'not-shown'; reason: string } {
    if (toldIn(answers).has(verdict.memory.id)) return { outcome: 'shown', reason: verdict.reason }
    if (verdict.memory.createdAt > at) return { outcome: 'not-shown', reason: 'remembered after this prompt' }
    if (verdict.outcome !== 'shown') return verdict
    const isAfterRecovery = answers.some(({ kind }) => kind === 'recovery')
    return {
      outcome: 'not-shown',
      reason: isAfterRecovery
        ? 'the recovery was told instead'
        : 'it would be told now; then the time of the hook was up, or a setting or a memory was another',
    }
  }

  return {
    noteKept: (projectId) => known.add(projectId),

    async forPrompt(session, event, maxChars) {
      const { memory: config } = await deps.configFor(session.place?.worktree)
      if (!config.inject || session.place === undefined || event.subagent !== undefined) return undefined
      const { projectId } = session.place
      if (!(await mayHaveMemories(projectId))) return undefined
      const prompt = readPrompt(event)
      const search = { projectId, text: prompt, isLiteral: true, limit: SEARCH_WIDTH }
      const hits = await deps.store.searchMemories(search)
      const unseen = judgeForPrompt(prompt, hits, { ...config, shown: new Set() })
      // Most prompts find nothing, and then the ledger need not be asked.
      if (!unseen.some(({ outcome }) => outcome === 'shown')) return undefined
      const shown = toldIn(
        await deps.store.listInjections({ sessionId: session.id, kind: 'memories', limit: LEDGER_LOOKBACK }),
      )
      const verdicts = judgeForPrompt(prompt, hits, { ...config, shown })
      const chosen = verdicts.filter(({ outcome }) => outcome === 'shown')
      const redactor = await deps.redactors.forWorktree(session.place.worktree, session.cwd)
      const lines = chosen.map((verdict) => lineOf(verdict, redactor))
      const fenced = fence({
        heading: '## Remembered for this project',
        lines,
        budgetChars: Math.min(INJECTION_BUDGET_CHARS, maxChars),
        sha256: deps.sha256,
      })
      if (fenced.lineCount === 0) return undefined
      const kept = chosen.slice(0, fenced.lineCount)
      return createInjection(deps, session, 'memories', {
        text: fenced.text,
        sources: kept.map(({ memory }) => memory.id),
        reasons: kept.map(({ memory, reason, share }, index) => ({
          line: lines[index] ?? '',
          origin: memory.id,
          reason,
          score: share,
        })),
      })
    },

    async considered(session) {
      if (session.place === undefined) return []
      const { memory: config } = await deps.configFor(session.place.worktree)
      const { projectId } = session.place
      const told = await deps.store.listEvents({
        sessionId: session.id,
        kinds: ['prompt-submitted'],
        afterSeq: (session.projectSince?.seq ?? 1) - 1,
        limit: MAX_PROMPTS,
      })
      const prompts = told.flatMap(({ event }) =>
        event.kind === 'prompt-submitted' && event.subagent === undefined
          ? [{ prompt: readPrompt(event), at: event.at }]
          : [],
      )
      const ledger = await ledgerOf(session)
      const redactor = await deps.redactors.forWorktree(session.place.worktree, session.cwd)
      const considered = prompts.slice(-EXPLAINED_PROMPTS).map(async ({ prompt, at }, index, latest) => {
        const until = latest[index + 1]?.at
        const answers = ledger.filter((injection) => {
          return injection.at >= at && (until === undefined || injection.at < until)
        })
        const search = { projectId, text: prompt, isLiteral: true, includeSuperseded: true, limit: SEARCH_WIDTH }
        const hits = await deps.store.searchMemories(search)
        const shown = toldIn(ledger.filter((injection) => injection.at < at))
        const verdicts = judgeForPrompt(prompt, hits, { ...config, shown })
        return {
          at,
          prompt: clip(prompt, PROMPT_CHARS),
          isOn: config.inject,
          memories: verdicts.map((verdict) => ({
            id: verdict.memory.id,
            content: clip(redactor.redact(verdict.memory.content), PROMPT_CHARS),
            share: verdict.share,
            ...asItWas(verdict, { at, answers }),
          })),
        }
      })
      return (await Promise.all(considered)).toReversed()
    },
  }
}
