import { homeOf } from '../platform/home.ts'
import type { CliCommand, ExitCode } from './command.ts'
import { type CommandEntry, FAMILIES } from './command-table.ts'
import type { Surroundings } from './context.ts'
import { reportFailure } from './failure.ts'
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

/** The command line from its words to its exit code. Never throws. */
export async function runCli(typed: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { env, io } = surroundings
  const words = asOptions(typed)
  const asJson = wantsJson(words)
  let exitCode: ExitCode = 0
  try {
    const loaded = await loadTyped(words)
    const program = createProgram({
      loaded,
      io,
      onInvoke: async ({ entry, args, options }) => {
        const command = loaded.get(entry) ?? (await entry.load())
        // Not loaded for help and usage errors: reading the configuration brings its schemas along.
        const { createContext } = await import('./context.ts')
        // A question would be a second thing on stdout, beside the one document that was asked for.
        const asked = asJson ? { ...surroundings, io: { ...io, isInteractive: false } } : surroundings
        exitCode = await command.run({ args, options, context: createContext(asked) })
      },
    })
    await program.parseAsync([...words], { from: 'user' })
    return exitCode
  } catch (thrown) {
    const door = { io, home: homeOf(env), asJson, showStack: Boolean(env.HOLDFAST_DEBUG) }
    return reportFailure(thrown, { ...door, ...typedCommand(words) })
  }
}
