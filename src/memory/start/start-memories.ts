import type { SessionEvent } from '../../kernel/event.ts'
import type { ProjectId } from '../../kernel/id.ts'
import { AT_START, createInjection, type InjectionText, isInContext } from '../../kernel/injection.ts'
import { describeMemory, isForPerson, type Memory, type MemoryType } from '../../kernel/memory.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import type { Rule } from '../../kernel/rule.ts'
import type { Session } from '../../kernel/session.ts'
import { BoundedMap } from '../../kernel/structures/bounded-map.ts'
import { fence, type FencedText } from '../../kernel/text/fence.ts'
import { leadingSentences } from '../../kernel/text/text.ts'
import { findExclusion } from '../prompt/prompt-threshold.ts'

const START_TYPES: readonly MemoryType[] = ['preference', 'decision']
const START_IMPORTANCE = 7
const SEARCH_WIDTH = 100
/** Limit of one line, so that a long memory does not take the place of all others. */
const LINE_CHARS = 240
const LEDGER_LOOKBACK = 200
const MAX_SERVED = 1_000

/**
 * The rules and memories of the project that belong at every start; undefined if this start had them, or there are none.
 * `said`: what is injected with it, which is not repeated.
 */
export type StartMemories = (
  session: Session,
  event: SessionEvent,
  options: { readonly maxChars: number; readonly said: string },
) => Promise<InjectionText | undefined>

/** Newest and most used first: by the sum of both positions. */
function rankForStart(memories: readonly Memory[]): readonly Memory[] {
  const byUse = memories.toSorted((a, b) => b.hits - a.hits)
  const position = (memory: Memory, index: number) => index + byUse.findIndex(({ hits }) => hits === memory.hits)
  return memories
    .map((memory, index) => ({ memory, position: position(memory, index) }))
    .toSorted((a, b) => a.position - b.position || b.memory.hits - a.memory.hits)
    .map(({ memory }) => memory)
}

interface StartLine {
  readonly id: string
  readonly text: string
  readonly line: string
  readonly reason: string
  readonly isRule?: true
}

/** Without its date: the room is for other rules. */
function toRuleLine({ id, text }: Rule): StartLine {
  return { id, text, line: `- (rule) ${text}`, reason: "the user's rule, given at every start", isRule: true }
}

function renderLeftOut(count: number): string {
  return `- ${count} more rule${count === 1 ? '' : 's'} of the user: \`holdfast rules list\``
}

function toMemoryLine(memory: Memory): StartLine {
  const { id, type, importance, hits, content } = memory
  const why = START_TYPES.includes(type) ? `every ${type}` : `importance ${importance}`
  const used = hits === 0 ? '' : `, used ${hits} time${hits === 1 ? '' : 's'}`
  return {
    id,
    text: content,
    line: `- (${describeMemory(memory)}) ${content}`,
    reason: `given at every start: ${why}${used}`,
  }
}

export function createStartMemories(ports: ContinuityPorts): StartMemories {
  /** Starts that need no look into the ledger any more. */
  const served = new BoundedMap<string, true>(MAX_SERVED)

  /** Ids in the context of this session, or undefined if this start was served. */
  async function findKnown(session: Session): Promise<ReadonlySet<string> | undefined> {
    const query = { sessionId: session.id, kind: 'memories', limit: LEDGER_LOOKBACK } as const
    const injections = await ports.store.listInjections(query)
    const isNow = ({ epoch }: { readonly epoch: number }) => epoch === session.epoch
    if (injections.some((one) => isNow(one) && one.reasons.some(({ section }) => section === AT_START)))
      return undefined
    return new Set(injections.filter((one) => isInContext(one, session, ports)).flatMap(({ sources }) => sources))
  }

  async function listLines(projectId: ProjectId, known: ReadonlySet<string>): Promise<readonly StartLine[]> {
    const query = { projectId, types: START_TYPES, orImportance: START_IMPORTANCE, limit: SEARCH_WIDTH }
    const [rules = [], memories] = await Promise.all([ports.activeRules?.(projectId), ports.store.listMemories(query)])
    // A condition of one piece of work is part of that work's recovery.
    const binding = rules.filter(({ scope }) => scope === 'project')
    const current = memories.filter(
      (memory) => isForPerson(memory, ports.person) && findExclusion(memory) === undefined,
    )
    return [...binding.map(toRuleLine), ...rankForStart(current).map(toMemoryLine)].filter(({ id }) => !known.has(id))
  }

  /** As many as fit; a rule that does not fit is counted, so that no session takes the list for the whole. */
  function fenceLines(lines: readonly StartLine[], budgetChars: number): FencedText {
    const heading = '## Rules and memories of this project'
    const render = (shown: readonly string[]) => fence({ heading, lines: shown, budgetChars, sha256: ports.sha256 })
    const texts = lines.map(({ line }) => line)
    const rules = lines.filter(({ isRule }) => isRule).length
    const all = render(texts)
    for (let count = all.lineCount; count < rules && count > 0; count -= 1) {
      const fenced = render([...texts.slice(0, count), renderLeftOut(rules - count)])
      if (fenced.lineCount > count) return { ...fenced, lineCount: count }
    }
    return all
  }

  return async (session, event, { maxChars, said }) => {
    const isOwed = session.epoch > session.recoveredEpoch
    const isTime = event.kind !== 'tool-finished' || isOwed
    if (session.place === undefined || event.subagent !== undefined || !isTime) return undefined
    const start = `${session.id}#${session.epoch}`
    if (served.has(start)) return undefined
    const { memory: config } = await ports.configFor(session.place.worktree)
    const budgetChars = Math.min(config.startBudgetChars, maxChars)
    if (!config.inject || budgetChars === 0) return undefined
    const known = await findKnown(session)
    const all = known === undefined ? [] : await listLines(session.place.projectId, known)
    const found = all.filter(({ text }) => !said.includes(text))
    const redactor = await ports.redactors.forWorktree(session.place.worktree, session.cwd)
    const lines = found.map(({ line, ...more }) => ({
      ...more,
      line: more.isRule === true ? redactor.redact(line) : leadingSentences(redactor.redact(line), LINE_CHARS),
    }))
    const { text, lineCount } = fenceLines(lines, budgetChars)
    if (lineCount === 0) {
      served.set(start, true)
      return undefined
    }
    const given = lines.slice(0, lineCount)
    return createInjection(ports, session, 'memories', {
      text,
      sources: given.map(({ id }) => id),
      reasons: given.map(({ id, line, reason }) => ({ line, section: AT_START, origin: id, reason })),
    })
  }
}
