/**
 * A program that reads an excerpt of a session on stdin and prints a handoff. A harness declares its own one-shot mode, without
 * tools, hooks, MCP servers and a stored session: a session that Holdfast starts must not become work that Holdfast records.
 */
export interface WriterPreset {
  /** The value of `digest.command` that stands for it. */
  readonly name: string
  /** The program and its arguments. */
  readonly words: readonly [string, ...(readonly string[])]
  readonly modelFlag: string
  readonly env?: Readonly<Record<string, string>>
}
