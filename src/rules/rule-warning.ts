import type { EventOf } from '../kernel/event.ts'
import { createInjection, type InjectionText } from '../kernel/injection.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { Rule } from '../kernel/rule.ts'
import type { Session } from '../kernel/session.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'
import { fence } from '../kernel/text/fence.ts'
import { formatAge } from '../kernel/text/text.ts'
import { readProhibition } from './breaks-rule.ts'
import type { ProjectRules } from './project-rules.ts'

const BUDGET_CHARS = 900
const LEDGER_LOOKBACK = 200
/** Of one rule between two compactions. */
const MAX_WARNINGS = 2
const MAX_READ_RULES = 500
/** Parallel tool calls ask at the same time: only the first is warned. */
const OFFERED_FOR_MS = 2_000

const HEADING =
  '## This breaks a rule of the user\nThe call is not stopped. Unless the user has asked for it since, do it another way or ask first.'

/** A warning before a call that plainly breaks a rule; usually undefined. Never a refusal. */
export type RuleWarning = (
  session: Session,
  event: EventOf<'tool-started'>,
  maxChars: number,
) => Promise<InjectionText | undefined>

type RuleWarningPorts = Pick<ContinuityPorts, 'store' | 'clock' | 'sha256' | 'configFor' | 'redactors'>

export function createRuleWarning(
  ports: RuleWarningPorts,
  { listActive }: Pick<ProjectRules, 'listActive'>,
): RuleWarning {
  const read = new BoundedMap<string, ReturnType<typeof readProhibition>>(MAX_READ_RULES)
  const offered = new BoundedMap<string, number>(MAX_READ_RULES)

  function getProhibition(text: string): ReturnType<typeof readProhibition> {
    if (!read.has(text)) read.set(text, readProhibition(text))
    return read.get(text)
  }

  /** Notes them as offered before the first await: other calls of the same batch are already asking. */
  function selectUnoffered(session: Session, rules: readonly Rule[]): readonly Rule[] {
    const now = ports.clock.monotonicMs()
    const toKey = ({ id }: Rule) => `${session.id}#${session.epoch} ${id}`
    const fresh = rules.filter((rule) => now - (offered.get(toKey(rule)) ?? Number.NEGATIVE_INFINITY) >= OFFERED_FOR_MS)
    for (const rule of fresh) offered.set(toKey(rule), now)
    return fresh
  }

  async function selectUnwarned(session: Session, rules: readonly Rule[]): Promise<readonly Rule[]> {
    const past = await ports.store.listInjections({ sessionId: session.id, kind: 'notice', limit: LEDGER_LOOKBACK })
    const isWarning = ({ id }: Rule) =>
      past.filter(({ epoch, sources }) => epoch === session.epoch && sources.includes(id))
    return rules.filter((rule) => isWarning(rule).length < MAX_WARNINGS)
  }

  return async (session, { tool }, maxChars) => {
    const { place } = session
    if ((tool.kind !== 'shell' && tool.kind !== 'edit') || place === undefined) return undefined
    const broken = (await listActive(place.projectId)).filter(
      ({ text }) => getProhibition(text)?.(tool, place) === true,
    )
    if (broken.length === 0) return undefined
    const unoffered = selectUnoffered(session, broken)
    if (unoffered.length === 0 || !(await ports.configFor(place.worktree)).continuity.enabled) return undefined
    const rules = await selectUnwarned(session, unoffered)
    const redactor = await ports.redactors.forWorktree(place.worktree, session.cwd)
    const now = ports.clock.now()
    const lines = rules.map(({ text, since }) => redactor.redact(`"${text}" (${formatAge(since, now)})`))
    const { text, lineCount } = fence({
      heading: HEADING,
      lines,
      budgetChars: Math.min(BUDGET_CHARS, maxChars),
      sha256: ports.sha256,
    })
    if (lineCount === 0) return undefined
    const shown = rules.slice(0, lineCount)
    return createInjection(ports, session, 'notice', {
      text,
      sources: shown.map(({ id }) => id),
      reasons: shown.map(({ id }, index) => ({
        line: lines[index] ?? '',
        origin: id,
        reason: 'the call is about to break this rule of the user',
      })),
    })
  }
}
