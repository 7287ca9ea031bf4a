import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { findSources, IMPORTABLE } from '../../../transfer/import/io/find-sources.ts'
import { importSources, type Outcome } from '../../../transfer/import/io/import-sources.ts'
import { isSet, textOption } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { count, oneLine, printJson, printLine } from '../../shared/output.ts'
import { createProgress } from '../../shared/progress.ts'
import { setupWorldOf } from '../../setup/setup-ports.ts'

/** What is said of one, and of several. */
const TOLD: readonly (readonly [Outcome, string, string])[] = [
  ['unchanged', 'was imported before', 'were imported before'],
  ['known', 'is known from its hooks', 'are known from their hooks'],
  [
    'in-use',
    'was written to just now and may be in use; run this again later',
    'were written to just now and may be in use; run this again later',
  ],
  ['empty', 'tells of no work', 'tell of no work'],
  [
    'off',
    'belongs to a project in which checkpoints are switched off',
    'belong to projects in which checkpoints are switched off',
  ],
  ['unfinished', 'was not read to its end', 'were not read to their end'],
]

const SHOWN_FAILURES = 10

function harnessesOf(named: string | undefined) {
  if (named === undefined) return IMPORTABLE
  const harness = IMPORTABLE.find((known) => known === named)
  if (harness !== undefined) return [harness]
  throw new HoldfastError(
    'invalid-input',
    `Transcripts of ${JSON.stringify(named.slice(0, 100))} cannot be imported.`,
    {
      hint: `Known: ${IMPORTABLE.join(', ')}.`,
    },
  )
}

interface Failed {
  readonly path: string
  readonly reason: string
  /** Events of it that were kept before it failed. */
  readonly kept?: number
}

const GOES_ON = 'run the command again: it goes on where it was, and what is kept is not kept twice.'

/** The daemon's own words, and that nothing was in vain. */
function withWayOn({ code, message, hint = '' }: HoldfastError): HoldfastError {
  return new HoldfastError(code, message, { hint: `What was kept stays; ${GOES_ON} ${hint}`.trim() })
}

export const importCommand: CliCommand = {
  name: 'import',
  summary: 'read the transcripts that harnesses left on this disk, so that the past is known',
  configure(command) {
    command
      .option('--harness <id>', `only this harness: ${IMPORTABLE.join(', ')}`)
      .option('--from <path>', "transcripts in this folder, or this one file, instead of the harnesses' own")
      .addHelpText(
        'after',
        '\nNothing is changed in what is read; secrets are taken out before anything is kept. Killed half-way, it goes on\nwhere it was when run again; what was imported before is passed over. Files ending in .gz are unpacked on the way.\n\nExamples:\n  $ holdfast import\n  $ holdfast import --harness codex --from /backup/codex/sessions',
      )
  },
  async run({ options, context }) {
    const { io } = context
    const named = textOption(options, 'harness')
    const harnesses = harnessesOf(named)
    const from = textOption(options, 'from')
    if (from !== undefined && !existsSync(resolve(context.cwd, from)))
      throw new HoldfastError('not-found', `There is nothing at ${resolve(context.cwd, from)}.`, {
        hint: 'Give the folder that holds the transcripts, or one of them.',
      })
    const search = { harnesses, isNamed: named !== undefined, ...(from === undefined ? {} : { from }) }
    const { sources, foreign, unreadable } = await findSources(search, setupWorldOf(context))
    const progress = createProgress(io, 'importing')
    const { results, stopped } = await importSources(sources, {
      keeper: await context.continuity(),
      now: Date.now,
      onDone: (done, total) => progress.show(done, total),
    }).finally(() => progress.end())
    const failed: readonly Failed[] = [
      ...unreadable,
      ...results.flatMap(({ source, outcome, reason = '', events: kept }) =>
        outcome === 'failed' ? [{ path: source.path, reason, ...(kept > 0 ? { kept } : {}) }] : [],
      ),
    ]
    const error = stopped === undefined ? undefined : withWayOn(stopped)
    const events = results.reduce((sum, result) => sum + result.events, 0)
    const amount = (outcome: Outcome) => results.filter((result) => result.outcome === outcome).length
    if (isSet(options, 'json')) {
      printJson(io, {
        found: sources.length,
        imported: amount('imported'),
        ...Object.fromEntries(TOLD.map(([outcome]) => [outcome, amount(outcome)])),
        failed,
        foreign,
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
    if (results.length === 0 && foreign.length === 0 && failed.length === 0) {
      printLine(io, `No transcripts of ${harnesses.join(', ')} are here.`)
      return 0
    }
    printLine(io, `Imported ${count(amount('imported'), 'session')} with ${count(events, 'event')}.`)
    for (const [outcome, one, several] of TOLD)
      if (amount(outcome) > 0) printLine(io, `  ${amount(outcome)} ${amount(outcome) === 1 ? one : several}`)
    if (foreign.length > 0) printLine(io, `  ${count(foreign.length, 'file')} there that no reader knows`)
    if (sources.length > results.length)
      printLine(io, `  ${count(sources.length - results.length, 'transcript')} not looked at yet`)
    for (const { path, reason, kept } of failed.slice(0, SHOWN_FAILURES)) {
      const part = kept === undefined ? '' : ` (${count(kept, 'event')} before that kept)`
      io.err(`  ${oneLine(path, 160)}: ${oneLine(reason, 160)}${part}\n`)
    }
    if (failed.length > SHOWN_FAILURES)
      io.err(`  … and ${failed.length - SHOWN_FAILURES} more; \`--json\` names them\n`)
    if (error !== undefined) throw error
    if (failed.length > 0)
      io.err(`${count(failed.length, 'place')} could not be read. Once that is mended, ${GOES_ON}\n`)
    return failed.length === 0 ? 0 : 1
  },
}
