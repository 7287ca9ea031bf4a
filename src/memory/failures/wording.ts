import { formatAge } from '../../kernel/text/text.ts'
import type { Memory, RepeatedFailure } from '../../kernel/memory.ts'
import { clip } from '../../kernel/text/text.ts'
import type { CompactionCycle } from './attempts.ts'
import type { Loop } from './command-loop.ts'
import { listNames } from './undo.ts'

const COMMAND_CHARS = 120
const ERROR_CHARS = 180
const LINE_CHARS = 560

type FailureFacts = Pick<
  RepeatedFailure,
  'kind' | 'command' | 'seqs' | 'failures' | 'exitStatus' | 'error' | 'files' | 'undone'
>

function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`
}

function describeError({ exitStatus, error }: Pick<FailureFacts, 'exitStatus' | 'error'>): string {
  const status = exitStatus === undefined ? '' : ` (exit ${exitStatus})`
  return error === undefined ? status : `${status}: ${clip(error.replace(/\.$/, ''), ERROR_CHARS)}`
}

function summarizeFailure(finding: FailureFacts): string {
  const command = `\`${clip(finding.command, COMMAND_CHARS)}\``
  const how = describeError(finding)
  const { kind, files, failures, undone } = finding
  switch (kind) {
    case 'revert': {
      const end = undone?.helped === true ? ', and without them it succeeded' : ''
      return `edits to ${listNames(files)} were taken back (${undone?.how ?? 'undone'}) after ${command} failed${how}${end}`
    }
    case 'red-red':
      return `editing ${listNames(files)} did not help ${command}: it failed ${times(failures)} in a row the same way${how}`
    case 'retry-burst': {
      if (failures === 1) return `${command} failed again${how}`
      const edited =
        files.length === 0 ? ', with nothing edited in between' : `, also after editing ${listNames(files)}`
      return `${command} failed ${times(failures)} in a row the same way${edited}${how}`
    }
    case 'recurring-error':
      return `the same error came ${times(failures)}, last from ${command}${how}`
  }
}

/** The content of the stored memory. */
export function describeFailure(finding: FailureFacts): string {
  const seqs = finding.seqs.join(', ')
  return `Tried, failed: ${summarizeFailure(finding)}. Seen in ${finding.seqs.length === 1 ? 'event' : 'events'} ${seqs}.`
}

/** The content of the lesson when the command succeeds in a later session. */
export function describeResolved(finding: FailureFacts, files: readonly string[]): string {
  return `\`${clip(finding.command, COMMAND_CHARS)}\` succeeds again after edits to ${listNames(files)}. Before that: ${summarizeFailure(finding)}.`
}

export const TRIED_BEFORE_HEADING = `## This was tried before and failed
This was observed here, in an earlier session or before this one was compacted; it may have changed since. Unless something is different now, running it again will fail again: fix the error first, or tell the user what blocks you.`

const COMMIT_CHARS = 9

/** Other code may give another result. Empty when either commit is unknown. */
function describeMove(then: string | undefined, now: string | undefined): string {
  if (then === undefined || now === undefined || then === now) return ''
  return `, at ${then.slice(0, COMMIT_CHARS)}; HEAD has moved to ${now.slice(0, COMMIT_CHARS)} since, so it may succeed now`
}

export interface WarningContext {
  readonly now: string
  /** The commit that is checked out where the command is about to run. */
  readonly head?: string
}

/** One line before a command: what failed, when, at which commit, and in how many sessions. */
export function renderTriedBefore({ content, createdAt, evidence }: Memory, { now, head }: WarningContext): string {
  const sessions = evidence?.sessions.length ?? 1
  const again =
    sessions > 1 ? ` ${sessions} sessions failed here one after the other: ask the user before a further try.` : ''
  const when = `${formatAge(createdAt, now)}${describeMove(evidence?.head, head)}`
  return clip(`(${when}) ${content}${again}`, LINE_CHARS)
}

export const LOOP_HEADING = `## The same thing keeps failing the same way
Nothing that was tried in between made a difference. Do not run it again unchanged: read the whole error, check your assumptions, change something else, or tell the user what blocks you.`

export function describeLoop({ attempt }: Loop): string {
  const { command, failures, alike, repeated } = attempt
  const last = failures.at(-1)
  const seqs = failures.slice(-alike).map(({ seq }) => seq)
  const files = [
    ...new Set(
      failures
        .slice(-alike)
        .slice(1)
        .flatMap(({ edited }) => edited),
    ),
  ]
  const edited = files.length === 0 ? ' with nothing edited in between' : `, also after editing ${listNames(files)}`
  const how = describeError({ exitStatus: last?.exitStatus, error: last?.error })
  const count = Math.max(alike, repeated)
  return `\`${clip(command, COMMAND_CHARS)}\` failed ${times(count)} in a row in this session${edited}${how}. Events ${seqs.join(', ')}.`
}

export const COMPACTION_LOOP_HEADING = '## This session loops'

/** For the agent and the user. */
export function describeCompactionLoop({ idle, seqs }: CompactionCycle, isShorter: boolean): string {
  const shorter = isShorter ? ' The recovery below is shorter for that reason.' : ''
  return `The context was compacted ${times(idle + 1)} with nothing new in between: the same was read again, nothing was edited, the user said nothing (compactions at events ${seqs.join(', ')}).${shorter} Do not read everything again: take one small step, write down where you are, or ask the user to split the task or to start a new session.`
}

/** For the agent, when there is little room. */
export function describeCompactionLoopShort({ idle }: CompactionCycle): string {
  return `Compacted ${times(idle + 1)} with nothing new in between: take one small step, or ask the user.`
}
