import { HoldfastError } from '../kernel/errors.ts'
import { homeOf, isRelativeHome } from '../platform/base/home.ts'
import type { CliCommand, ExitCode, CliIo } from './shared/command.ts'
import { type CommandEntry, FAMILIES, COMMANDS } from './command-table.ts'
import type { Surroundings } from './context.ts'
import { reportFailure } from './shared/failure.ts'
import { harmlessIo } from './shared/output.ts'
import { Command } from 'commander'
import { VERSION } from '../platform/base/version.ts'

interface Invocation {
  readonly entry: CommandEntry
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

interface ProgramOptions {
  /** Commands whose arguments and options are declared; the rest stand there with their summary. */
  readonly loaded: ReadonlyMap<CommandEntry, CliCommand>
  readonly io: Pick<CliIo, 'out' | 'err'>
  readonly onInvoke: (invocation: Invocation) => Promise<void>
}

/** The entry whose name begins the words; options in front of it are passed over. */
export function findEntry(words: readonly string[]): CommandEntry | undefined {
  const [first, second] = words.filter((word) => !word.startsWith('-'))
  return (
    COMMANDS.find((entry) => entry.name === `${first} ${second}`) ??
    COMMANDS.find((entry) => entry.name === first) ??
    COMMANDS.find((entry) => entry.isDefault === true && entry.name.startsWith(`${first} `))
  )
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}

function findOrAddFamily(program: Command, name: string): Command {
  const known = program.commands.find((command) => command.name() === name)
  if (known) return known
  const family = FAMILIES[name]
  const command = program.command(name).usage('<command> [options]').helpCommand(false)
  if (family) command.summary(family.summary).description(sentence(family.summary)).helpGroup(`${family.group}:`)
  return command
}

function addEntry(program: Command, entry: CommandEntry): Command {
  const [first = '', second] = entry.name.split(' ')
  const parent = second === undefined ? program : findOrAddFamily(program, first)
  const command = parent.command(second ?? first, {
    hidden: entry.isHidden === true,
    isDefault: entry.isDefault === true && second !== undefined,
  })
  command.summary(entry.summary).description(sentence(entry.summary))
  if (parent === program) command.helpGroup(`${entry.group}:`)
  return command
}

/** The whole command line as commander sees it. Declares, and does nothing else. */
export function createProgram({ loaded, io, onInvoke }: ProgramOptions): Command {
  const program = new Command('holdfast')
  // Set before any command is added: commander hands these down when it makes one.
  program
    .exitOverride()
    // Errors are told by failure.ts, in words or in JSON; what is left for stderr is help that was asked for wrongly.
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      outputError: () => undefined,
    })
    .showSuggestionAfterError(true)
    .helpOption('-h, --help', 'show help')
    .description("Keeps an AI coding agent's place across compaction, crashes, days, machines and tools.")
    .usage('<command> [options]')
    .version(VERSION, '-V, --version', 'print the version')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .helpCommand(false)
  for (const entry of COMMANDS) {
    const command = addEntry(program, entry)
    loaded.get(entry)?.configure(command)
    command.option('--json', 'print one JSON document instead of text')
    command.action(() => onInvoke({ entry, args: command.args, options: command.opts() }))
  }
  program.addHelpText('after', '\nRun `holdfast <command> --help` for its options and examples.')
  return program
}

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
