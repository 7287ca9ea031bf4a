import { ClaudeCode, claudeCode } from './claude-code.ts'
import { ClientSetup, prepared, type Surroundings, surroundings } from './client-setup.ts'
import { Codex, codex } from './codex.ts'
import { GeminiCli, geminiCli } from './gemini-cli.ts'
import type { PinnedClient } from './install-client.ts'
import { OpenCode, openCode } from './opencode.ts'
import type { ModelTurn } from './scripted-model.ts'

/** The clients that one piece of work goes through, in that order. */
export const relay: readonly PinnedClient[] = [claudeCode, codex, openCode, geminiCli]

/** Four harnesses of one person: one project, one model, one Holdfast that each is connected to by `holdfast init`, unless a test asks otherwise. */
export class SharedSetup extends ClientSetup {
  private constructor(
    around: Surroundings,
    readonly claude: ClaudeCode,
    readonly codex: Codex,
    readonly gemini: GeminiCli,
    readonly openCode: OpenCode,
  ) {
    super(around)
  }

  static async connected(): Promise<SharedSetup> {
    return prepared(await SharedSetup.unconnected(), (world) => world.#connect())
  }

  /** As before anybody has heard of Holdfast. */
  static async unconnected(): Promise<SharedSetup> {
    const around = await surroundings()
    const shared = { ...around, environment: around.holdfast.environment }
    return new SharedSetup(
      around,
      await ClaudeCode.create(shared),
      await Codex.create(shared),
      await GeminiCli.create(shared),
      await OpenCode.create(shared),
    )
  }

  /** Where each client's own files are, as their variables say. */
  get places(): Readonly<Record<'claude' | 'codex' | 'gemini' | 'openCode', Readonly<Record<string, string>>>> {
    const { CODEX_HOME = '', PATH = '' } = this.codex.environment
    const { OPENCODE_CONFIG_DIR = '', XDG_CONFIG_HOME = '', XDG_DATA_HOME = '' } = this.openCode.environment
    return {
      claude: { CLAUDE_CONFIG_DIR: this.claude.configDir },
      codex: { CODEX_HOME, PATH },
      gemini: { GEMINI_CLI_HOME: this.gemini.home },
      openCode: { OPENCODE_CONFIG_DIR, XDG_CONFIG_HOME, XDG_DATA_HOME },
    }
  }

  async #connect(): Promise<void> {
    const { claude, codex, gemini, openCode } = this.places
    await this.holdfast.connect('claude-code', claude)
    await this.holdfast.connect('codex', codex)
    await this.holdfast.connect('gemini-cli', gemini)
    await this.holdfast.connect('opencode', openCode)
    await this.codex.trustHooks()
  }

  /** What a client's model was asked in its turns while this was done: not every client's requests name their session. */
  async turnsDuring<Result>(work: () => Promise<Result>): Promise<{ result: Result; turns: readonly ModelTurn[] }> {
    const before = this.model.turns.length
    const result = await work()
    return { result, turns: this.turnsSince(before) }
  }
}
