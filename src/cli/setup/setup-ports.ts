import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { HoldfastError } from '../../kernel/errors.ts'
import { type HarnessSetup, SCOPES, type Scope, type SetupPorts } from '../../install/contract/setup.ts'
import { harnessIds } from '../../harness/descriptor/known-harnesses.ts'
import { findSetup, getSetup } from '../../harness/registry.ts'
import { isSet, listOption, textOption } from '../shared/arguments.ts'
import { builtFile } from '../shared/built-files.ts'
import type { CliContext, CommandInput } from '../shared/command.ts'
import { QuestionAborted } from '../shared/failure.ts'

export function createSetupPorts({ env, cwd, home }: CliContext): SetupPorts {
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

/** Undefined when no scope was given. */
export function parseScope(options: CommandInput['options']): Scope | undefined {
  const given = textOption(options, 'scope')
  if (given === undefined) return undefined
  const scope = SCOPES.find((known) => known === given)
  if (scope !== undefined) return scope
  throw new HoldfastError('invalid-input', `${JSON.stringify(given)} is not a scope.`, {
    hint: `Use one of ${SCOPES.join(', ')}.`,
  })
}

/** The harnesses given with `--harness`, without duplicates. */
export async function namedSetups(options: CommandInput['options']): Promise<readonly HarnessSetup[]> {
  const one = textOption(options, 'harness')
  const named = [...new Set([...(one === undefined ? [] : [one]), ...listOption(options, 'harness')])]
  if (named.length > 0 && isSet(options, 'all'))
    throw new HoldfastError('invalid-input', '`--harness` and `--all` cannot be combined.')
  return Promise.all(named.map(getSetup))
}

/** The named harnesses, or those with the given ids. */
export async function chooseSetups(
  options: CommandInput['options'],
  ids: ReadonlySet<string>,
): Promise<readonly HarnessSetup[]> {
  const named = await namedSetups(options)
  if (named.length > 0) return named
  const found = await Promise.all(harnessIds.filter((id) => ids.has(id)).map(findSetup))
  return found.filter((setup) => setup !== undefined)
}

/** Asks a question on the terminal. Throws when there is none. */
export async function ask({ io }: CliContext, question: string): Promise<string> {
  if (!io.isInteractive)
    throw new HoldfastError('invalid-input', 'No terminal for a question.', {
      hint: 'Use `--yes` to continue without a question.',
    })
  const lines = createInterface({ input: io.stdin, output: process.stdout })
  // When the input ends, some versions of Node never settle the question and others reject it with their own error.
  const aborted = new Promise<never>((_resolve, reject) => {
    lines.once('close', () => reject(new QuestionAborted('Cancelled at the question; nothing more was done.')))
  })
  try {
    const answer = await Promise.race([lines.question(question).catch(() => aborted), aborted])
    return answer.trim()
  } catch (thrown) {
    io.out('\n')
    throw thrown
  } finally {
    lines.close()
  }
}

/** Any answer other than `y` or `yes` means no. */
export async function confirm(context: CliContext, question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test(await ask(context, `${question} [y/N] `))
}

const MAX_TRIES = 5

/** Plans again when a running harness rewrote its files in the meantime. */
export function retryOnConflict<Result>(work: () => Result): Result {
  for (let tries = 1; ; tries += 1) {
    try {
      return work()
    } catch (thrown) {
      if (tries === MAX_TRIES || !(thrown instanceof HoldfastError) || thrown.code !== 'conflict') throw thrown
    }
  }
}
