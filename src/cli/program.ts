import { Command } from 'commander'
import { VERSION } from '../platform/base/version.ts'
import type { CliCommand, CliIo } from './shared/command.ts'
import type { CommandEntry } from './command-table.ts'
import { COMMANDS, FAMILIES } from './command-table.ts'

export interface Invocation {
  readonly entry: CommandEntry
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

export interface ProgramOptions {
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
