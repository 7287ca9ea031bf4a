import { ageOf } from '../../kernel/text/age.ts'
import type { Memory, Finding } from '../../kernel/memory.ts'
import { clip } from '../../kernel/text/text.ts'
import type { Round } from './attempts.ts'
import type { Loop } from './loops.ts'
import { namesOf } from './undo.ts'

const COMMAND_CHARS = 120
const ERROR_CHARS = 180
const LINE_CHARS = 560

type Told = Pick<Finding, 'kind' | 'command' | 'seqs' | 'failures' | 'exitStatus' | 'error' | 'files' | 'undone'>

function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`
}

function failedHow({ exitStatus, error }: Pick<Told, 'exitStatus' | 'error'>): string {
  const status = exitStatus === undefined ? '' : ` (exit ${exitStatus})`
  // The sentence that it stands in ends by itself.
  return error === undefined ? status : `${status}: ${clip(error.replace(/\.$/, ''), ERROR_CHARS)}`
}

/** What was tried and how it failed, in one sentence, as it was seen. */
function whatFailed(finding: Told): string {
  const command = `\`${clip(finding.command, COMMAND_CHARS)}\``
  const how = failedHow(finding)
  const { kind, files, failures, undone } = finding
  switch (kind) {
    case 'revert': {
      const end = undone?.helped === true ? ', and without them it went well' : ''
      return `edits to ${namesOf(files)} were taken back (${undone?.how ?? 'undone'}) after ${command} failed${how}${end}`
    }
    case 'red-red':
      return `editing ${namesOf(files)} did not help ${command}: it failed ${times(failures)} in a row the same way${how}`
    case 'retry-burst': {
      if (failures === 1) return `${command} failed again${how}`
      const edited = files.length === 0 ? ', with nothing edited in between' : `, also after editing ${namesOf(files)}`
      return `${command} failed ${times(failures)} in a row the same way${edited}${how}`
    }
    case 'recurring-error':
      return `the same error came ${times(failures)}, last from ${command}${how}`
  }
}

/** The content of the memory: found mechanically, so every part of it was observed. */
export function triedAndFailed(finding: Told): string {
  const seqs = finding.seqs.join(', ')
  return `Tried, failed: ${whatFailed(finding)}. Seen in ${finding.seqs.length === 1 ? 'event' : 'events'} ${seqs}.`
}

/** What became of it: the command went well, in another session than the one that gave up. */
export function wentWellAgain(finding: Told, files: readonly string[]): string {
  return `\`${clip(finding.command, COMMAND_CHARS)}\` goes well again after edits to ${namesOf(files)}. Before that: ${whatFailed(finding)}.`
}

export const TRIED_BEFORE = `## This was tried before and failed
What follows was seen here, in an earlier session or before this one was compacted; it may have changed since. Unless something is different now, running it again will fail again: deal with the error first, or tell the user what stands in the way.`

const COMMIT_CHARS = 9

/** The code is another one now, so the command may go otherwise. Where either commit is not known nothing is said. */
function movedSince(then: string | undefined, now: string | undefined): string {
  if (then === undefined || now === undefined || then === now) return ''
  return `, at ${then.slice(0, COMMIT_CHARS)}; HEAD has moved to ${now.slice(0, COMMIT_CHARS)} since, so it may go well by now`
}

export interface Telling {
  readonly now: string
  /** What is checked out where the command is about to run. */
  readonly head?: string
}

/** One line before a command: what was seen, how long ago, on which code, and whether several sessions ended there. */
export function triedBefore({ content, createdAt, evidence }: Memory, { now, head }: Telling): string {
  const sessions = evidence?.sessions.length ?? 1
  const again =
    sessions > 1 ? ` ${sessions} sessions failed here one after the other: ask the user before a further try.` : ''
  const when = `${ageOf(createdAt, now)}${movedSince(evidence?.head, head)}`
  return clip(`(${when}) ${content}${again}`, LINE_CHARS)
}

export const GOING_ROUND = `## The same thing keeps failing the same way
Nothing that was tried in between made a difference. Do not try it once more as it is: read the whole error, look at what you assumed, change something else, or tell the user what stands in the way.`

export function goingRound({ attempt }: Loop): string {
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
  const edited = files.length === 0 ? ' with nothing edited in between' : `, also after editing ${namesOf(files)}`
  const how = failedHow({ exitStatus: last?.exitStatus, error: last?.error })
  const count = Math.max(alike, repeated)
  return `\`${clip(command, COMMAND_CHARS)}\` failed ${times(count)} in a row in this session${edited}${how}. Events ${seqs.join(', ')}.`
}

export const COMPACTED_AGAIN = '## This session goes round'

/** For the agent and for its user, in the same words. */
export function compactedAgain({ idle, seqs }: Round, isShorter: boolean): string {
  const shorter = isShorter ? ' What is told below is shorter for that reason.' : ''
  return `The context was compacted ${times(idle + 1)} with nothing new in between: the same was read again, nothing was edited, nobody said anything (compactions at events ${seqs.join(', ')}).${shorter} Do not read everything again: take one small step, write down where you are, or ask the user to split the task or to start a new session.`
}

/** For the agent, where there is little room. */
export function compactedAgainInShort({ idle }: Round): string {
  return `Compacted ${times(idle + 1)} with nothing new in between: take one small step, or ask the user.`
}
