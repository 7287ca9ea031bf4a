import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ClaudeCode } from './claude-code.ts'
import { Holdfast } from './holdfast.ts'
import { ScriptedModel } from './scripted-model.ts'
import { Workspace } from './workspace.ts'

/** Claude Code, a scripted model, a project, and Holdfast; connected unless a control asks otherwise. */
export class ClaudeWorld implements AsyncDisposable {
  private constructor(
    readonly workspace: Workspace,
    readonly model: ScriptedModel,
    readonly holdfast: Holdfast,
    readonly claude: ClaudeCode,
  ) {}

  static async connected(): Promise<ClaudeWorld> {
    const world = await ClaudeWorld.unconnected()
    try {
      await world.holdfast.connect('claude-code', { CLAUDE_CONFIG_DIR: world.claude.configDir })
      return world
    } catch (error) {
      await world[Symbol.asyncDispose]()
      throw error
    }
  }

  static async unconnected(): Promise<ClaudeWorld> {
    const workspace = await Workspace.create()
    const model = await ScriptedModel.start()
    const holdfast = new Holdfast(workspace)
    const claude = await ClaudeCode.create({ workspace, model, environment: holdfast.environment })
    return new ClaudeWorld(workspace, model, holdfast, claude)
  }

  inProject(...path: readonly string[]): string {
    return join(this.workspace.project, ...path)
  }

  /** Files under Holdfast's home that hold a text anywhere in their bytes. */
  async filesHolding(text: string): Promise<readonly string[]> {
    const entries = await readdir(this.holdfast.dir, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const contents = await Promise.all(files.map(async (file) => ({ file, bytes: await readFile(file) })))
    return contents.filter(({ bytes }) => bytes.includes(text)).map(({ file }) => file)
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
