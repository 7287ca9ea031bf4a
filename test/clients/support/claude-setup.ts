import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ClaudeCode } from './claude-code.ts'
import { ClientSetup, prepared, type Surroundings, surroundings } from './client-setup.ts'

/** Claude Code, a scripted model, a project, and Holdfast; connected unless a control asks otherwise. */
export class ClaudeSetup extends ClientSetup {
  private constructor(
    around: Surroundings,
    readonly claude: ClaudeCode,
  ) {
    super(around)
  }

  static async connected(options: readonly string[] = []): Promise<ClaudeSetup> {
    return prepared(await ClaudeSetup.unconnected(), ({ holdfast, claude }) =>
      holdfast.connect('claude-code', { CLAUDE_CONFIG_DIR: claude.configDir }, options),
    )
  }

  static async unconnected(): Promise<ClaudeSetup> {
    const around = await surroundings()
    return new ClaudeSetup(around, await ClaudeCode.create({ ...around, environment: around.holdfast.environment }))
  }

  /** Files under Holdfast's home that hold a text anywhere in their bytes. */
  async filesHolding(text: string): Promise<readonly string[]> {
    const entries = await readdir(this.holdfast.dir, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const contents = await Promise.all(files.map(async (file) => ({ file, bytes: await readFile(file) })))
    return contents.filter(({ bytes }) => bytes.includes(text)).map(({ file }) => file)
  }
}
