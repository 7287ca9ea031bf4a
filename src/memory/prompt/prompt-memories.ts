import type { EventOf } from '../../kernel/event.ts'
import { ME_PROJECT, type MemoryId, type ProjectId } from '../../kernel/id.ts'
import {
  BEFORE_COMMAND,
  createInjection,
  type Injection,
  type InjectionText,
  isInContext,
} from '../../kernel/injection.ts'
import { type AnchorCheck, describeMemory, describeOutdated, isForPerson, type Memory } from '../../kernel/memory.ts'
import { findOutdated } from '../anchors/anchors.ts'
import type { Redactor } from '../../kernel/ports/ports.ts'
import { judgeForPrompt, type PromptOutcome, type PromptVerdict } from './prompt-threshold.ts'
import { fence } from '../../kernel/text/fence.ts'
import type { Session } from '../../kernel/session.ts'
import { clip, leadingSentences, clipPrompt } from '../../kernel/text/text.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'

/** A memory that shares a term with a prompt, and whether it was injected. */
export interface ConsideredMemory {
  readonly id: MemoryId
  /** Clipped. */
  readonly content: string
  /** Keyword overlap, compared with `memory.minCoverage`. */
  readonly share: number
  readonly outcome: PromptOutcome | 'not-shown'
  readonly reason: string
}

/** What was found for one prompt, judged with the current memories and settings; what was injected comes from the ledger. */
export interface ConsideredPrompt {
  readonly at: string
  /** Clipped. */
  readonly prompt: string
  /** `memory.inject`. */
  readonly isOn: boolean
  /** Best match first; superseded ones last. */
  readonly memories: readonly ConsideredMemory[]
}

const INJECTION_BUDGET_CHARS = 1_200
/** Limit of one memory, so that a long one neither fills the budget nor is dropped. */
const SHOWN_CHARS = 500
const SEARCH_WIDTH = 20
const LEDGER_LOOKBACK = 200
const EMPTY_CACHE_MS = 5_000
const EXPLAINED_PROMPTS = 3
/** A recovery clips what it says of a memory; a few words may stand in any text. */
const SAID_CHARS = { most: 100, least: 20 }
const MAX_PROMPTS = 10_000
const PROMPT_CHARS = 200

export interface PromptMemories {
  /** The few memories above the threshold that are not in the context yet. `given`, `said`: ids and text injected with this prompt. */
  readonly forPrompt: (
    session: Session,
    event: EventOf<'prompt-submitted'>,
    options: { readonly maxChars: number; readonly given: ReadonlySet<string>; readonly said: string },
  ) => Promise<InjectionText | undefined>
  /** What was found for the session's latest prompts, newest first, and why it was or was not injected. */
  readonly listConsidered: (session: Session) => Promise<readonly ConsideredPrompt[]>
  /** A memory was saved in the project. */
  noteSaved(projectId: ProjectId): void
}

/** Redacted again, because rules may have changed; and before it is cut, because half a secret is not recognized. */
function renderLine(
  { memory }: PromptVerdict,
  { redactor, outdated }: { readonly redactor: Redactor; readonly outdated: readonly AnchorCheck[] },
): string {
  const since = outdated.length === 0 ? '' : `; since then ${describeOutdated(outdated)}`
  return `- (${describeMemory(memory)}${since}) ${leadingSentences(redactor.redact(memory.content), SHOWN_CHARS)}`
}

