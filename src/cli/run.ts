import { HoldfastError } from '../kernel/errors.ts'
import { resolveHome, isRelativeHome } from '../platform/base/home.ts'
import type { CliCommand, ExitCode, CliIo } from './shared/command.ts'
import { type CommandTableEntry, FAMILIES, COMMANDS, toPresentNames } from './command-table.ts'
import type { CliEnvironment } from './context.ts'
import { reportFailure } from './shared/failure.ts'
import { createSanitizedIo } from './shared/output.ts'
import { type CommandNode, describeCommands, withDefaultOptions } from './completion/command-tree.ts'
import { harnessIds } from '../harness/descriptor/known-harnesses.ts'
import { SCOPES } from '../install/contract/setup.ts'
import { Command } from 'commander'
import { VERSION } from '../platform/base/version.ts'

interface Invocation {
  readonly entry: CommandTableEntry
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

interface ProgramOptions {
  /** Commands whose arguments and options are declared; of the others only the summary is. */
  readonly loaded: ReadonlyMap<CommandTableEntry, CliCommand>
  readonly io: Pick<CliIo, 'out' | 'err'>
  readonly onInvoke: (invocation: Invocation) => Promise<void>
}

/** The command that the words name; options before it are skipped. */
export function findEntry(words: readonly string[]): CommandTableEntry | undefined {
  const [first, second] = toPresentNames(words).filter((word) => !word.startsWith('-'))
  return (
    COMMANDS.find((entry) => entry.name === `${first} ${second}`) ??
    COMMANDS.find((entry) => entry.name === first) ??
    COMMANDS.find((entry) => entry.isDefault === true && entry.name.startsWith(`${first} `))
  )
}

function toSentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}

function findOrAddFamily(program: Command, name: string): Command {
  const known = program.commands.find((command) => command.name() === name)
  if (known) return known
  const family = FAMILIES[name]
  const command = program.command(name).usage('<command> [options]').helpCommand(false)
  if (family) command.summary(family.summary).description(toSentence(family.summary)).helpGroup(`${family.group}:`)
  return command
}

function addEntry(program: Command, entry: CommandTableEntry): Command {
  const [first = '', second] = entry.name.split(' ')
  const parent = second === undefined ? program : findOrAddFamily(program, first)
  const command = parent.command(second ?? first, {
    hidden: entry.isHidden === true,
    isDefault: entry.isDefault === true && second !== undefined,
  })
  command.summary(entry.summary).description(toSentence(entry.summary))
  if (parent === program) command.helpGroup(`${entry.group}:`)
  return command
}

/** Declares the whole command line to commander. */
export function createProgram({ loaded, io, onInvoke }: ProgramOptions): Command {
  const program = new Command('holdfast')
  // Set before any command is added: commander copies these to each new command.
  program
    .exitOverride()
    // failure.ts reports errors as text or JSON; only the help for a missing command goes to stderr.
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
  program.addHelpText('after', '\nRun `holdfast <command> --help` for options and examples.')
  return program
}

/** Every command and its options, for completion and the manual page. */
export async function describeProgram(): Promise<CommandNode> {
  const loaded = new Map<CommandTableEntry, CliCommand>()
  for (const entry of COMMANDS) loaded.set(entry, await entry.load())
  const io = { out: () => undefined, err: () => undefined }
  const program = createProgram({ loaded, io, onInvoke: async () => undefined })
  const standard = COMMANDS.filter(({ isDefault, name }) => isDefault === true && name.includes(' '))
  const defaults = Object.fromEntries(standard.map(({ name }) => [name.split(' ')[0] ?? '', name]))
  // Not loaded by the other commands.
  const { EXTRA_PARTS } = await import('./setup/session-cost.ts')
  const values = { '--harness': harnessIds, '--scope': SCOPES, '--with': EXTRA_PARTS }
  return withDefaultOptions(describeCommands(program, values), defaults)
}

/** These report and repair the installation themselves, or run in a harness or as the daemon. */
const MENDING_COMMANDS = new Set(['init', 'uninstall', 'doctor', 'mcp', 'daemon run', 'hook', 'version'])

async function loadTyped(words: readonly string[]): Promise<ReadonlyMap<CommandTableEntry, CliCommand>> {
  const entry = findEntry(words)
  return new Map(entry === undefined ? [] : [[entry, await entry.load()]])
}

/** No words, or `help` as the first word, mean `--help`. */
function normalizeHelp(words: readonly string[]): readonly string[] {
  if (words.length === 0) return ['--help']
  if (words[0] !== 'help') return words
  const [first, ...rest] = words.slice(1)
  // Commander would show the general help for an unknown word instead of an error.
  const isUnknown = first !== undefined && !first.startsWith('-') && !isKnown(first)
  return isUnknown ? [first] : [...(first === undefined ? [] : [first]), ...rest, '--help']
}

