import { gitPattern } from './git-pattern.ts'
import type { CommitRecord } from '../../kernel/checkpoint.ts'
import type { ToolOutcome } from '../../kernel/event.ts'
import { judgeSegments } from '../../kernel/shell/command-chain.ts'
import { clip, withoutAnsi } from '../../kernel/text/text.ts'
import { type FinishedRun, hasRun } from './checks.ts'

const MAX_COMMITS = 30

const SUBJECT_CHARS = 160
const COMMITS = gitPattern(String.raw`(?:commit|cherry-pick|revert)(?:\s|$)`)
const AMENDS = gitPattern(String.raw`commit\b.*\s--amend\b`, 's')
const PUSHES = gitPattern(String.raw`push(?:\s|$)`)
const REBASES = gitPattern(String.raw`rebase(?! --(?:abort|quit))(?:\s|$)`)
const UNDOES = gitPattern(String.raw`reset\b.*\bHEAD(?:~(\d*)|\^)`)
/** `[main 1a2b3c4] Subject`, `[main (root-commit) 1a2b3c4] Subject`. */
const MADE = /^\[[^\]]*?\s?([0-9a-f]{7,40})\] (.+)$/gm
const MESSAGE = /\s(?:-\w*m|--message)[= ]?\s*(?:"([^"$`]+)"|'([^']+)')/
const HERE_DOCUMENT = /\s-\w*m\s+"\$\(cat <<-?\s*['"]?(\w+)['"]?\n([\s\S]*?)\n\s*\1\s*\n?\s*\)/
const PUSHED = /^\s*(?:[*+ -]?\s*\S+\.\.\.?\S+\s+|\* \[new (?:branch|tag)\]\s+)\S+ -> \S+/m
const NOT_PUSHED = /\[(?:remote )?rejected\]|^error: failed to push|^fatal: |\[dry.run\]/im
const NOTHING_TO_COMMIT = /nothing (?:added )?to commit|no changes added to commit/

function subjectOf(text: string | undefined): string | undefined {
  const subject = text?.trim().split('\n')[0]?.trim()
  return subject === undefined || subject === '' ? undefined : clip(subject, SUBJECT_CHARS)
}

/** What git printed, or what a quiet commit was given. */
function readCommits(
  command: string,
  { output = '' }: ToolOutcome,
  isSure: boolean,
): readonly Omit<CommitRecord, 'order'>[] {
  const printed = [...withoutAnsi(output).matchAll(MADE)].map(([, hash, subject]) => ({
    subject: subjectOf(subject) ?? '',
    hash,
  }))
  if (printed.length > 0)
    return printed.map(({ subject, hash }) => ({ subject, ...(hash === undefined ? {} : { hash }) }))
  if (!isSure || NOTHING_TO_COMMIT.test(output)) return []
  const given = MESSAGE.exec(command)
  const subject = subjectOf(HERE_DOCUMENT.exec(command)?.[2] ?? given?.[1] ?? given?.[2])
  return subject === undefined ? [] : [{ subject }]
}

/** Git ends with a failure, although everything is committed. */
export function isNothingToCommit(part: string, output: string): boolean {
  return COMMITS.test(part) && NOTHING_TO_COMMIT.test(output)
}

/** `git push | tail` succeeds even if the push was refused. */
export function isPushRefused(part: string, output: string): boolean {
  return PUSHES.test(part) && /\[(?:remote )?rejected\]|^error: failed to push/m.test(output)
}

/** A command that makes or enters a repository of its own, such as one for a trial. */
export const ELSEWHERE = /^git init\b|^(?:cd|pushd) (?:\/private)?\/tmp(?:\/|$)|^(?:cd|pushd) "?\$\(mktemp/

export interface CommitState {
  readonly commits: readonly CommitRecord[]
  readonly lastPushOrder?: number
}

/** The commits that the session made, by git's own line, and whether a push followed. */
export function withCommits(known: CommitState, run: FinishedRun, order: number): CommitState {
  const { tool, outcome } = run
  const command = tool.command ?? ''
  if (!/\bgit\b/.test(command) || !hasRun(run)) return known
  const output = outcome.output ?? ''
  const segments = judgeSegments(command, outcome.ok, output)
  if (segments.some(({ text }) => ELSEWHERE.test(text))) return known
  const isDone = (pattern: RegExp) => segments.some(({ text, status }) => pattern.test(text) && status === 'passed')
  let { commits } = known
  const undone = segments.flatMap(({ text, status }) => (status === 'failed' ? [] : (UNDOES.exec(text) ?? [])))
  if (undone.length > 0 && outcome.ok)
    commits = commits.slice(0, Math.max(0, commits.length - (Number(undone[1]) || 1)))
  if (segments.some(({ text }) => COMMITS.test(text))) {
    const made = readCommits(command, outcome, isDone(COMMITS)).map((commit) => ({ ...commit, order }))
    const isAmended = segments.some(({ text }) => AMENDS.test(text)) && made.length > 0
    commits = [...(isAmended ? commits.slice(0, -1) : commits), ...made].slice(-MAX_COMMITS)
  }
  // A rebase makes other commits of them.
  if (isDone(REBASES)) commits = commits.map(({ hash: _hash, isPushed: _isPushed, ...commit }) => commit)
  const isPushed =
    segments.some(({ text }) => PUSHES.test(text)) &&
    !NOT_PUSHED.test(output) &&
    (isDone(PUSHES) || PUSHED.test(withoutAnsi(output)) || /^Everything up-to-date/m.test(output))
  return isPushed
    ? { commits: commits.map((commit) => ({ ...commit, isPushed })), lastPushOrder: order }
    : { ...known, commits }
}
