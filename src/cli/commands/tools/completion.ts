import { Argument } from 'commander'
import type { CommandNode } from '../../completion/command-tree.ts'
import { SHELLS, writeCompletion } from '../../completion/scripts.ts'
import { isSet } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { printJson } from '../../shared/output.ts'

export function createCompletionCommand(
  describeProgram: () => Promise<CommandNode>,
  aliases: Readonly<Record<string, string>>,
): CliCommand {
  return {
    configure(command) {
      command.addArgument(new Argument('<shell>', 'the shell').choices(SHELLS)).addHelpText(
        'after',
        `
Completes commands, options and those values that are a fixed list.

Examples:
  $ echo 'eval "$(holdfast completion bash)"' >> ~/.bashrc
  $ echo 'source <(holdfast completion zsh)' >> ~/.zshrc      # after compinit
  $ holdfast completion fish > ~/.config/fish/completions/holdfast.fish`,
      )
    },
    async run({ args, options, context }) {
      const shell = SHELLS.find((name) => name === args[0]) ?? 'bash'
      const script = writeCompletion(shell, await describeProgram(), aliases)
      if (isSet(options, 'json')) printJson(context.io, { shell, script })
      else context.io.out(script)
      return 0
    },
  }
}
