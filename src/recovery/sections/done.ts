import type { FileWork, WorkSummary } from '../../kernel/checkpoint.ts'
import { isScratch } from '../../kernel/paths/paths.ts'
import type { Item } from '../items/item.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { isUnchecked } from './checks.ts'

const COMMITTING = /\bgit\b[^|;&\n]*\b(?:commit|merge|rebase|cherry-pick|pull|am)\b/

/** Status lists paths from its folder, and a folder for what it holds. */
function isSamePath(path: string, listed: string): boolean {
  return path.endsWith(listed) || listed.endsWith(path) || (listed.endsWith('/') && path.includes(listed))
}

/** A commit was recorded, or a command that makes one was run. */
export function hasCommitted({ commits = [], commands, steps = [] }: WorkSummary): boolean {
  return (
    commits.length > 0 ||
    commands.some(({ command }) => COMMITTING.test(command)) ||
    steps.some(({ what }) => COMMITTING.test(what))
  )
}

/** No commit of the project would contain a plan in the home directory. */
function isEdited({ path, edits }: FileWork): boolean {
  return edits > 0 && !isScratch(path)
}

/** Files were edited, nothing of this session committed, and git does not show a commit by another author. */
function isUncommitted({ view, git }: Pick<CheckedView, 'view' | 'git'>): boolean {
  const { files, gitStatus, lastEditOrder = 0 } = view.work
  const edited = files.filter(isEdited)
  const seen = gitStatus !== undefined && gitStatus.order > lastEditOrder ? gitStatus : undefined
  const listed = git?.dirty?.paths ?? (seen === undefined ? undefined : [...seen.changed, ...seen.untracked])
  const isListed = listed === undefined || edited.some(({ path }) => listed.some((one) => isSamePath(path, one)))
  return edited.length > 0 && !hasCommitted(view.work) && isListed
}

export function labelFiles(checked: Pick<CheckedView, 'view' | 'git'>): string {
  const { work } = checked.view
  return `Files${isUncommitted(checked) ? ', not committed by the agent' : ''}${isUnchecked(work) ? ', no check seen' : ''}`
}

const MAX_COMMITS = 4

/** The last commits made, and how much was edited since. */
export function commitItems(work: WorkSummary): readonly Item[] {
  const { commits = [], pullRequest } = work
  const last = commits.at(-1)
  const toItem = (content: Item['content']): Item => ({ section: 'done', content, origin: 'git', reason: 'commits' })
  const opened = pullRequest?.url === undefined ? [] : [toItem({ kind: 'opened', url: pullRequest.url })]
  if (last === undefined) return opened
  const since = work.files.filter(
    (file) => isEdited(file) && file.action !== 'deleted' && (file.lastEditOrder ?? 0) > last.order,
  )
  return [
    ...commits.slice(-MAX_COMMITS).map((commit) => toItem({ kind: 'commit', commit })),
    ...opened,
    ...(since.length === 0 ? [] : [toItem({ kind: 'not-committed', count: since.length })]),
  ]
}
