import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { createRedactors } from '../../../platform/env-secrets.ts'
import { localFiles } from '../../../platform/files/files.ts'
import { createGit } from '../../../platform/git/git.ts'
import { createPlaces } from '../../../platform/places.ts'
import { guessHarness } from '../../../transfer/import/io/guess-harness.ts'
import { readTranscriptFile } from '../../../harness/transcript-file.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { oneLine, printJson, printLine } from '../../shared/output.ts'
import { recoverTranscript } from './recover-transcript.ts'

/** Where a file does not show whose it is. */
const DEFAULT_HARNESS = 'claude-code'
const MAX_CHARS = 2_000

/** An empty file is a session that has not begun. */
async function refuseUnknown(path: string): Promise<void> {
  if ((await stat(path)).size === 0) return
  throw new HoldfastError('unsupported', `${path} is no transcript that Holdfast knows.`, {
    hint: path.endsWith('.gz')
      ? 'Unpack it first; `holdfast import --from` reads packed ones as they are.'
      : '`--harness <id>` says whose it is, where the file does not show it.',
  })
}

export const recoverCommand: CliCommand = {
  name: 'recover',
  summary: 'what a session after this transcript would be told; needs no daemon',
  configure(command) {
    command
      .argument('<file>', 'a transcript file, also of a session from before Holdfast was installed')
      .option('--harness <id>', 'whose transcript it is; seen from the file unless given')
      .option('--budget <chars>', `at most this many characters (default ${MAX_CHARS})`, wholeNumber(200, 20_000))
      .option('--explain', 'also say why each piece was chosen')
  },
  async run({ args: [file = ''], options, context }) {
    const { io, config } = context
    const path = resolve(context.cwd, file)
    const budget = numberOption(options, 'budget') ?? Math.min(MAX_CHARS, config.continuity.recoveryBudgetChars)
    const known = textOption(options, 'harness') ?? (path.endsWith('.gz') ? undefined : await guessHarness(path))
    const harness = known ?? DEFAULT_HARNESS
    const transcript = await readTranscriptFile(path, harness)
    const recovery = await recoverTranscript(
      transcript,
      // One less: the line end that is printed after it counts too.
      { budgetChars: budget - 1 },
      {
        files: localFiles,
        git: createGit(),
        places: createPlaces({ clock: systemClock }),
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
      io.err(`${path}, read as a transcript of ${harness}, tells of no work, so there is nothing to recover.\n`)
      return 0
    }
    printLine(io, recovery.text)
    if (isSet(options, 'explain')) {
      for (const { line, origin, reason, verdict } of recovery.reasons) {
        const checked = verdict === undefined ? '' : ` [${verdict}]`
        printLine(io, `  ${oneLine(line, 100)}\n      ${oneLine(`${origin}: ${reason}${checked}`, 120)}`)
      }
    }
    return 0
  },
}
