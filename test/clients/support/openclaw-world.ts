import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitUntil } from '../../support/product.ts'
import { Holdfast } from './holdfast.ts'
import type { Step } from './model-script.ts'
import { callTool, say } from './model-script.ts'
import { OpenClaw } from './openclaw.ts'
import { EDITED_FILE, FAILURE, LAST_WORDS } from './parser-work.ts'
import type { RunningClient } from './running-client.ts'
import { ScriptedModel } from './scripted-model.ts'
import { Workspace } from './workspace.ts'

/** OpenClaw with its gateway running, a scripted model, a project, and Holdfast, connected by `holdfast init`. */
export class OpenClawWorld implements AsyncDisposable {
  private constructor(
    readonly workspace: Workspace,
    readonly model: ScriptedModel,
    readonly holdfast: Holdfast,
    readonly client: OpenClaw,
  ) {}

  static async connected(): Promise<OpenClawWorld> {
    const workspace = await Workspace.create()
    const model = await ScriptedModel.start()
    const holdfast = new Holdfast(workspace)
    const client = await OpenClaw.create({ workspace, model, environment: holdfast.environment })
    const world = new OpenClawWorld(workspace, model, holdfast, client)
    try {
      await holdfast.connect('openclaw', world.places)
      await client.startGateway()
      return world
    } catch (error) {
      await world[Symbol.asyncDispose]()
      throw error
    }
  }

  get places(): Readonly<Record<string, string>> {
    return { OPENCLAW_STATE_DIR: this.client.stateDir, OPENCLAW_CONFIG_PATH: this.client.configFile }
  }

  inProject(...path: readonly string[]): string {
    return join(this.workspace.project, ...path)
  }

  /** One of each: a file written, read and edited, a command that works and one that fails. */
  work(): readonly Step[] {
    const path = this.inProject(EDITED_FILE)
    const edits = [{ oldText: 'text.split("\\n")', newText: 'text.split(/\\n{2,}/)' }]
    return [
      callTool('write', { path, content: 'export const split = (text) => text.split("\\n")\n' }),
      callTool('read', { path }),
      callTool('edit', { path, edits }),
      callTool('exec', { command: 'echo checked' }),
      callTool('exec', { command: `echo "${FAILURE}"; exit 3` }),
      say(LAST_WORDS),
    ]
  }

  /** A turn in the middle of its second tool: it stays there until somebody ends it. */
  async midTool(
    session: string,
    prompt: string,
  ): Promise<{ readonly running: RunningClient; readonly toolPid: number }> {
    const pidFile = join(this.workspace.dir, 'tool.pid')
    this.model.script.onPrompt(prompt, [
      callTool('write', { path: this.inProject(EDITED_FILE), content: 'export const split = undefined\n' }),
      callTool('exec', { command: `echo $$ > ${pidFile}; sleep 300`, timeoutSeconds: 600 }),
    ])
    const running = this.client.startTurn(session, prompt)
    const toolPid = async () => Number(await readFile(pidFile, 'utf8').catch(() => ''))
    await waitUntil(async () => (await toolPid()) > 0, 'the tool is running', 240_000)
    return { running, toolPid: await toolPid() }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.client.killGateway()
      await this.holdfast[Symbol.asyncDispose]()
    } finally {
      await this.model[Symbol.asyncDispose]()
      await this.workspace[Symbol.asyncDispose]()
    }
  }
}