export function createPromptMemories(deps: ContinuityPorts): PromptMemories {
  const emptySince = new Map<ProjectId, number>()
  const known = new Set<ProjectId>()

  /** Caches that a project has none. Memories of another machine are seen a few seconds later. */
  async function mayHaveMemories(projectId: ProjectId): Promise<boolean> {
    if (known.has(projectId)) return true
    const since = emptySince.get(projectId)
    if (since !== undefined && deps.clock.monotonicMs() - since < EMPTY_CACHE_MS) return false
    const [any] = await deps.store.listMemories({ projectId, limit: 1 })
    if (any === undefined) emptySince.set(projectId, deps.clock.monotonicMs())
    else known.add(projectId)
    return any !== undefined
  }

  function listSessionInjections(session: Session): Promise<readonly Injection[]> {
    return deps.store.listInjections({ sessionId: session.id, limit: LEDGER_LOOKBACK })
  }

  /** Ids of memories injected before prompts, not before commands. */
  function collectInjected(injections: readonly Injection[]): ReadonlySet<string> {
    const before = injections.filter(
      ({ kind, reasons }) => kind === 'memories' && !reasons.some(({ section }) => section === BEFORE_COMMAND),
    )
    return new Set(before.flatMap(({ sources }) => sources))
  }

  /** Ids of memories whose text another injection has, such as a recovery that says what was remembered. */
  function collectSaid(
    hits: readonly { readonly memory: Memory }[],
    injections: readonly Injection[],
    more = '',
  ): readonly string[] {
    const said = [more, ...injections.flatMap(({ reasons }) => reasons.map(({ line }) => line))].join('\n')
    const isSaid = (content: string) =>
      content.length >= SAID_CHARS.least && said.includes(content.slice(0, SAID_CHARS.most))
    return hits.flatMap(({ memory: { id, content } }) => (isSaid(content) ? [id] : []))
  }

  /** Corrects a verdict computed now by what the ledger recorded then. */
  function reconcileWithLedger(
    verdict: PromptVerdict,
    { at, answers }: { at: string; answers: readonly Injection[] },
  ): Pick<PromptVerdict, 'outcome' | 'reason'> | { outcome: 'not-shown'; reason: string } {
    if (collectInjected(answers).has(verdict.memory.id)) return { outcome: 'shown', reason: verdict.reason }
    if (verdict.memory.createdAt > at) return { outcome: 'not-shown', reason: 'remembered after this prompt' }
    if (verdict.outcome !== 'shown') return verdict
    const reason = 'it would be injected now; at the time the hook timed out, or settings or memories were different'
    return { outcome: 'not-shown', reason }
  }

  return {
    noteSaved(projectId) {
      if (projectId === ME_PROJECT) emptySince.clear()
      known.add(projectId)
    },

    async forPrompt(session, event, { maxChars, given, said }) {
      const { memory: config } = await deps.configFor(session.place?.worktree)
      if (!config.inject || session.place === undefined || event.subagent !== undefined) return undefined
      const { projectId } = session.place
      if (!(await mayHaveMemories(projectId))) return undefined
      const prompt = clipPrompt(event)
      const search = { projectId, text: prompt, isLiteral: true, limit: SEARCH_WIDTH }
      const hits = (await deps.store.searchMemories(search)).filter(({ memory }) => isForPerson(memory, deps.person))
      const unseen = judgeForPrompt(prompt, hits, { ...config, shown: given })
      // Most prompts find nothing, so the ledger is read only when needed.
      if (!unseen.some(({ outcome }) => outcome === 'shown')) return undefined
      const past = (await listSessionInjections(session)).filter((one) => isInContext(one, session, deps))
      const shown = new Set([...given, ...collectInjected(past), ...collectSaid(hits, past, said)])
      const verdicts = judgeForPrompt(prompt, hits, { ...config, shown })
      const chosen = verdicts.filter(({ outcome }) => outcome === 'shown')
      const redactor = await deps.redactors.forWorktree(session.place.worktree, session.cwd)
      const { worktree } = session.place
      const lines = await Promise.all(
        chosen.map(async (verdict) => {
          const outdated = await findOutdated(deps, verdict.memory, worktree)
          return renderLine(verdict, { redactor, outdated })
        }),
      )
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

    async listConsidered(session) {
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
          ? [{ prompt: clipPrompt(event), at: event.at }]
          : [],
      )
      const ledger = await listSessionInjections(session)
      const redactor = await deps.redactors.forWorktree(session.place.worktree, session.cwd)
      const considered = prompts.slice(-EXPLAINED_PROMPTS).map(async ({ prompt, at }, index, latest) => {
        const until = latest[index + 1]?.at
        const answers = ledger.filter((injection) => {
          return injection.at >= at && (until === undefined || injection.at < until)
        })
        const search = { projectId, text: prompt, isLiteral: true, includeSuperseded: true, limit: SEARCH_WIDTH }
        const hits = await deps.store.searchMemories(search)
        // The newest entry before the next prompt gives the epoch of this one.
        const epoch = Math.max(...ledger.filter((one) => until === undefined || one.at < until).map((one) => one.epoch))
        const before = ledger.filter((one) => one.at < at && isInContext(one, { ...session, epoch }, deps))
        const shown = new Set([...collectInjected(before), ...collectSaid(hits, before)])
        const verdicts = judgeForPrompt(prompt, hits, { ...config, shown })
        return {
          at,
          prompt: clip(prompt, PROMPT_CHARS),
          isOn: config.inject,
          memories: verdicts.map((verdict) => ({
            id: verdict.memory.id,
            content: clip(redactor.redact(verdict.memory.content), PROMPT_CHARS),
            share: verdict.share,
            ...reconcileWithLedger(verdict, { at, answers }),
          })),
        }
      })
      return (await Promise.all(considered)).toReversed()
    },
  }
}
