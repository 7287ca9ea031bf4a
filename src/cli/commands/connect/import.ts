import { Option } from 'commander'
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { importableHarnesses } from '../../../harness/registry.ts'
import { findSources } from '../../../transfer/import/io/find-sources.ts'
import { importSources, type ImportOutcome } from '../../../transfer/import/io/import-sources.ts'
import { isRecordFile } from '../../../transfer/records/io/record-file.ts'
import { importRecordFile } from './import-record-file.ts'
import { findContextDb, runContextImport } from './import-context-db.ts'
import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliCommand, CliContext, ExitCode } from '../../shared/command.ts'
import { count, oneLine, printJson, printLine } from '../../shared/output.ts'
import { createLineProgress, createProgress } from '../../shared/progress.ts'
import { createSetupPorts } from '../../setup/setup-ports.ts'

/** The text for one transcript, and for several. */
const OUTCOME_TEXT: readonly (readonly [ImportOutcome, string, string])[] = [
  ['unchanged', 'was imported before', 'were imported before'],
  ['known', 'was recorded by hooks', 'were recorded by hooks'],
  [
    'in-use',
    'changed in the last 2 minutes and may be in use; import it later',
    'changed in the last 2 minutes and may be in use; import them later',
  ],
  ['empty', 'contains no work', 'contain no work'],
  ['off', 'belongs to a project where checkpoints are disabled', 'belong to projects where checkpoints are disabled'],
  ['unfinished', 'was not read completely', 'were not read completely'],
]

const SHOWN_FAILURES = 10

function parseHarness(named: string | undefined) {
  if (named === undefined) return importableHarnesses
  const harness = importableHarnesses.find((known) => known === named)
  if (harness !== undefined) return [harness]
  throw new HoldfastError(
    'invalid-input',
    `Transcripts of ${JSON.stringify(named.slice(0, 100))} cannot be imported.`,
    {
      hint: `Known: ${importableHarnesses.join(', ')}.`,
    },
  )
}

interface ImportFailure {
  readonly path: string
  readonly reason: string
  /** Events stored before the failure. */
  readonly kept?: number
}

const RESUME_HINT = 'run the command again: it continues where it stopped and stores nothing twice.'

/** Adds to the daemon's error that stored events remain and the import can continue. */
function addResumeHint({ code, message, hint = '' }: HoldfastError): HoldfastError {
  return new HoldfastError(code, message, { hint: `Stored events remain; ${RESUME_HINT} ${hint}`.trim() })
}

async function runRecordImport(
  path: string,
  context: CliContext,
  options: Parameters<typeof importRecordFile>[2],
): Promise<ExitCode> {
  if (!existsSync(path) || !statSync(path).isFile()) throw new HoldfastError('not-found', `${path} is not a file.`)
  if (!(await isRecordFile(path)))
    throw new HoldfastError('invalid-input', `${path} was not written by \`holdfast export\`.`, {
      hint: 'Import transcripts with `--from`, and a bundle with `holdfast handoff import`.',
    })
  return importRecordFile(path, context, options)
}

