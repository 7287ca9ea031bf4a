import { HoldfastError } from '../kernel/errors.ts'
import { homeOf, isRelativeHome } from '../platform/base/home.ts'
import type { Invocation } from './program.ts'
import type { CliCommand, ExitCode } from './shared/command.ts'
import { type CommandEntry, FAMILIES } from './command-table.ts'
import type { Surroundings } from './context.ts'
import { reportFailure } from './shared/failure.ts'
import { harmlessIo } from './shared/output.ts'
import { createProgram, findEntry } from './program.ts'

async function loadTyped(words: readonly string[]): Promise<ReadonlyMap<CommandEntry, CliCommand>> {
  const entry = findEntry(words)
  return new Map(entry === undefined ? [] : [[entry, await entry.load()]])
}

/** `help` and no words at all are ways to ask for `--help`. */
function asOptions(words: readonly string[]): readonly string[] {
  if (words.length === 0) return ['--help']
  if (words[0] !== 'help') return words
  const [first, ...rest] = words.slice(1)
  // Commander would show everything for a word that it does not know, as if that were the answer.
  const isUnknown = first !== undefined && !first.startsWith('-') && !isKnown(first)
  return isUnknown ? [first] : [...(first === undefined ? [] : [first]), ...rest, '--help']
}

function isKnown(word: string): boolean {
  return FAMILIES[word] !== undefined || findEntry([word]) !== undefined
}

/** Words after a bare `--` are the user's own. */
export function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end === -1 ? words : words.slice(0, end)).includes('--json')
}

/** As far as the words name one of ours. */
function typedCommand(words: readonly string[]): { readonly command?: string; readonly unknownWord?: string } {
  const entry = findEntry(words)
  const [family = '', word] = words.filter((typed) => !typed.startsWith('-'))
  if (entry?.isDefault !== true || word === undefined || entry.name === `${family} ${word}`)
    return { command: entry?.name }
  return { command: family, unknownWord: `Unknown command '${family} ${word}'.` }
}

function refuseRelativeHome({ HOLDFAST_HOME: given = '' }: NodeJS.ProcessEnv): never {
  throw new HoldfastError(
    'invalid-input',
    `HOLDFAST_HOME is ${JSON.stringify(given)}, which is not an absolute path.`,
    {
      hint: 'Give it from the root on, such as `HOLDFAST_HOME="$HOME/.holdfast"`: a relative one would be another home in every folder. Hooks ignore it.',
    },
  )
}

function holdsLines(value: unknown): boolean {
  // The first line of a key may be an option, and the others of its lines other options.
  if (typeof value === 'string') return value.includes('\n') || value.includes('\\n') || value.includes('PRIVATE KEY')
  return Array.isArray(value) && (value.length > 1 || value.some(holdsLines))
}

/** What was typed, as a whole: a command takes texts apart before it sends or writes them. */
async function withoutSecrets({ entry, args, options }: Invocation): Promise<Pick<Invocation, 'args' | 'options'>> {
  const given = { ...options, args }
  // Hardly anybody types lines, and loading the engine takes longer than many commands.
  if (!Object.values(given).some(holdsLines)) return { args, options }
  const { redactInput } = await import('../redaction/redact-input.ts')
  const { args: cleanArgs, ...cleanOptions } = redactInput(given, entry.redactedLater)
  return { args: cleanArgs, options: cleanOptions }
}

/** The command line from its words to its exit code. Never throws. */
export async function runCli(typed: readonly string[], given: Surroundings): Promise<ExitCode> {
  const { env } = given
  const io = harmlessIo(given.io)
  const surroundings = { ...given, io }
  const words = asOptions(typed)
  const asJson = wantsJson(words)
  let exitCode: ExitCode = 0
  try {
    if (isRelativeHome(env)) refuseRelativeHome(env)
    const loaded = await loadTyped(words)
    const program = createProgram({
      loaded,
      io,
      onInvoke: async (invocation) => {
        const { entry } = invocation
        const command = loaded.get(entry) ?? (await entry.load())
        // Not loaded for help and usage errors: reading the configuration brings its schemas along.
        const { createContext } = await import('./context.ts')
        // A question would be a second thing on stdout, beside the one document that was asked for.
        const asked = asJson ? { ...surroundings, io: { ...io, isInteractive: false } } : surroundings
        const clean = await withoutSecrets(invocation)
        exitCode = await command.run({ ...clean, context: createContext(asked) })
      },
    })
    await program.parseAsync([...words], { from: 'user' })
    return exitCode
  } catch (thrown) {
    const door = { io, home: homeOf(env), asJson, showStack: Boolean(env.HOLDFAST_DEBUG) }
    // A failure names the value in question, which may be a key that was pasted in the wrong place.
    const { redactOutput } = await import('../redaction/redact-input.ts')
    return reportFailure(thrown, { ...door, ...typedCommand(words), redact: redactOutput })
  }
}
