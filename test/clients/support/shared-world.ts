import { join } from 'node:path'
import { ClaudeCode } from './claude-code.ts'
import { Codex } from './codex.ts'
import { GeminiCli } from './gemini-cli.ts'
import { Holdfast } from './holdfast.ts'
import { OpenCode } from './opencode.ts'
import type { ModelTurn } from './scripted-model.ts'
import { ScriptedModel } from './scripted-model.ts'
import { Workspace } from './workspace.ts'

/** Four harnesses of one person: one project, one Holdfast that each is connected to by `holdfast init`, one model. */
export class SharedWorld implements AsyncDisposable {
  private constructor(
    readonly workspace: Workspace,
    readonly model: ScriptedModel,
    readonly holdfast: Holdfast,
    readonly claude: ClaudeCode,
    readonly codex: Codex,
    readonly gemini: GeminiCli,
    readonly openCode: OpenCode,
  ) {}

  static async connected(): Promise<SharedWorld> {
    const workspace = await Workspace.create()
    const model = await ScriptedModel.start()
    const holdfast = new Holdfast(workspace)
    const shared = { workspace, model, environment: holdfast.environment }
    const world = new SharedWorld(
      workspace,
      model,
      holdfast,
      await ClaudeCode.create(shared),
      await Codex.create(shared),
      await GeminiCli.create(shared),
      await OpenCode.create(shared),
    )
    try {
      await world.#connect()
      return world
    } catch (error) {
      await world[Symbol.asyncDispose]()
      throw error
    }
  }

  async #connect(): Promise<void> {
    const { CODEX_HOME = '', PATH = '' } = this.codex.environment
    const { OPENCODE_CONFIG_DIR = '', XDG_CONFIG_HOME = '' } = this.openCode.environment
    await this.holdfast.connect('claude-code', { CLAUDE_CONFIG_DIR: this.claude.configDir })
    await this.holdfast.connect('codex', { CODEX_HOME, PATH })
    await this.holdfast.connect('gemini-cli', { GEMINI_CLI_HOME: this.gemini.home })
    await this.holdfast.connect('opencode', { OPENCODE_CONFIG_DIR, XDG_CONFIG_HOME })
    await this.codex.trustHooks()
  }

  inProject(...path: readonly string[]): string {
    return join(this.workspace.project, ...path)
  }

  /** What a client's model was asked in its turns while this was done: not every client's requests name their session. */
  async turnsDuring<Result>(work: () => Promise<Result>): Promise<{ result: Result; turns: readonly ModelTurn[] }> {
    const before = this.model.turns.length
    const result = await work()
    return { result, turns: this.model.turns.slice(before).filter((turn) => turn.purpose === 'turn') }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.holdfast[Symbol.asyncDispose]()
    } finally {
      await this.model[Symbol.asyncDispose]()
      await this.workspace[Symbol.asyncDispose]()
    }
  }
}
