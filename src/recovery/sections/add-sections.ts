import type { Draft } from '../items/draft.ts'
import { fill } from '../items/fill.ts'
import type { Item } from '../items/item.ts'
import type { CarriedNote } from '../merge/merge-checkpoints.ts'
import type { Passage, SplitTalk } from '../passages/passage.ts'
import { ROOMS, SCORING } from '../passages/scoring.ts'
import { renderItem } from '../items/render-items.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { labelFiles } from './done.ts'
import { addLastWords } from './last-words.ts'
import { addOverall, addReply, addRequest, IMPLEMENT_LINE } from './request.ts'
import { createIsListed, createIsRule, type StoredRule, storedRuleItems } from './rules.ts'
import type { SectionKey } from '../items/section-order.ts'
import { createIsNoted, listObserved } from './observed.ts'
import { readTalk, type Talk, withoutOffers } from '../dialogue/talk.ts'

/** What the next step depends on. */
const STATE: ReadonlySet<SectionKey> = new Set(['activity', 'merge', 'in-flight', 'checks', 'next', 'done'])
const HISTORY: ReadonlySet<SectionKey> = new Set(['edits', 'tried', 'commands'])

const MAX_VERDICT_CHARS = 70
/** What a check's own line says better. */
const SAYS_GREEN =
  /^(?:(?:good|great|perfect|excellent)[,.!]? )?(?:all )?(?:\w+ )?(?:tests?|lint(?:ing)?|build|checks?)\b[^.]{0,30}\b(?:pass(?:es|ed|ing)?|clean|succeeds?|succeeded|green)[.!]?$/i

export interface SectionInput {
  readonly checked: CheckedView
  readonly rules: readonly StoredRule[]
  /** The harness's own summary is in the same context. */
  readonly isBesideSummary: boolean
  /** Whether a text is in that summary. */
  readonly isHeld: (text: string, item?: Item) => boolean
  /** The note that is rendered whole: only what happened since is added to it. */
  readonly note?: CarriedNote
}

/** What the user answered and refused since the request: after it, in its line. */
function listReactions({ talks, current, isPlanApproved }: Talk): readonly SplitTalk[] {
  if (current === undefined || isPlanApproved) return []
  return talks.filter(
    ({ index, message }) => index > current.index && (message.kind === 'answer' || message.kind === 'refusal'),
  )
}

/** Beside a text that names files too, the number of those left out is not known. */
function withoutTotal(item: Item): Item {
  return item.content.kind === 'file' ? { ...item, content: { ...item.content, total: 0 } } : item
}

/**
 * Adds items in the order of their importance; the draft renders them in the order of the sections. Returns whether
 * everything fitted.
 */
export function addSections(draft: Draft, { checked, rules, isHeld, isBesideSummary, note }: SectionInput): boolean {
  const talk = readTalk(checked.view.work, (text) => !isHeld(text))
  // Of files: a merge or a checkout counts for checks only.
  const lastEditOrder = Math.max(0, ...checked.view.work.files.map((file) => file.lastEditOrder ?? 0))
  const isSince = (order: number) => note === undefined || note.isOvertaken || order > note.order
  for (const item of storedRuleItems(rules)) draft.add(item)
  const isNoted = createIsNoted(note)
  const isNews = (item: Item) => !(isBesideSummary && item.content.kind === 'not-committed')
  const isAlone = note === undefined && !isBesideSummary
  const observed = listObserved(checked, talk)
    .filter((item) => !isNoted(item) && isNews(item) && !isHeld(renderItem(item), item))
    .map((item) => (isAlone ? item : withoutTotal(item)))
  if (!isBesideSummary) draft.label('files', labelFiles(checked))
  const isFile = ({ content }: Item) => content.kind === 'file'
  // Files have a room of their own: what is said must not take it.
  const files = observed.filter(isFile).filter((item) => draft.add(item))
  addRequest(draft, talk)
  addReply(draft, talk)
  addOverall(draft, talk)
  const addObserved = (isChosen: (section: SectionKey) => boolean) =>
    observed.filter((item) => !isFile(item) && isChosen(item.section) && draft.add(item))
  // Short, and what the next step depends on: before what may be long.
  const state = addObserved((section) => STATE.has(section))
  addLastWords(draft, talk, lastEditOrder)
  const history = addObserved((section) => HISTORY.has(section))
  const others = addObserved((section) => !STATE.has(section) && !HISTORY.has(section))
  const added = [...files, ...state, ...history, ...others]
  const { talks, current, lastWords } = talk
  const isRule = createIsRule(talks)
  const isBeforeEdit = ({ from, message }: Passage) =>
    (from === 'message' || from === 'turn-final') && (talks[message]?.message.order ?? 0) < lastEditOrder
  const sectionOf = (passage: Passage): SectionKey => {
    if (requested.has(passage.message)) return 'request'
    if (passage.message === lastWords?.index) return 'stood'
    if (passage.from === 'report') return 'reported'
    if (passage.speaker === 'agent') return isBeforeEdit(passage) ? 'before-edit' : 'earlier'
    return isRule(passage) ? 'rules' : 'also'
  }
  const open = talks.filter((said) => isSince(said.message.order) && said !== talk.reply)
  const pending = open.filter((said) => !talk.settled.has(said))
  const short = pending.filter(({ message, isDocument }) => message.speaker === 'user' && !isDocument)
  const asked = talk.isCurrentDone ? talk.since : [talk.before, current, ...talk.since]
  const requested = new Set([...asked, ...listReactions(talk)].map((said) => said?.index))
  const inUserSection = (passage: Passage) =>
    requested.has(passage.message) ? 'request' : isRule(passage) ? 'rules' : 'also'
  const isListed = createIsListed(rules)
  const toPassages = (said: (typeof talks)[number]) =>
    withoutOffers(said, talks).filter(
      (passage) =>
        (!isListed(passage) || requested.has(passage.message)) &&
        !(said.isDocument && IMPLEMENT_LINE.test(passage.text)),
    )
  fill(draft, short.flatMap(toPassages), ROOMS.user, inUserSection)
  const all = pending.flatMap(toPassages)
  const isCheckSaid = ({ text }: Passage) => text.length <= MAX_VERDICT_CHARS && SAYS_GREEN.test(text)
  const isChecked = observed.some(({ content }) => content.kind === 'check')
  const isWorthIt = (passage: Passage) =>
    isSaying(passage) && !(isChecked && passage.speaker === 'agent' && isCheckSaid(passage))
  const isSaying = ({ speaker, score, from, message }: Passage) =>
    speaker === 'user' || message === lastWords?.index || from === 'report' || score >= SCORING.least
  fill(draft, all.filter(isWorthIt), Number.POSITIVE_INFINITY, sectionOf)
  const known = checked.view.work.files.filter(({ reads, edits }) => reads + edits > 0).length
  return added.length === observed.length && files.length >= known && all.every((passage) => draft.has(passage))
}