export const importCommand: CliCommand = {
  configure(command) {
    command
      .argument('[file]', 'a file that `holdfast export` wrote')
      .option('--harness <id>', `only this harness: ${importableHarnesses.join(', ')}`)
      .addOption(new Option('--progress', 'print the progress as lines on stderr').hideHelp())
      .option('--from <path>', "a folder or file to read instead of the harnesses' own transcript folders")
      .option('--accept-erasures', 'with a file: also apply the erasures of machines that are unknown here')
      .addHelpText(
        'after',
        '\nTranscripts are not changed, and secrets are removed before anything is stored.\nAn interrupted import continues where it stopped; imported transcripts are\nskipped. Files ending in .gz are unpacked.\n\nProjects, keywords, intents, summaries and entities of session-continuity-mcp\nare read from its context.db; CONTEXT_DB_PATH may give the path of that file.\n\nExamples:\n  $ holdfast import\n  $ holdfast import ~/holdfast-backup.jsonl\n  $ holdfast import --harness codex --from /backup/codex/sessions\n  $ holdfast import --from ~/session-continuity-mcp/context.db',
      )
  },
  async run({ args: [file], options, context }) {
    const { io } = context
    const acceptsErasures = isSet(options, 'acceptErasures')
    if (file !== undefined)
      return runRecordImport(resolve(context.cwd, file), context, { isJson: isSet(options, 'json'), acceptsErasures })
    if (acceptsErasures)
      throw new HoldfastError('invalid-input', '`--accept-erasures` needs a file that `holdfast export` wrote.')
    const named = textOption(options, 'harness')
    const harnesses = parseHarness(named)
    const from = textOption(options, 'from')
    if (from !== undefined && !existsSync(resolve(context.cwd, from)))
      throw new HoldfastError('not-found', `${resolve(context.cwd, from)} does not exist.`, {
        hint: 'Give a folder of transcripts, or one transcript file.',
      })
    const contextDb = findContextDb(from, context)
    const progress = isSet(options, 'progress') ? createLineProgress(io) : createProgress(io, 'importing')
    if (contextDb !== undefined)
      return runContextImport(contextDb, context, { isJson: isSet(options, 'json'), progress })
    const search = { harnesses, isNamed: named !== undefined, ...(from === undefined ? {} : { from }) }
    const { sources, foreign, notTranscripts, unreadable } = await findSources(search, createSetupPorts(context))
    const { results, stopped } = await importSources(sources, {
      store: await context.continuity(),
      now: Date.now,
      onDone: (done, total) => progress.show(done, total),
    }).finally(() => progress.end())
    const failed: readonly ImportFailure[] = [
      ...unreadable,
      ...results.flatMap(({ source, outcome, reason = '', events: kept }) =>
        outcome === 'failed' ? [{ path: source.path, reason, ...(kept > 0 ? { kept } : {}) }] : [],
      ),
    ]
    const error = stopped === undefined ? undefined : addResumeHint(stopped)
    const events = results.reduce((sum, result) => sum + result.events, 0)
    const amount = (outcome: ImportOutcome) => results.filter((result) => result.outcome === outcome).length
    if (isSet(options, 'json')) {
      printJson(io, {
        found: sources.length,
        imported: amount('imported'),
        ...Object.fromEntries(OUTCOME_TEXT.map(([outcome]) => [outcome, amount(outcome)])),
        failed,
        foreign,
        notTranscripts: notTranscripts.length,
        events,
        sessions: results.map(({ source, outcome, events: kept }) => ({
          harness: source.harness,
          path: source.path,
          ...(source.sessionId === undefined ? {} : { session: source.sessionId }),
          outcome,
          events: kept,
        })),
        ...(error === undefined ? {} : { error: { code: error.code, message: error.message, hint: error.hint } }),
      })
      return failed.length === 0 && error === undefined ? 0 : 1
    }
    const passedOver = `  ${count(notTranscripts.length, 'file')} skipped: not transcripts, by their names`
    if (results.length === 0 && foreign.length === 0 && failed.length === 0) {
      printLine(io, `No transcripts of ${harnesses.join(', ')} found.`)
      if (notTranscripts.length > 0) printLine(io, passedOver)
      return 0
    }
    printLine(io, `Imported ${count(amount('imported'), 'session')} with ${count(events, 'event')}.`)
    for (const [outcome, one, several] of OUTCOME_TEXT)
      if (amount(outcome) > 0) printLine(io, `  ${amount(outcome)} ${amount(outcome) === 1 ? one : several}`)
    if (foreign.length > 0) printLine(io, `  ${count(foreign.length, 'file')} of an unknown format`)
    if (notTranscripts.length > 0) printLine(io, passedOver)
    if (sources.length > results.length)
      printLine(io, `  ${count(sources.length - results.length, 'transcript')} not read yet`)
    for (const { path, reason, kept } of failed.slice(0, SHOWN_FAILURES)) {
      const part = kept === undefined ? '' : ` (${count(kept, 'event')} stored before that)`
      io.err(`  ${oneLine(path, 160)}: ${oneLine(reason, 160)}${part}\n`)
    }
    if (failed.length > SHOWN_FAILURES)
      io.err(`  … and ${failed.length - SHOWN_FAILURES} more; \`--json\` names them\n`)
    if (error !== undefined) throw error
    if (failed.length > 0)
      io.err(`${count(failed.length, 'file')} could not be read. Once that is fixed, ${RESUME_HINT}\n`)
    return failed.length === 0 ? 0 : 1
  },
}
