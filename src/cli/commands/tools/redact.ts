import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import type { Redactor } from '../../../kernel/ports/ports.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { createRedactors } from '../../../platform/redactors.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand, CliIo, ExitCode } from '../../shared/command.ts'
import { printJson, getRawIo } from '../../shared/output.ts'
import { createTextFilter } from './redact-text.ts'

export type JsonLineResult =
  | { readonly ok: true; readonly line: string }
  | { readonly ok: false; readonly reason: string }

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // Not JSON; the caller reports the line.
    return undefined
  }
}

/** Turns a line of `{id, text}` into a line of `{id, redacted}`. */
export function redactJsonLine(line: string, redactor: Redactor): JsonLineResult {
  const value = parseJson(line)
  if (typeof value !== 'object' || value === null) return { ok: false, reason: 'not a JSON object.' }
  if (!('id' in value) || (typeof value.id !== 'string' && typeof value.id !== 'number'))
    return { ok: false, reason: '"id" must be a string or a number.' }
  if (!('text' in value) || typeof value.text !== 'string') return { ok: false, reason: '"text" must be a string.' }
  return { ok: true, line: JSON.stringify({ id: value.id, redacted: redactor.redact(value.text) }) }
}

async function* decodeChunks(source: AsyncIterable<unknown>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of source) {
    yield typeof chunk === 'string' ? chunk : chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : ''
  }
  yield decoder.decode()
}

async function openText(path: string): Promise<AsyncIterable<unknown>> {
  try {
    return (await open(path)).createReadStream()
  } catch (cause) {
    throw new HoldfastError('not-found', `Cannot read ${path}: ${getErrorMessage(cause)}`, { cause })
  }
}

async function filterText(chunks: AsyncIterable<string>, redactor: Redactor, io: CliIo): Promise<ExitCode> {
  const filter = createTextFilter(redactor)
  for await (const chunk of chunks) {
    const ready = filter.push(chunk)
    if (ready !== '') getRawIo(io).out(ready)
  }
  getRawIo(io).out(filter.end())
  return 0
}

async function filterJsonLines(chunks: AsyncIterable<string>, redactor: Redactor, io: CliIo): Promise<ExitCode> {
  let exitCode: ExitCode = 0
  let number = 0
  let rest = ''
  const take = (line: string): void => {
    number += 1
    if (line.trim() === '') return
    const result = redactJsonLine(line, redactor)
    if (result.ok) getRawIo(io).out(`${result.line}\n`)
    else {
      exitCode = 1
      io.err(`Line ${number}: ${result.reason}\n`)
    }
  }
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(take)
  }
  if (rest !== '') take(rest)
  return exitCode
}

async function summarize(chunks: AsyncIterable<string>, redactor: Redactor, io: CliIo): Promise<ExitCode> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  printJson(io, { redacted: redactor.redact(text), findings: redactor.findings(text) })
  return 0
}

export const redactCommand: CliCommand = {
  configure(command) {
    command
      .argument('[file]', 'the text file (default: standard input)')
      .option('--jsonl', 'read lines of {"id", "text"}, write lines of {"id", "redacted"}')
      .addHelpText(
        'after',
        '\nExamples:\n  $ pbpaste | holdfast redact\n  $ holdfast redact server.log > shareable.log\n  $ holdfast redact --jsonl < texts.jsonl\n',
      )
  },
  async run({ args: [file], options, context }) {
    const { io, cwd, config } = context
    const redactors = createRedactors({ enabled: config.redaction.envFiles, clock: systemClock })
    const redactor = await redactors.forWorktree(cwd)
    const isStdin = file === undefined || file === '-'
    const chunks = decodeChunks(isStdin ? io.stdin : await openText(resolve(cwd, file)))
    if (isSet(options, 'jsonl')) return await filterJsonLines(chunks, redactor, io)
    return await (isSet(options, 'json') ? summarize : filterText)(chunks, redactor, io)
  },
}
