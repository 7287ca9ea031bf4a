import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { HoldfastError } from '../../core/errors.ts'
import { findSources, IMPORTABLE } from '../../import/find-sources.ts'
import { importSources, type Outcome } from '../../import/import-sources.ts'
import { isSet, textOption } from '../arguments.ts'
import type { CliCommand } from '../command.ts'
import { count, oneLine, printJson, printLine } from '../output.ts'
import { createProgress } from '../progress.ts'
import { setupWorldOf } from '../setup-world.ts'

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
    const results = await importSources(sources, {
      keeper: await context.continuity(),
      now: Date.now,
      onDone: (done, total) => progress.show(done, total),
    }).finally(() => progress.end())
    const failed = [
      ...unreadable,
      ...results.flatMap(({ source, outcome, reason = '' }) =>
        outcome === 'failed' ? [{ path: source.path, reason }] : [],
      ),
    ]
    const events = results.reduce((sum, result) => sum + result.events, 0)
    const amount = (outcome: Outcome) => results.filter((result) => result.outcome === outcome).length
    if (isSet(options, 'json')) {
      printJson(io, {
        found: results.length,
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
      })
      return failed.length === 0 ? 0 : 1
    }
    if (results.length === 0 && foreign.length === 0 && failed.length === 0) {
      printLine(io, `No transcripts of ${harnesses.join(', ')} are here.`)
      return 0
    }
    printLine(io, `Imported ${count(amount('imported'), 'session')} with ${count(events, 'event')}.`)
    for (const [outcome, one, several] of TOLD)
      if (amount(outcome) > 0) printLine(io, `  ${amount(outcome)} ${amount(outcome) === 1 ? one : several}`)
    if (foreign.length > 0) printLine(io, `  ${count(foreign.length, 'file')} there that no reader knows`)
    for (const { path, reason } of failed.slice(0, SHOWN_FAILURES))
      io.err(`  ${oneLine(path, 160)}: ${oneLine(reason, 160)}\n`)
    if (failed.length > SHOWN_FAILURES)
      io.err(`  … and ${failed.length - SHOWN_FAILURES} more; \`--json\` names them\n`)
    if (failed.length > 0) io.err(`${count(failed.length, 'place')} could not be read.\n`)
    return failed.length === 0 ? 0 : 1
  },
}
