import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitUntil } from '../../support/product.ts'
import { Holdfast } from './holdfast.ts'
import type { Step } from './model-script.ts'
import { callTool, say } from './model-script.ts'
import { OpenCode } from './opencode.ts'
import { EDITED_FILE, FAILURE, GOAL, LAST_WORDS } from './parser-work.ts'
import type { RunningClient } from './running-client.ts'
import { ScriptedModel } from './scripted-model.ts'
import { Workspace } from './workspace.ts'

/** OpenCode, a scripted model, a project, and Holdfast, connected by `holdfast init`. */
export class OpenCodeWorld implements AsyncDisposable {
  private constructor(
    readonly workspace: Workspace,
    readonly model: ScriptedModel,
    readonly holdfast: Holdfast,
    readonly client: OpenCode,
  ) {}

  static async connected(): Promise<OpenCodeWorld> {
    const workspace = await Workspace.create()
    const model = await ScriptedModel.start()
    const holdfast = new Holdfast(workspace)
    const client = await OpenCode.create({ workspace, model, environment: holdfast.environment })
    const world = new OpenCodeWorld(workspace, model, holdfast, client)
    try {
      await holdfast.connect('opencode', world.places)
      return world
    } catch (error) {
      await world[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Where this client's files are, as its own variables say. */
  get places(): Readonly<Record<string, string>> {
    const { OPENCODE_CONFIG_DIR = '', XDG_CONFIG_HOME = '' } = this.client.environment
    return { OPENCODE_CONFIG_DIR, XDG_CONFIG_HOME }
  }

  inProject(...path: readonly string[]): string {
    return join(this.workspace.project, ...path)
  }

  /** One of each: a file written, read and edited, an edit that cannot be made, a command that works and one that fails. */
  work(): readonly Step[] {
    const filePath = this.inProject(EDITED_FILE)
    return [
      callTool('write', { filePath, content: 'export const split = (text) => text.split("\\n")\n' }),
      callTool('read', { filePath }),
      callTool('edit', { filePath, oldString: 'text.split("\\n")', newString: 'text.split(/\\n{2,}/)' }),
      callTool('edit', { filePath, oldString: 'not in there', newString: 'anything' }),
      callTool('bash', { command: 'echo checked', description: 'Check' }),
      callTool('bash', { command: `echo "${FAILURE}"; exit 3`, description: 'Run the check' }),
      say(LAST_WORDS),
    ]
  }

  /** A session in the middle of its second tool, its first one done: it stays there until somebody ends it. */
  async midTool(): Promise<{ readonly running: RunningClient; readonly endTool: () => Promise<void> }> {
    const pidFile = join(this.workspace.dir, 'tool.pid')
    this.model.script.onPrompt(GOAL, [
      callTool('write', { filePath: this.inProject(EDITED_FILE), content: 'export const split = undefined\n' }),
      callTool('bash', { command: `echo $$ > ${pidFile}; sleep 300`, description: 'Wait', timeout: 600_000 }),
    ])
    const running = this.client.start(GOAL)
    const toolPid = async () => Number(await readFile(pidFile, 'utf8').catch(() => ''))
    await waitUntil(async () => (await toolPid()) > 0, 'the tool is running', 120_000)
    const endTool = async () => {
      try {
        process.kill(-(await toolPid()), 'SIGKILL')
      } catch (error) {
        // The shell may have ended with its client.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
      }
    }
    return { running, endTool }
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
