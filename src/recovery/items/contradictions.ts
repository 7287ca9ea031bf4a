import { saidIn } from '../../checkpoint/work/stated-facts.ts'
import { claimsIn } from '../../checkpoint/work/claims.ts'
import { clip } from '../../kernel/text/text.ts'
import type { Item } from './item.ts'
import { asChecked, claimedCommitsIn, namedThingsIn } from '../revalidate/named-things.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { lastWordsOf, seenIn } from '../revalidate/check-named.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'

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
export function contradictionItems(checked: CheckedView): readonly Item[] {
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
