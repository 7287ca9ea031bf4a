import type { Command } from 'commander'
import type { AgentDoor } from '../../app/agent-api.ts'
import type { Config } from '../../kernel/config.ts'
import type { Continuity } from '../../app/continuity.ts'
import type { Home } from '../../platform/base/home.ts'

/** 0 done, 1 failed, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2

export interface CliIo {
  /** Writes to stdout: the caller adds line ends. */
  out(text: string): void
  err(text: string): void
  /** The streams behind it, where `out` and `err` change what could do harm; see `rawOf`. */
  readonly raw?: Pick<CliIo, 'out' | 'err'>
  readonly stdin: NodeJS.ReadableStream
  /** A person can be asked: both ends are terminals and nothing said otherwise. */
  readonly isInteractive: boolean
  readonly hasColor: boolean
}

export interface CliContext {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly home: Home
  /** Throws where the user's file or a variable cannot be used: only who needs a setting asks. */
  readonly config: Config
  readonly io: CliIo
  /** The use cases over the socket; starts the daemon when it is away. */
  continuity(): Promise<Continuity>
  /** The agent's door over the socket; starts the daemon when it is away. */
  door(): Promise<AgentDoor>
}

export interface CommandInput {
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly context: CliContext
}

/** One ability at the keyboard. Thrown `HoldfastError`s are printed with their hint by `main.ts`; `--json` prints them as JSON. */
export interface CliCommand {
  /** As typed, for example `daemon start`. */
  readonly name: string
  readonly summary: string
  /** Declares arguments, options and examples. `--json` is added to every command by `main.ts`. */
  configure(command: Command): void
  run(input: CommandInput): Promise<ExitCode>
}
