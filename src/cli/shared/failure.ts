import { CommanderError } from 'commander'
import { HoldfastError, getErrorMessage } from '../../kernel/errors.ts'
import { getErrorCode } from '../../platform/base/errno.ts'
import type { Home } from '../../platform/base/home.ts'
import type { CliIo, ExitCode } from './command.ts'
import { getColors, sanitize, printJson } from './output.ts'

/** The user left a question with Ctrl-C or Ctrl-D. */
export class QuestionAborted extends Error {
  override readonly name = 'QuestionLeft'
}

interface FailureReport {
  readonly exitCode: ExitCode
  readonly code: string
  readonly message: string
  readonly hint?: string
  /** Commander has already printed the help. */
  readonly isShown?: boolean
}

const PERMISSION = 'Check its owner and permissions.'
const ROOM = 'Free some disk space, then run the command again.'

/** Errors of the file system are reported with a hint, not as a defect in Holdfast. */
const HINT_BY_ERRNO: ReadonlyMap<string | undefined, string> = new Map([
  ['EACCES', PERMISSION],
  ['EPERM', PERMISSION],
  ['EROFS', 'That file system is read-only; use another path.'],
  ['ENOSPC', ROOM],
  ['EDQUOT', ROOM],
  ['EISDIR', 'It is a folder; give the path of a file.'],
  ['ENOTDIR', 'A part of the path is a file, not a folder; use another path.'],
  ['ENAMETOOLONG', 'Give a shorter path.'],
  ['ELOOP', 'The path contains a cycle of symbolic links.'],
])

/** Commander also throws to end `--help` and `--version`. */
function isHelpOrVersion(thrown: unknown): boolean {
  return thrown instanceof CommanderError && thrown.exitCode === 0
}

/** Turns Commander's message into sentences: it puts a suggestion in brackets on a second line. */
function toSentence(message: string): string {
  const text = message
    .replace(/^error: /, '')
    .replace(/\s*\n\((.*)\)$/, '. $1')
    .trim()
  const capitalised = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(capitalised) ? capitalised : `${capitalised}.`
}

const MAX_SUGGESTIONS = 4

function listCommands(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SUGGESTIONS).map((name) => `\`holdfast ${name}\``)
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`
}

function toFailure(thrown: unknown, { home, command, unknownWord, similar = [] }: FailureOutput): FailureReport {
  if (thrown instanceof CommanderError && thrown.code === 'commander.help') {
    return { exitCode: 2, code: 'invalid-input', message: 'A command is missing.', isShown: true }
  }
  if (thrown instanceof CommanderError) {
    const isUnknown = thrown.code === 'commander.excessArguments' || thrown.code === 'commander.unknownCommand'
    const meant = isUnknown && similar.length > 0 ? `Did you mean ${listCommands(similar)}? ` : ''
    return {
      exitCode: 2,
      code: 'invalid-input',
      message: (isUnknown ? unknownWord : undefined) ?? toSentence(thrown.message),
      hint: `${meant}Run \`holdfast ${command === undefined ? '' : `${command} `}--help\`.`,
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
  if (thrown instanceof QuestionAborted) return { exitCode: 1, code: 'conflict', message: thrown.message }
  const wayOut = HINT_BY_ERRNO.get(getErrorCode(thrown))
  if (wayOut !== undefined)
    return { exitCode: 1, code: 'forbidden', message: toSentence(getErrorMessage(thrown)), hint: wayOut }
  return {
    exitCode: 1,
    code: 'internal',
    message: toSentence(`unexpected: ${getErrorMessage(thrown)}`),
    hint: `This is a bug in Holdfast. Set HOLDFAST_DEBUG=1 for a stack trace; the daemon's log is ${home.daemonLog}. CONTRIBUTING.md explains how to report it.`,
  }
}

export interface FailureOutput {
  readonly io: CliIo
  readonly home: Home
  readonly asJson: boolean
  /** The command that was typed, if it is known. */
  readonly command?: string
  /** The message for an unknown second word: commander takes it for an argument of the family's default command. */
  readonly unknownWord?: string
  /** Commands that may have been meant by it. */
  readonly similar?: readonly string[]
  readonly showStack: boolean
  /** Absent when the message cannot contain user input. */
  readonly redact?: (text: string) => string
}

/** Prints a failure as text or JSON and returns the exit code. */
export function reportFailure(thrown: unknown, output: FailureOutput): ExitCode {
  const { io, asJson, showStack } = output
  if (isHelpOrVersion(thrown)) return 0
  const { redact = (text: string) => text } = output
  const { exitCode, code, isShown, ...texts } = toFailure(thrown, output)
  const message = redact(texts.message)
  const hint = texts.hint === undefined ? undefined : redact(texts.hint)
  if (asJson) {
    printJson(io, { error: { code, message, ...(hint !== undefined && { hint }) } })
  } else if (isShown !== true) {
    const colors = getColors(io)
    io.err(`${colors.red('holdfast:')} ${sanitize(message)}\n`)
    if (hint !== undefined) io.err(`${sanitize(hint)}\n`)
  }
  if (showStack && thrown instanceof Error) io.err(`${redact(formatStack(thrown))}\n`)
  return exitCode
}

function formatStack(error: Error): string {
  const own = error.stack ?? error.message
  return error.cause instanceof Error ? `${own}\nCaused by: ${formatStack(error.cause)}` : own
}
