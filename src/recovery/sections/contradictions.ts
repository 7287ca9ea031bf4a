import { findClaims, findStatedPaths } from '../../checkpoint/claims/find-claims.ts'
import { clip } from '../../kernel/text/text.ts'
import type { Item } from '../items/item.ts'
import {
  createWasPresent,
  findClaimedCommits,
  findNamedThings,
  normalizePath,
  readStatements,
} from '../revalidate/check-named.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'

const MAX_SHOWN = 3
const MAX_CLAIM_CHARS = 100

function contradiction(claim: string, observation: string, origin: string): Item {
  return {
    section: 'contradicted',
    content: { kind: 'contradiction', claim, observation },
    origin,
    reason: 'what was observed says otherwise',
  }
}

function quote(text: string): string {
  return `"${clip(text, MAX_CLAIM_CHARS)}"`
}

/** Claims of the agent that its own runs refuted. */
function refutedClaims({ view }: CheckedView): readonly Item[] {
  return (view.work.claims ?? []).flatMap(({ text, contradictedBy }) =>
    contradictedBy === undefined ? [] : [contradiction(`the agent said ${quote(text)}`, contradictedBy, 'claims')],
  )
}

/** Words are rendered as they were said: that the tests ran on other code is reported here. */
function outdatedClaims({ view, tests }: CheckedView): readonly Item[] {
  const isSeenFalse = (view.work.claims ?? []).some(({ contradictedBy }) => contradictedBy !== undefined)
  if (tests !== 'changed' || isSeenFalse) return []
  const find = (text: string) => findClaims(text).find(({ topic }) => topic === 'tests')
  const { note, last } = readStatements(view)
  const noted = find(note)
  const claimed = noted ?? find(last)
  if (claimed === undefined) return []
  return [
    contradiction(
      `${quote(claimed.text)} ${noted === undefined ? 'was said' : 'is noted'}`,
      'the code has changed since the tests ran',
      'tests',
    ),
  ]
}

/** Statements for the next session that the disk refutes now. */
function refutedByDisk(checked: CheckedView): readonly Item[] {
  const { view, named, moved, isChecked } = checked
  if (!isChecked) return []
  const worktree = view.origin?.worktree
  const { note, next, last } = readStatements(view)
  // An agent may mention a file that it removed by a shell command: only a file that existed at the end can be missing.
  const wasThere = createWasPresent(view)
  const spokenOf = new Set([
    ...findStatedPaths(note).map(normalizePath),
    ...findNamedThings(next, worktree).paths,
    ...findStatedPaths(last).map(normalizePath).filter(wasThere),
  ])
  const isGone = (path: string) => named.files.get(path) === 'gone'
  const said = `${note}\n${next}\n${last}`
  const { commands, commits } = findNamedThings(said, worktree)
  const claimed = new Set(findClaimedCommits(said))
  return [
    ...[...spokenOf].filter(isGone).map((path) => {
      const now = moved.get(path)
      return contradiction(
        `${path} is spoken of as there`,
        now === undefined ? 'it is gone' : `it is now ${now}`,
        'files',
      )
    }),
    ...commits.flatMap((commit) => {
      const verdict = named.commits.get(commit)
      if (verdict === 'gone')
        return [contradiction(`commit ${commit} is named`, 'this repository does not have it', 'git')]
      const isClaimed = verdict === 'changed' && claimed.has(commit)
      return isClaimed
        ? [contradiction(`commit ${commit} is named`, 'it is not part of what is checked out', 'git')]
        : []
    }),
    ...commands
      .filter((command) => named.commands.get(command) === 'gone')
      .map((command) => contradiction(`\`${command}\` is named`, 'it is not defined', 'commands')),
  ]
}

export function contradictionItems(checked: CheckedView): readonly Item[] {
  return [...refutedClaims(checked), ...refutedByDisk(checked), ...outdatedClaims(checked)].slice(0, MAX_SHOWN)
}
