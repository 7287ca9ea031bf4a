import type { CliCommand } from './command.ts'

/** Where a command stands in `holdfast --help`. */
export type CommandGroup = 'Connect' | 'Look' | 'Remember' | 'Tools'

export interface CommandEntry {
  /** As typed, for example `daemon start`. */
  readonly name: string
  readonly summary: string
  readonly group: CommandGroup
  /** Works, and is left out of the help: another program calls it. */
  readonly isHidden?: boolean
  /** Imported only when it is the one that was typed: the others cost nothing. */
  readonly load: () => Promise<CliCommand>
}

export interface CommandFamily {
  readonly summary: string
  readonly group: CommandGroup
}

/** First words that are no command by themselves. */
export const FAMILIES: Readonly<Record<string, CommandFamily>> = {}

/** Every ability at the keyboard, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'version',
    summary: 'the versions of Holdfast and of what it runs on',
    group: 'Tools',
    load: async () => (await import('./commands/version.ts')).versionCommand,
  },
]
