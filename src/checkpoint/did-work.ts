import type { Checkpoint } from '../kernel/checkpoint.ts'
import { isSubstantiveRequest } from '../kernel/text/text.ts'

/** False for a checkpoint that only records a passed gate. */
export function hasContent({ work, written, recentRemembers }: Checkpoint): boolean {
  const lists = [work.asks, work.statements, work.decisions, work.errors, work.todos, work.commands, recentRemembers]
  return written !== undefined || work.files.some(isTouched) || lists.some(({ length }) => length > 0)
}

function isTouched({ reads, edits }: Checkpoint['work']['files'][number]): boolean {
  return reads + edits > 0
}

/** Reading the repository's state, as for a commit message, is not work. */
function hasToolWork({ work }: Checkpoint): boolean {
  return work.files.some(isTouched) || work.commands.some(({ purpose }) => purpose !== 'vcs')
}

/** One question and its answer, as from a script's `claude -p`. */
function isAnsweredOnce({ promptCount, waitOrContinue }: Checkpoint): boolean {
  return promptCount <= 1 && waitOrContinue === 'wait'
}

/** A note that a person saved from a terminal: it belongs to the work before it. */
export function isNoteOnly(checkpoint: Checkpoint): boolean {
  return checkpoint.written !== undefined && checkpoint.promptCount === 0 && !hasToolWork(checkpoint)
}

/** The agent died before it said a word: the request is still open. */
function isUnheard({ trigger, work }: Checkpoint): boolean {
  return trigger === 'interrupted' && work.dialogue?.some(({ speaker }) => speaker === 'agent') !== true
}

/**
 * Whether its session did work that a later session may continue: it changed files, had a todo list, wrote a note, used tools
 * for a request that says what for, or died with such a request. A question that was answered, "go on", and a commit of other
 * work are none.
 */
export function didWork(checkpoint: Checkpoint): boolean {
  const { work, written } = checkpoint
  if (isNoteOnly(checkpoint)) return false
  if (written !== undefined || work.todos.length > 0) return true
  if (work.files.some(({ edits, action }) => edits > 0 || action === 'deleted')) return true
  const hasPurpose = work.asks.some(({ text }) => isSubstantiveRequest(text))
  return hasPurpose && (isUnheard(checkpoint) || (hasToolWork(checkpoint) && !isAnsweredOnce(checkpoint)))
}
