import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { HoldfastError } from '../core/errors.ts'
import { type HarnessSetup, SCOPES, type Scope, type SetupWorld } from '../harness/setup.ts'
import { getSetup, setups } from '../harness/setups.ts'
import { isSet, textOption } from './arguments.ts'
import { builtFile } from './built-files.ts'
import type { CliContext, CommandInput } from './command.ts'

export function setupWorldOf({ env, cwd, home }: CliContext): SetupWorld {
  return {
    env,
    cwd,
    home,
    distDir: dirname(builtFile('hook.cjs')),
    platform: process.platform,
    nodePath: process.execPath,
  }
}

export function scopeOf(options: CommandInput['options']): Scope {
  const given = textOption(options, 'scope') ?? 'user'
  const scope = SCOPES.find((known) => known === given)
  if (scope !== undefined) return scope
  throw new HoldfastError('invalid-input', `There is no scope ${JSON.stringify(given)}.`, {
    hint: `It is one of ${SCOPES.join(', ')}.`,
  })
}

/** The harnesses that were named, or all that `isWanted`. Refuses when there are none. */
export function chosenSetups(
  options: CommandInput['options'],
  isWanted: (setup: HarnessSetup) => boolean,
): readonly HarnessSetup[] {
  const named = textOption(options, 'harness')
  if (named !== undefined && isSet(options, 'all'))
    throw new HoldfastError('invalid-input', '`--harness` and `--all` say different things.')
  if (named !== undefined) return [getSetup(named)]
  return setups.filter(isWanted)
}

/** Asks a person, and takes anything but yes for no. Refuses where nobody can be asked. */
export async function confirm({ io }: CliContext, question: string): Promise<boolean> {
  if (!io.isInteractive)
    throw new HoldfastError('invalid-input', 'Nobody can be asked here.', {
      hint: 'Say `--yes` to go ahead without a question.',
    })
  const lines = createInterface({ input: io.stdin, output: process.stdout })
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  } finally {
    lines.close()
  }
}
