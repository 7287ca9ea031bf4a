import type {
  ChangedSince,
  LiveSession,
  PassedOverReason,
  PassedOverSession,
  SourceReason,
  WorkChoice,
} from './choice/work-choice.ts'
import type { GitState, Location } from '../kernel/location.ts'
import { shortKey } from '../kernel/id.ts'
import type { LineReason } from '../kernel/injection.ts'
import type { Git } from '../kernel/ports/ports.ts'
import type { Session } from '../kernel/session.ts'
import { formatAge, pluralize } from '../kernel/text/text.ts'
import type { RecoveryView } from './merge/merge-checkpoints.ts'

/** A session's folder below its worktree; empty at the top and outside. */
export function getFolder(cwd: string | undefined, worktree: string | undefined): string {
  if (cwd === undefined || worktree === undefined || !cwd.startsWith(`${worktree}/`)) return ''
  return cwd.slice(worktree.length + 1).replace(/\/+$/, '')
}

/** Whether work in `folder` is work of the folder that a session starts in. At the top of the worktree, every folder is. */
export function isFolderOf(folder: string, startFolder: string): boolean {
  if (startFolder === '' || folder === startFolder) return true
  return folder !== '' && (folder.startsWith(`${startFolder}/`) || startFolder.startsWith(`${folder}/`))
}

export async function findChangedSince(
  { origin }: RecoveryView,
  { worktree, branch, head }: Location,
  git: Pick<Git, 'countCommitsSince'>,
): Promise<ChangedSince> {
  if (origin === undefined) return {}
  const isMoved = origin.branch !== undefined && origin.branch !== branch
  const isSameCommit = origin.head !== undefined && origin.head === head
  const commits =
    isSameCommit || origin.head === undefined ? undefined : await git.countCommitsSince(worktree, origin.head)
  return {
    ...(isSameCommit ? { commits: 0 } : commits === undefined ? {} : { commits }),
    ...(isMoved && { formerBranch: origin.branch }),
  }
}

const COMPLETED = /\b(?:all (?:done|set|green)|complete[ds]?|committed|done|finished|fertig|merged|pushed|shipped)\b/i
const OPEN =
  /\?\s*$|\b(?:left to do|next(?: step|,|:)|not yet|remain(?:s|ing)|still|todo|to do|want me to|would you like|should i|shall i|let me know|unfinished|blocked)\b/i

/**
 * Whether nothing of the work is open, by everything that is known: no open todo, note, question, process or failed check; every
 * edit committed and nothing of it uncommitted now; the agent's last words say so. If anything is unknown, it is not finished.
 */
export function isFinishedWork({ work, waitOrContinue, written, nextAction }: RecoveryView, git?: GitState): boolean {
  const { dialogue, commits = [], checks = [], inFlight = [], lastEditOrder } = work
  if (dialogue === undefined || git?.dirty === undefined || lastEditOrder === undefined) return false
  if (waitOrContinue !== 'wait' || nextAction !== undefined || written !== undefined || inFlight.length > 0)
    return false
  const isRefuted = (work.claims ?? []).some(({ contradictedBy }) => contradictedBy !== undefined)
  if (isRefuted || work.commands.some(({ command, ok }) => !ok && command.startsWith('git push'))) return false
  if (work.todos.some(({ status }) => status !== 'completed') || work.blockers.length > 0) return false
  if (checks.some(({ verdict }) => verdict !== 'passed') || !commits.some(({ order }) => order > lastEditOrder))
    return false
  const edited = new Set(work.files.filter(({ edits }) => edits > 0).map(({ path }) => path))
  if (git.dirty.paths.length >= 20 || git.dirty.paths.some((path) => edited.has(path) || path.endsWith('/')))
    return false
  const last = dialogue.at(-1)
  if (last?.speaker !== 'agent' || last.kind !== 'turn-final') return false
  return COMPLETED.test(last.text) && !OPEN.test(last.text)
}

/** An absolute time, so that the same state gives the same bytes. */
export function renderLiveSession({ harness, key, folder, startedAt }: LiveSession): string {
  const where = folder === '' ? 'in this worktree' : `in ${folder} of this worktree`
  return `Also at work ${where}: ${harness} session ${shortKey(key)}, since ${startedAt.slice(0, 16)}Z. Its work is not included here.`
}

