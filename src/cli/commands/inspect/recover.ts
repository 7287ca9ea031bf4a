import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { createRedactors } from '../../../platform/redactors.ts'
import { localFiles } from '../../../platform/files/files.ts'
import { createGit } from '../../../platform/git/git.ts'
import { createLocator } from '../../../platform/locator.ts'
import { guessHarness, withUnpacked } from '../../../transfer/import/io/find-sources.ts'
import { readTranscriptFile } from '../../../harness/transcripts.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { CHECKED_LINE, oneLine, printJson, printLine } from '../../shared/output.ts'
import { recoverTranscript } from './recover-transcript.ts'

/** Assumed when the file does not show its harness. */
const DEFAULT_HARNESS = 'claude-code'
const MAX_CHARS = 2_000

/** An empty file is a session without events, not an unknown format. */
async function refuseUnknown(path: string): Promise<void> {
  if ((await stat(path)).size === 0) return
  throw new HoldfastError('unsupported', `${path} is not a transcript that Holdfast can read.`, {
    hint: 'Name its harness with `--harness <id>`.',
  })
}

export const recoverCommand: CliCommand = {
  configure(command) {
    command
      .argument('<file>', 'a transcript file of any session')
      .option('--harness <id>', 'the harness that wrote it (default: detected)')
      .option('--budget <chars>', `at most this many characters (default ${MAX_CHARS})`, wholeNumber(200, 20_000))
      .option('--explain', 'also print why each line was chosen')
  },
  async run({ args: [file = ''], options, context }) {
    const { io, config } = context
    const path = resolve(context.cwd, file)
    const budget = numberOption(options, 'budget') ?? Math.min(MAX_CHARS, config.continuity.recoveryBudgetChars)
    const { known, harness, transcript } = await withUnpacked(path, context.home, async (plain) => {
      const named = textOption(options, 'harness') ?? (await guessHarness(plain))
      const reader = named ?? DEFAULT_HARNESS
      return { known: named, harness: reader, transcript: await readTranscriptFile(plain, reader) }
    })
    const recovery = await recoverTranscript(
      transcript,
      // One less for the newline printed after it.
      { budgetChars: budget - 1 },
      {
        files: localFiles,
        git: createGit(),
        locator: createLocator({ clock: systemClock }),
        redactor: await createRedactors({ clock: systemClock, enabled: config.redaction.envFiles }).forWorktree(
          transcript.cwd,
        ),
      },
    )
    if (known === undefined && (recovery === undefined || recovery.text === '')) await refuseUnknown(path)
    if (isSet(options, 'json')) {
      printJson(io, {
        text: recovery?.text ?? '',
        reasons: recovery?.reasons ?? [],
        isChecked: recovery?.isChecked ?? false,
      })
      return 0
    }
    if (recovery === undefined || recovery.text === '') {
      io.err(`${path}, read as a transcript of ${harness}, contains no work to recover.\n`)
      return 0
    }
    printLine(io, recovery.text)
    if (isSet(options, 'explain')) {
      for (const { line, origin, reason, verdict } of recovery.reasons) {
        const checked = verdict === undefined ? '' : ` [${CHECKED_LINE[verdict]}]`
        printLine(io, `  ${oneLine(line, 100)}\n      ${oneLine(`${origin}: ${reason}${checked}`, 120)}`)
      }
    }
    return 0
  },
}
