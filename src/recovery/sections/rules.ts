import { findRules, findRulesInRefusal } from '../../rules/find-rules.ts'
import type { Item } from '../items/item.ts'
import type { Passage, SplitTalk } from '../passages/passage.ts'
import { ROOMS } from '../passages/scoring.ts'

/** A rule of the user that was stored earlier. */
export interface StoredRule {
  readonly text: string
  readonly since: string
}

/** The rules that were stored for this project or this work, the newest first. */
export function storedRuleItems(rules: readonly StoredRule[]): readonly Item[] {
  let left: number = ROOMS.rules
  return rules
    .toSorted((a, b) => (a.since < b.since ? 1 : -1))
    .filter(({ text }) => {
      left -= text.length + 4
      return left >= 0
    })
    .map(({ text, since }) => ({
      section: 'rules',
      content: { kind: 'rule', text, since },
      origin: 'rules',
      reason: 'a rule of the user',
    }))
}

/** What is left of a passage without the rules that are listed: nothing if it repeats them. */
export function createIsListed(rules: readonly StoredRule[]): (passage: Pick<Passage, 'text'>) => boolean {
  const listed = storedRuleItems(rules).flatMap(({ content }) => (content.kind === 'rule' ? [content.text] : []))
  return ({ text }) => listed.reduce((left, rule) => left.replace(rule, ''), text).trim() === ''
}

function isSameWords(one: string, other: string): boolean {
  return one.includes(other) || other.includes(one)
}

/** Which sentences of the user still bind; an order for one piece of work is quoted with the requests. */
export function createIsRule(talks: readonly SplitTalk[]): (passage: Passage) => boolean {
  const found = talks.map(({ message }) => {
    if (message.speaker !== 'user') return []
    const rules = message.kind === 'refusal' ? findRulesInRefusal(message.text) : findRules(message.text)
    return rules.flatMap(({ text, scope }) => (scope === 'project' ? [text] : []))
  })
  return (passage) => (found[passage.message] ?? []).some((rule) => isSameWords(rule, passage.text))
}
