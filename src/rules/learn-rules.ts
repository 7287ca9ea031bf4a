import type { SessionEvent } from '../kernel/event.ts'
import { getSessionId } from '../kernel/event.ts'
import type { ProjectId } from '../kernel/id.ts'
import type { Rule } from '../kernel/rule.ts'
import { isContradiction, isReleased, isSameRule } from './compare-rules.ts'
import { findRules, findRulesInRefusal, type FoundRule } from './find-rules.ts'

/** In force at the same time; the oldest found ones are retired first. */
export const MAX_ACTIVE_RULES = 100
/** As long as unfinished work is recovered. */
const WORK_RULE_MS = 14 * 86_400_000

/** Whether the rule binds at this time. A rule of one piece of work ends with it. */
export function isInForce({ state, scope, since }: Rule, now: string): boolean {
  return state === 'active' && (scope === 'project' || Date.parse(now) - Date.parse(since) < WORK_RULE_MS)
}

/** Whether an event can hold words of the user. */
export function hasUserWords(event: SessionEvent): boolean {
  if (event.subagent !== undefined) return false
  if (event.kind === 'prompt-submitted') return true
  return (
    event.kind === 'tool-finished' &&
    (event.outcome.refused?.words !== undefined || event.outcome.answers !== undefined)
  )
}

function readWords(event: SessionEvent): { readonly words: string; readonly found: readonly FoundRule[] } {
  if (event.kind === 'prompt-submitted') return { words: event.prompt, found: findRules(event.prompt) }
  if (event.kind !== 'tool-finished') return { words: '', found: [] }
  const { refused, answers = [] } = event.outcome
  const refusal = refused?.by === 'user' ? (refused.words ?? '') : ''
  const typed = answers.filter(({ options, answer }) => !options.includes(answer)).map(({ answer }) => answer)
  return { words: refusal, found: [...findRulesInRefusal(refusal), ...typed.flatMap(findRules)] }
}

export interface LearnContext {
  readonly projectId: ProjectId
  /** Hex. */
  readonly sha256: (text: string) => string
}

function retire(rule: Rule, at: string, supersededBy?: string): Rule {
  return { ...rule, state: 'retired', retiredAt: at, ...(supersededBy !== undefined && { supersededBy }) }
}

/** The rules that an event adds or changes, given all that are known; none for most events. */
export function learnRules(
  known: readonly Rule[],
  event: SessionEvent,
  { projectId, sha256 }: LearnContext,
): readonly Rule[] {
  if (!hasUserWords(event)) return []
  const { words, found } = readWords(event)
  const rules = new Map(known.map((rule) => [rule.id, rule]))
  const changed = new Map<string, Rule>()
  const set = (rule: Rule) => {
    rules.set(rule.id, rule)
    changed.set(rule.id, rule)
  }
  const listActive = () => [...rules.values()].filter((rule) => isInForce(rule, event.at))
  for (const rule of listActive())
    if (rule.source === 'found' && rule.since <= event.at && isReleased(rule.text, words)) set(retire(rule, event.at))
  for (const { text, scope } of found) {
    const id = `rule-${sha256([projectId, event.id, text].join('\n')).slice(0, 10)}`
    const active = listActive()
    const isOvertaken = active.some((rule) => rule.since > event.at && isContradiction(rule.text, text))
    if (rules.has(id) || isOvertaken || active.some((rule) => isSameRule(rule.text, text))) continue
    for (const rule of rules.values()) {
      const isReplaced = rule.state === 'active' && rule.source === 'found' && isContradiction(text, rule.text)
      const isConfirmed = rule.state === 'proposed' && isSameRule(rule.text, text)
      if (isReplaced || isConfirmed) set(retire(rule, event.at, id))
    }
    set({
      id,
      projectId,
      text,
      since: event.at,
      state: 'active',
      source: 'found',
      scope,
      sessionId: getSessionId(event),
      eventId: event.id,
    })
  }
  if (changed.size > 0) {
    const active = listActive()
    const oldest = active
      .filter(({ source }) => source === 'found')
      .toSorted((one, other) => (one.since < other.since ? -1 : 1))
    for (const rule of oldest.slice(0, Math.max(0, active.length - MAX_ACTIVE_RULES))) set(retire(rule, event.at))
  }
  return [...changed.values()]
}