function isKnown(word: string): boolean {
  return FAMILIES[word] !== undefined || findEntry([word]) !== undefined
}

/** Words after a bare `--` are not options. */
export function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end === -1 ? words : words.slice(0, end)).includes('--json')
}

interface TypedCommand {
  readonly command?: string
  readonly unknownWord?: string
  /** Commands that may have been meant. */
  readonly similar?: readonly string[]
}

/** Whether one is the other with at most two letters changed, added or left out. */
function isSimilar(one: string, other: string): boolean {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of Array.from(one).entries())
    row = row.reduce<number[]>((next, above, index) => {
      const before = next[index - 1]
      if (before === undefined) return [at + 1]
      const changed = (row[index - 1] ?? 0) + (other[index - 1] === letter ? 0 : 1)
      return [...next, Math.min(above + 1, before + 1, changed)]
    }, [])
  return (row.at(-1) ?? 0) <= Math.min(2, one.length - 1)
}

/** The command that was typed, if the words name one. */
function findTypedCommand(words: readonly string[]): TypedCommand {
  const entry = findEntry(words)
  const [family = '', word] = words.filter((typed) => !typed.startsWith('-'))
  const named = COMMANDS.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name)
  if (entry === undefined && FAMILIES[family] === undefined) {
    const similar = named.filter((name) => name.split(' ')[1] === family)
    return similar.length === 0 ? {} : { unknownWord: `Unknown command '${family}'.`, similar }
  }
  if (word === undefined || entry?.name === `${family} ${word}` || entry?.name === family)
    return { ...(entry && { command: entry.name }) }
  const similar = named.filter((name) => name.startsWith(`${family} `) && isSimilar(word, name.split(' ')[1] ?? ''))
  return { command: family, unknownWord: `Unknown command '${family} ${word}'.`, similar }
}

function refuseRelativeHome({ HOLDFAST_HOME: given = '' }: NodeJS.ProcessEnv): never {
  throw new HoldfastError(
    'invalid-input',
    `HOLDFAST_HOME is ${JSON.stringify(given)}, which is not an absolute path.`,
    {
      hint: 'Use an absolute path, such as `HOLDFAST_HOME="$HOME/.holdfast"`: a relative one would mean another home in every folder. Hooks ignore it.',
    },
  )
}

function hasSeveralLines(value: unknown): boolean {
  // The lines of a pasted key may have become several options.
  if (typeof value === 'string') return value.includes('\n') || value.includes('\\n') || value.includes('PRIVATE KEY')
  return Array.isArray(value) && (value.length > 1 || value.some(hasSeveralLines))
}

/** Redacts what was typed as a whole, before the command splits it. */
async function redactInvocation({ entry, args, options }: Invocation): Promise<Pick<Invocation, 'args' | 'options'>> {
  const given = { ...options, args }
  // Several lines are rare, and loading the redactor takes longer than most commands.
  if (!Object.values(given).some(hasSeveralLines)) return { args, options }
  const { redactInput } = await import('../redaction/redact-input.ts')
  const { args: cleanArgs, ...cleanOptions } = redactInput(given, entry.redactedLater)
  return { args: cleanArgs, options: cleanOptions }
}

/** Runs a command line and returns its exit code. Never throws. */
export async function runCli(typed: readonly string[], given: CliEnvironment): Promise<ExitCode> {
  const { env } = given
  const io = createSanitizedIo(given.io)
  const surroundings = { ...given, io }
  const words = toPresentNames(normalizeHelp(typed))
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
        // Not loaded for help and usage errors: it loads the configuration schemas.
        const { createContext } = await import('./context.ts')
        // With --json, stdout holds one document and no question.
        const asked = asJson ? { ...surroundings, io: { ...io, isInteractive: false } } : surroundings
        const { refuseIfDegraded } = await import('./shared/refuse-if-degraded.ts')
        refuseIfDegraded(invocation, given)
        const clean = await redactInvocation(invocation)
        const context = createContext(asked)
        exitCode = await command.run({ ...clean, context })
        if (!asJson && entry.isHidden !== true && !MENDING_COMMANDS.has(entry.name)) {
          const { takeMissingNotice } = await import('./setup/missing-notice.ts')
          const notice = takeMissingNotice(context.home)
          if (notice !== undefined) io.err(`${notice}\n`)
        }
      },
    })
    await program.parseAsync([...words], { from: 'user' })
    return exitCode
  } catch (thrown) {
    const output = { io, home: resolveHome(env), asJson, showStack: Boolean(env.HOLDFAST_DEBUG) }
    // The message may quote a key that was pasted in the wrong argument.
    const { redactOutput } = await import('../redaction/redact-input.ts')
    return reportFailure(thrown, { ...output, ...findTypedCommand(words), redact: redactOutput })
  }
}
