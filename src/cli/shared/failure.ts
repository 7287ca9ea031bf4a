import { CommanderError } from 'commander'
import { HoldfastError, messageOf } from '../../kernel/errors.ts'
import { errnoOf } from '../../platform/base/errno.ts'
import type { Home } from '../../platform/base/home.ts'
import type { CliIo, ExitCode } from './command.ts'
import { colorsOf, harmless, printJson } from './output.ts'

/** A person went away from a question, by Ctrl-C or Ctrl-D. */
export class QuestionLeft extends Error {
  override readonly name = 'QuestionLeft'
}

interface Failure {
  readonly exitCode: ExitCode
  readonly code: string
  readonly message: string
  readonly hint?: string
  /** Commander has shown the help already. */
  readonly isTold?: boolean
}

const PERMISSION = 'Check who owns it, and who may read and write there.'
const ROOM = 'Make room on that disk, then run the command again.'

/** What a disk says no to is no defect of ours. */
const WAY_OUT: ReadonlyMap<string | undefined, string> = new Map([
  ['EACCES', PERMISSION],
  ['EPERM', PERMISSION],
  ['EROFS', 'That disk can only be read; name another place.'],
  ['ENOSPC', ROOM],
  ['EDQUOT', ROOM],
  ['EISDIR', 'It is a folder; give the path of a file.'],
  ['ENOTDIR', 'A file stands where a folder is needed; name another place.'],
  ['ENAMETOOLONG', 'Give a shorter path.'],
  ['ELOOP', 'The links on that way lead in a circle.'],
])

/** Commander ends these by throwing too, though nothing went wrong. */
function isNoFailure(thrown: unknown): boolean {
  return thrown instanceof CommanderError && thrown.exitCode === 0
}

/** Commander's own wording as a sentence: it puts a suggestion in brackets on a second line. */
function sentence(message: string): string {
  const text = message
    .replace(/^error: /, '')
    .replace(/\s*\n\((.*)\)$/, '. $1')
    .trim()
  const capitalised = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(capitalised) ? capitalised : `${capitalised}.`
}

function failureOf(thrown: unknown, { home, command, unknownWord }: FailureDoor): Failure {
  if (thrown instanceof CommanderError && thrown.code === 'commander.help') {
    return { exitCode: 2, code: 'invalid-input', message: 'A command is missing.', isTold: true }
  }
  if (thrown instanceof CommanderError) {
    const unknown = thrown.code === 'commander.excessArguments' ? unknownWord : undefined
    return {
      exitCode: 2,
      code: 'invalid-input',
      message: unknown ?? sentence(thrown.message),
      hint: `Run \`holdfast ${command === undefined ? '' : `${command} `}--help\`.`,
    }
  }
  if (thrown instanceof HoldfastError) {
    return {
      exitCode: thrown.code === 'invalid-input' ? 2 : 1,
      code: thrown.code,
      message: thrown.message,
      ...(thrown.hint !== undefined && { hint: thrown.hint }),
    }
  }
  if (thrown instanceof QuestionLeft) return { exitCode: 1, code: 'conflict', message: thrown.message }
  const wayOut = WAY_OUT.get(errnoOf(thrown))
  if (wayOut !== undefined)
    return { exitCode: 1, code: 'forbidden', message: sentence(messageOf(thrown)), hint: wayOut }
  return {
    exitCode: 1,
    code: 'internal',
    message: sentence(`unexpected: ${messageOf(thrown)}`),
    hint: `This is a defect in Holdfast, not in what you did. Set HOLDFAST_DEBUG=1 to see where it happened; the daemon's log is ${home.daemonLog}. CONTRIBUTING.md says how to report it.`,
  }
}

export interface FailureDoor {
  readonly io: CliIo
  readonly home: Home
  readonly asJson: boolean
  /** The one that was typed, as far as it is known. */
  readonly command?: string
  /** What to say of a second word that is no command of its family: commander takes it for an argument of the default one. */
  readonly unknownWord?: string
  readonly showStack: boolean
  /** Absent where nothing that somebody typed is said. */
  readonly redact?: (text: string) => string
}

/** Says what went wrong in the manner that was asked for, and with which code to exit. */
export function reportFailure(thrown: unknown, door: FailureDoor): ExitCode {
  const { io, asJson, showStack } = door
  if (isNoFailure(thrown)) return 0
  const { redact = (text: string) => text } = door
  const { exitCode, code, isTold, ...said } = failureOf(thrown, door)
  const message = redact(said.message)
  const hint = said.hint === undefined ? undefined : redact(said.hint)
  if (asJson) {
    printJson(io, { error: { code, message, ...(hint !== undefined && { hint }) } })
  } else if (isTold !== true) {
    const colors = colorsOf(io)
    io.err(`${colors.red('holdfast:')} ${harmless(message)}\n`)
    if (hint !== undefined) io.err(`${harmless(hint)}\n`)
  }
  if (showStack && thrown instanceof Error) io.err(`${redact(stackOf(thrown))}\n`)
  return exitCode
}

function stackOf(error: Error): string {
  const own = error.stack ?? error.message
  return error.cause instanceof Error ? `${own}\nCaused by: ${stackOf(error.cause)}` : own
}