const WHY_CHOSEN: Readonly<Record<SourceReason, string>> = {
  lineage: 'this session continues it',
  taken: 'the user took it over with `holdfast take`',
  'other-machine': 'the newest session on this branch that did work; it was on another machine',
  'same-worktree-and-branch': 'the newest session here on this branch that did work',
  'same-worktree': 'the newest session in this worktree that did work; none did on this branch',
}

const WHY_PASSED_OVER: Readonly<Record<PassedOverReason, string>> = {
  live: 'it is still running; the work of a live session is not given to another',
  'continued-by-live': 'a session that is still running continues it',
  'too-old': 'it is older than continuity.recoveryWindowDays',
  'no-work': 'it did no work of its own (a question, "go on" or a commit)',
  'other-branch': 'it was on another machine and another branch; it is offered by name',
  'other-person': 'it is the work of another person; it is offered by name',
  'nothing-known': 'nothing is known of what it did',
}

const MAX_PASSED_OVER = 8

/** For `holdfast explain`: which sessions were not chosen, and why. */
export function listPassedOver(passedOver: readonly PassedOverSession[], now: string): readonly LineReason[] {
  return passedOver.slice(0, MAX_PASSED_OVER).map(({ harness, key, lastEventAt, reason }) => ({
    line: '',
    origin: 'passed over',
    reason: `${harness} session ${shortKey(key)}, ${formatAge(lastEventAt, now)}: ${WHY_PASSED_OVER[reason]}`,
  }))
}

function describeMachine({ elsewhere }: WorkChoice): string {
  if (elsewhere === undefined) return ''
  const { machine, author, missingCommits } = elsewhere
  const missing =
    missingCommits.length === 0 ? '' : `, ${pluralize(missingCommits.length, 'commit')} of it missing here`
  return ` on machine ${machine}${author === undefined ? '' : ` by ${author}`}${missing}`
}

/** For `holdfast explain`: which session was chosen and why, and which were not. */
export function explainChoice(choice: WorkChoice): readonly LineReason[] {
  const { harness, key, stoppedAt, now, reason, otherFolder, isFinished } = choice
  const where = otherFolder === undefined ? '' : `, in ${otherFolder === '' ? 'the top folder' : otherFolder}`
  const finished = isFinished ? '; it is finished, so one line is enough' : ''
  return [
    { line: '', origin: 'selection', reason },
    {
      line: '',
      origin: 'chosen',
      reason: `${harness} session ${shortKey(key)}, ${formatAge(stoppedAt, now)}${where}${describeMachine(choice)}: ${WHY_CHOSEN[reason]}${finished}`,
    },
    ...listPassedOver(choice.passedOver, now),
  ]
}

const DAY_MS = 86_400_000

/** `14:02`, `14:02 yesterday`, `Mon 14:02` or `2026-11-03 14:02`, in the machine's time zone. */
function formatStop(stoppedAt: string, now: string): string {
  const [then, today] = [new Date(stoppedAt), new Date(now)]
  const time = `${String(then.getHours()).padStart(2, '0')}:${String(then.getMinutes()).padStart(2, '0')}`
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
  const days = Math.round((midnight(today) - midnight(then)) / DAY_MS)
  if (days <= 0) return time
  return days === 1 ? `${time} yesterday` : `${time}, ${pluralize(days, 'day')} ago`
}

/** The line that the harness shows to the user. */
export function describeForUser({ stoppedAt, now, isFinished, elsewhere }: WorkChoice, { work }: RecoveryView): string {
  const when = formatStop(stoppedAt, now)
  if (isFinished) return `the last work here was finished (${when}); \`holdfast explain\``
  const edited = work.files.filter(({ edits }) => edits > 0).length
  const failing = work.tests.filter(({ status }) => status === 'failing').length
  const facts = [
    `continued from ${when}${elsewhere === undefined ? '' : ` on ${elsewhere.machine}`}`,
    ...(edited === 0 ? [] : [pluralize(edited, 'file')]),
    ...(failing === 0 ? [] : [pluralize(failing, 'failing test')]),
  ]
  return `${facts.join(', ')}; \`holdfast explain\``
}

export function toLiveSession(session: Session): LiveSession {
  const { id, key, harness, startedAt, lastEventAt, cwd, place } = session
  return { id, key, harness, folder: getFolder(cwd, place?.worktree), startedAt, lastEventAt }
}
