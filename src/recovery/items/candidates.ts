import { findClaims, findStatedFacts } from '../../checkpoint/work/claims.ts'
import type { Item } from './item.ts'
import { commandItems, errorItems, failingItems, identifierItems } from './rank-activity.ts'
import { fileItems } from './rank-files.ts'
import { rankStatements } from './rank-requests.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import {
  judgeText,
  listLastWords,
  createWasPresent,
  normalizePath,
  findClaimedCommits,
  findNamedThings,
} from '../revalidate/check-named.ts'
import { isList } from './render-lines.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'
import { clip } from '../../kernel/text/text.ts'

const MAX_SHOWN = 3

function contradiction(text: string, origin: string): Item {
  return {
    section: 'contradicted',
    subject: { kind: 'contradiction' },
    text,
    value: WEIGHTS.section.contradicted,
    origin,
    reason: 'what the disk says otherwise',
  }
}

/** A note is rendered byte for byte, without marks: that its tests ran on other code is reported here. */
function outdatedClaims({ view, tests }: CheckedView): readonly Item[] {
  const isSeenFalse = (view.work.claims ?? []).some(({ contradictedBy }) => contradictedBy !== undefined)
  if (tests !== 'changed' || isSeenFalse) return []
  const claimed = findClaims(view.written?.summary ?? '', 0).find(({ topic }) => topic === 'tests')
  if (claimed === undefined) return []
  return [contradiction(`"${clip(claimed.text, 100)}" is noted, but the code has changed since the tests ran`, 'tests')]
}

const NOT_IN_HISTORY = 'is not part of what is checked out'

/** Statements for the next session that the disk refutes now. */
function contradictionItems(checked: CheckedView): readonly Item[] {
  const { view, named, moved, isChecked } = checked
  if (!isChecked) return []
  const worktree = view.origin?.worktree
  const note = view.written?.summary ?? ''
  const next = view.written?.nextAction ?? view.nextAction ?? ''
  const last = listLastWords(view.work).at(-1) ?? ''
  // An agent may mention a file that it removed by a shell command: only a file that existed at the end can be missing.
  const wasThere = createWasPresent(view)
  const spokenOf = new Set([
    ...findStatedFacts(note).paths.map(normalizePath),
    ...findNamedThings(next, worktree).places.map(({ path }) => path),
    ...findStatedFacts(last).paths.map(normalizePath).filter(wasThere),
  ])
  const isGone = (path: string) => named.files.some((one) => one.path === path && one.verdict === 'gone')
  const whereOf = (path: string) => (moved.has(path) ? `now ${moved.get(path) ?? ''}` : 'gone')
  const said = `${note}\n${next}\n${last}`
  const { commands, commits } = findNamedThings(said, worktree)
  const claimed = new Set(findClaimedCommits(said))
  return [
    ...[...spokenOf]
      .filter(isGone)
      .map((path) => contradiction(`${path} is spoken of as there, but is ${whereOf(path)}`, 'files')),
    ...commits.flatMap((commit) => {
      const verdict = named.commits.get(commit)
      if (verdict === 'gone')
        return [contradiction(`commit ${commit} is named, but this repository does not have it`, 'git')]
      const isClaimed = verdict === 'changed' && claimed.has(commit)
      return isClaimed ? [contradiction(`commit ${commit} is named, but ${NOT_IN_HISTORY}`, 'git')] : []
    }),
    ...commands
      .filter((command) => named.commands.get(command) === 'gone')
      .map((command) => contradiction(`\`${command}\` is named, but is not defined`, 'commands')),
    ...outdatedClaims(checked),
  ].slice(0, MAX_SHOWN)
}

const MAX_PATHS = 10

/** Files that git reports as changed now and no tool edited. */
function uncommittedItems({ git, view, files, uncommitted }: CheckedView): readonly Item[] {
  const edited = new Set(view.work.files.filter((file) => file.edits > 0).map((file) => file.path))
  const paths = git?.dirty?.paths.filter((path) => !edited.has(path)) ?? []
  return paths.slice(0, MAX_PATHS).map((path) => ({
    section: 'uncommitted',
    subject: { kind: 'file', path },
    text: path,
    value: WEIGHTS.uncommitted * WEIGHTS.section.uncommitted,
    origin: 'git',
    reason: 'changed in the worktree, not committed, and edited by no tool that was seen',
    verdict: files.get(path) ?? uncommitted.get(path) ?? 'cannot-tell',
  }))
}

export interface CandidateOptions {
  /** Long texts are clipped to shares of it. */
  readonly budgetChars: number
  /** Removes secrets; returns the same string if there are none. */
  readonly redact?: (text: string) => string
}

/** A claim that tests pass, from before the code was changed again. */
function isOutdatedClaim({ subject }: Item, { tests }: CheckedView): boolean {
  const isAboutTests = () =>
    subject.kind === 'statement' && findClaims(`"${subject.text}"`, 0).some(({ topic }) => topic === 'tests')
  return tests === 'changed' && isAboutTests()
}

/** Sentences are judged by the things they name; without such things they get no verdict. */
export function withVerdict(item: Item, checked: CheckedView): Item {
  if (item.verdict !== undefined || item.section === 'contradicted' || isList(item.section)) return item
  const verdict = judgeText(item.text, checked.named, checked.view.origin?.worktree)
  if (verdict !== 'gone' && isOutdatedClaim(item, checked)) return { ...item, verdict: 'changed' }
  return verdict === undefined ? item : { ...item, verdict }
}

/** Everything that could be rendered, with its value. */
export function listCandidates(checked: CheckedView, { budgetChars, redact }: CandidateOptions): readonly Item[] {
  const items = [
    ...contradictionItems(checked),
    ...rankStatements(checked, budgetChars),
    ...fileItems(checked),
    ...uncommittedItems(checked),
    ...commandItems(checked),
    ...identifierItems(checked),
    ...failingItems(checked),
    ...errorItems(checked),
  ].map((item) => withVerdict(item, checked))
  if (redact === undefined) return items
  // One look at all of them is far cheaper, and there is nearly always nothing to redact.
  const together = items.map((item) => item.text).join('\n')
  return redact(together) === together ? items : items.map((item) => ({ ...item, text: redact(item.text) }))
}
