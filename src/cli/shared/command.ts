import type { Command } from 'commander'
import type { AgentApi } from '../../app/agent-api.ts'
import type { Config } from '../../kernel/config.ts'
import type { Continuity } from '../../app/continuity.ts'
import type { SyncUseCases } from '../../sync/use-cases.ts'
import type { Home } from '../../platform/base/home.ts'

/** 0 done, 1 failed, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2

export interface CliIo {
  /** Writes to stdout; the caller adds newlines. */
  out(text: string): void
  err(text: string): void
  /** The unfiltered streams, when `out` and `err` remove control characters; see `getRawIo`. */
  readonly raw?: Pick<CliIo, 'out' | 'err'>
  /** From now on a closed pipe does not end the process: running work is finished. */
  finishWhenClosed?(): void
  readonly stdin: NodeJS.ReadableStream
  /** A question can be asked: stdin and stdout are terminals, and CI is not set. */
  readonly isInteractive: boolean
  readonly hasColor: boolean
  /** The width of the terminal to which stdout goes; absent for a pipe or a file. */
  readonly columns?: number
}

export interface CliContext {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly home: Home
  /** Read on first access. Throws when the user's file or a variable is invalid, so commands that repair things avoid it. */
  readonly config: Config
  readonly io: CliIo
  /** The use cases over the socket; starts the daemon if it is not running. */
  continuity(): Promise<Continuity>
  /** The agent API over the socket; starts the daemon if it is not running. */
  agentApi(): Promise<AgentApi>
  /** Exchanges with other machines, over the socket; starts the daemon if it is not running. */
  sync(): Promise<SyncUseCases>
}

export interface CommandInput {
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly context: CliContext
}

/** One command; its name and summary are in command-table.ts. `runCli` prints a thrown `HoldfastError` with its hint, as JSON with `--json`. */
export interface CliCommand {
  /** Declares arguments, options and examples. `createProgram` adds `--json` to every command. */
  configure(command: Command): void
  run(input: CommandInput): Promise<ExitCode>
}
