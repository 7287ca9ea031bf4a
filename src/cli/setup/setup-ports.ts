import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { HoldfastError } from '../../kernel/errors.ts'
import { type HarnessSetup, SCOPES, type Scope, type SetupWorld } from '../../install/contract/setup.ts'
import { getSetup, setups } from '../../harness/setups.ts'
import { isSet, listOption, textOption } from '../shared/arguments.ts'
import { builtFile } from '../shared/built-files.ts'
import type { CliContext, CommandInput } from '../shared/command.ts'
import { QuestionLeft } from '../shared/failure.ts'

export function setupWorldOf({ env, cwd, home }: CliContext): SetupWorld {
  const distDir = dirname(builtFile('hook.cjs'))
  return {
    env,
    cwd,
    home,
    distDir,
    skillsDir: join(distDir, '..', 'skills'),
    platform: process.platform,
    nodePath: process.execPath,
  }
}

/** Undefined where none was named. */
export function scopeOf(options: CommandInput['options']): Scope | undefined {
  const given = textOption(options, 'scope')
  if (given === undefined) return undefined
  const scope = SCOPES.find((known) => known === given)
  if (scope !== undefined) return scope
  throw new HoldfastError('invalid-input', `There is no scope ${JSON.stringify(given)}.`, {
    hint: `It is one of ${SCOPES.join(', ')}.`,
  })
}

/** The harnesses that were named, each once; empty when none was. */
export function namedSetups(options: CommandInput['options']): readonly HarnessSetup[] {
  const one = textOption(options, 'harness')
  const named = [...new Set([...(one === undefined ? [] : [one]), ...listOption(options, 'harness')])]
  if (named.length > 0 && isSet(options, 'all'))
    throw new HoldfastError('invalid-input', '`--harness` and `--all` say different things.')
  return named.map(getSetup)
}

/** The harnesses that were named, or all that `isWanted`. */
export function chosenSetups(
  options: CommandInput['options'],
  isWanted: (setup: HarnessSetup) => boolean,
): readonly HarnessSetup[] {
  const named = namedSetups(options)
  return named.length > 0 ? named : setups.filter(isWanted)
}

/** Puts a question to a person. Refuses where nobody can be asked. */
export async function ask({ io }: CliContext, question: string): Promise<string> {
  if (!io.isInteractive)
    throw new HoldfastError('invalid-input', 'Nobody can be asked here.', {
      hint: 'Say `--yes` to go ahead without a question.',
    })
  const lines = createInterface({ input: io.stdin, output: process.stdout })
  // Some versions of Node leave the question open for ever when its input ends, others refuse it in their own words.
  const left = new Promise<never>((_resolve, reject) => {
    lines.once('close', () => reject(new QuestionLeft('Stopped at the question: nothing more was done.')))
  })
  try {
    const answer = await Promise.race([lines.question(question).catch(() => left), left])
    return answer.trim()
  } catch (thrown) {
    io.out('\n')
    throw thrown
  } finally {
    lines.close()
  }
}

/** Takes anything but yes for no. */
export async function confirm(context: CliContext, question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test(await ask(context, `${question} [y/N] `))
}

const MAX_TRIES = 5

/** A harness that runs may rewrite its files at any moment: then what was planned is planned anew. */
export function whenNobodyInterferes<Result>(work: () => Result): Result {
  for (let tries = 1; ; tries += 1) {
    try {
      return work()
    } catch (thrown) {
      if (tries === MAX_TRIES || !(thrown instanceof HoldfastError) || thrown.code !== 'conflict') throw thrown
    }
  }
}
