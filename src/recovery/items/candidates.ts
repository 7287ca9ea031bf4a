import type { ProjectId } from '../../kernel/id.ts'
import { claimsIn } from '../../checkpoint/work/claims.ts'
import type { Item } from './item.ts'
import { commandItems, errorItems, failingItems, identifierItems } from './rank-activity.ts'
import { fileItems } from './rank-files.ts'
import { saidItems } from './rank-requests.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { verdictOnText, lastWordsOf, seenIn } from '../revalidate/check-named.ts'
import { isList } from './section-line.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'
import { saidIn } from '../../checkpoint/work/stated-facts.ts'
import { clip } from '../../kernel/text/text.ts'
import { asChecked, claimedCommitsIn, namedThingsIn } from '../revalidate/named-things.ts'

const MAX_SHOWN = 3

function contradiction(text: string, origin: string): Item {
  return {
    section: 'contradicted',
    text,
    value: WEIGHTS.section.contradicted,
    origin,
    reason: 'what the disk says otherwise',
  }
}

/** A note is told byte for byte and so without a mark: that its tests ran on other code is said here. */
function outdatedClaims({ view, tests }: CheckedView): readonly Item[] {
  const isSeenFalse = (view.work.claims ?? []).some(({ contradictedBy }) => contradictedBy !== undefined)
  if (tests !== 'changed' || isSeenFalse) return []
  const claimed = claimsIn(view.written?.summary ?? '', 0).find(({ topic }) => topic === 'tests')
  if (claimed === undefined) return []
  return [contradiction(`"${clip(claimed.text, 100)}" is noted, but the code has changed since the tests ran`, 'tests')]
}

const NOT_IN_HISTORY = 'is not part of what is checked out'

/** What was written down or said for the next session and is not so on this disk, now. */
function contradictionItems(checked: CheckedView): readonly Item[] {
  const { view, named, moved, isChecked } = checked
  if (!isChecked) return []
  const worktree = view.origin?.worktree
  const note = view.written?.summary ?? ''
  const next = view.written?.nextAction ?? view.nextAction ?? ''
  const last = lastWordsOf(view.work).at(-1) ?? ''
  // What an agent took away by a shell command it may still speak of: only what was there when it stopped can be missed.
  const wasThere = seenIn(view)
  const spokenOf = new Set([
    ...saidIn(note).paths.map(asChecked),
    ...namedThingsIn(next, worktree).places.map(({ path }) => path),
    ...saidIn(last).paths.map(asChecked).filter(wasThere),
  ])
  const isGone = (path: string) =>
    [...named].some(([thing, verdict]) => verdict === 'gone' && (thing === path || thing.startsWith(`${path}:`)))
  const whereOf = (path: string) => (moved.has(path) ? `now ${moved.get(path) ?? ''}` : 'gone')
  const said = `${note}\n${next}\n${last}`
  const { commands, commits } = namedThingsIn(said, worktree)
  const claimed = new Set(claimedCommitsIn(said))
  return [
    ...[...spokenOf]
      .filter(isGone)
      .map((path) => contradiction(`${path} is spoken of as there, but is ${whereOf(path)}`, 'files')),
    ...commits.flatMap((commit) => {
      const verdict = named.get(commit)
      if (verdict === 'gone')
        return [contradiction(`commit ${commit} is named, but this repository does not have it`, 'git')]
      const isClaimed = verdict === 'changed' && claimed.has(commit)
      return isClaimed ? [contradiction(`commit ${commit} is named, but ${NOT_IN_HISTORY}`, 'git')] : []
    }),
    ...commands
      .filter((command) => named.get(`\`${command}\``) === 'gone')
      .map((command) => contradiction(`\`${command}\` is named, but is not defined`, 'commands')),
    ...outdatedClaims(checked),
  ].slice(0, MAX_SHOWN)
}

const MAX_PATHS = 10

/** What git sees changed here and now, and no tool was seen to edit: a shell made it, or a person did. */
function uncommittedItems({ git, view, files, uncommitted }: CheckedView): readonly Item[] {
  const edited = new Set(view.work.files.filter((file) => file.edits > 0).map((file) => file.path))
  const paths = git?.dirty?.paths.filter((path) => !edited.has(path)) ?? []
  return paths.slice(0, MAX_PATHS).map((path) => ({
    section: 'uncommitted',
    text: path,
    value: WEIGHTS.uncommitted * WEIGHTS.section.uncommitted,
    origin: 'git',
    reason: 'changed in the worktree, not committed, and edited by no tool that was seen',
    verdict: files.get(path) ?? uncommitted.get(path) ?? 'cannot-tell',
  }))
}

export interface CandidateOptions {
  /** What long texts are cut to, as shares of it. */
  readonly budgetChars: number
  /** Takes secrets out; the very same string when there were none. */
  readonly redact?: (text: string) => string
  /** What was learnt of the use of such items: their value is multiplied by it. Absent: 1. */
  readonly adjust?: (item: Item) => number
}

/** How a section's rank is changed by what is known of its use; nothing while that is switched off. */
export interface SectionScores {
  adjustmentFor(projectId: ProjectId, worktree: string): Promise<CandidateOptions['adjust']>
}

/** Says that tests pass, from before the code was changed again. */
function isOutdatedClaim(text: string, { tests }: CheckedView): boolean {
  return tests === 'changed' && claimsIn(text.replace(/^before that /, ''), 0).some(({ topic }) => topic === 'tests')
}

/** Sentences are checked by the things they name; what nothing can be said about stays without a mark. */
export function withVerdict(item: Item, checked: CheckedView): Item {
  if (item.verdict !== undefined || item.section === 'contradicted' || isList(item.section)) return item
  const verdict = verdictOnText(item.text, checked.named, checked.view.origin?.worktree)
  if (verdict !== 'gone' && item.section === 'words' && isOutdatedClaim(item.text, checked))
    return { ...item, verdict: 'changed' }
  return verdict === undefined ? item : { ...item, verdict }
}

/** Everything that could be said, and what saying it is worth. */
export function candidates(checked: CheckedView, { budgetChars, redact, adjust }: CandidateOptions): readonly Item[] {
  const known = [
    ...contradictionItems(checked),
    ...saidItems(checked, budgetChars),
    ...fileItems(checked),
    ...uncommittedItems(checked),
    ...commandItems(checked),
    ...identifierItems(checked),
    ...failingItems(checked),
    ...errorItems(checked),
  ].map((item) => withVerdict(item, checked))
  const items = adjust === undefined ? known : known.map((item) => ({ ...item, value: item.value * adjust(item) }))
  if (redact === undefined) return items
  // Looking at all of them together first is far cheaper, and there is nearly always nothing to take out.
  const together = items.map((item) => item.text).join('\n')
  return redact(together) === together ? items : items.map((item) => ({ ...item, text: redact(item.text) }))
}
