import { clip } from '../work/text.ts'
import type { Finding } from './findings.ts'
import { namesOf } from './undo.ts'

const COMMAND_CHARS = 120
const ERROR_CHARS = 180

type Told = Pick<Finding, 'kind' | 'command' | 'seqs' | 'failures' | 'exitStatus' | 'error' | 'files' | 'undone'>

function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`
}

function failedHow({ exitStatus, error }: Told): string {
  const status = exitStatus === undefined ? '' : ` (exit ${exitStatus})`
  return error === undefined ? status : `${status}: ${clip(error, ERROR_CHARS)}`
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
