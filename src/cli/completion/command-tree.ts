import type { Command, Option } from 'commander'

/** An option, as a completion script or the man page describes it. */
export interface OptionNode {
  /** `--json` and, if it has one, `-y`. */
  readonly names: readonly string[]
  readonly flags: string
  readonly description: string
  readonly takesValue: boolean
  /** The values that it accepts; empty when they are not a fixed list. */
  readonly values: readonly string[]
}

/** A command or a family of commands; without a name, the program. */
export interface CommandNode {
  /** All its words, for example `sessions show`. */
  readonly name: string
  readonly summary: string
  /** As in the help, for example `[options] <key>`. */
  readonly usage: string
  readonly options: readonly OptionNode[]
  readonly commands: readonly CommandNode[]
  /** The values of its first argument; empty when they are not a fixed list. */
  readonly values: readonly string[]
}

type KnownValues = Readonly<Record<string, readonly string[]>>

function describeOption(option: Option, known: KnownValues): OptionNode {
  const { long, short, flags, description, required, optional, argChoices } = option
  const takesValue = required || optional
  return {
    names: [long, short].filter((name) => typeof name === 'string'),
    flags,
    description,
    takesValue,
    values: takesValue ? (argChoices ?? known[long ?? ''] ?? []) : [],
  }
}

/** Reads what was declared to commander. `known` has the values of options that are checked later, by their long name. */
export function describeCommands(command: Command, known: KnownValues, parents: readonly string[] = []): CommandNode {
  const name = [...parents, ...(command.parent ? [command.name()] : [])]
  const help = command.createHelp()
  const isHelp = ({ long }: Option) => long === '--help'
  const shown = [...help.visibleOptions(command)].filter((option) => !isHelp(option))
  const visible = help.visibleCommands(command)
  return {
    name: name.join(' '),
    summary: command.summary() || command.description(),
    usage: command.usage(),
    options: shown.map((option) => describeOption(option, known)),
    commands: visible.map((child) => describeCommands(child, known, name)),
    values: command.registeredArguments[0]?.argChoices ?? [],
  }
}

/** The commands below this one, in the order of the help. */
export function listCommands({ commands }: CommandNode): readonly CommandNode[] {
  return commands.flatMap((command) => [command, ...listCommands(command)])
}

/**
 * What may follow the words of a family: its commands, and what its default command takes (`sessions` is `sessions list`).
 * Commander keeps the default by name only.
 */
export function withDefaultOptions(node: CommandNode, defaults: Readonly<Record<string, string>>): CommandNode {
  const standard = node.commands.find(({ name }) => name === defaults[node.name])
  return {
    ...node,
    options: [...node.options, ...(standard?.options ?? [])],
    commands: node.commands.map((command) => withDefaultOptions(command, defaults)),
  }
}
