import { ClientSetup, prepared, type Surroundings, surroundings } from './client-setup.ts'
import { type Step, callTool, say } from './model-script.ts'
import { OpenClaw } from './openclaw.ts'
import { EDITED_FILE, FAILURE, LAST_WORDS } from './parser-work.ts'
import type { RunningClient } from './running-client.ts'
import { toolPidFile, untilToolRuns } from './running-tool.ts'

/** OpenClaw with its gateway running, a scripted model, a project, and Holdfast, connected by `holdfast init`. */
export class OpenClawSetup extends ClientSetup {
  private constructor(
    around: Surroundings,
    readonly client: OpenClaw,
  ) {
    super(around)
  }

  static async connected(): Promise<OpenClawSetup> {
    const around = await surroundings()
    const client = await OpenClaw.create({ ...around, environment: around.holdfast.environment })
    return prepared(new OpenClawSetup(around, client), async ({ holdfast, places }) => {
      await holdfast.connect('openclaw', places)
      await client.startGateway()
    })
  }

  get places(): Readonly<Record<string, string>> {
    return { OPENCLAW_STATE_DIR: this.client.stateDir, OPENCLAW_CONFIG_PATH: this.client.configFile }
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
    const pidFile = toolPidFile(this.workspace)
    this.model.script.onPrompt(prompt, [
      callTool('write', { path: this.inProject(EDITED_FILE), content: 'export const split = undefined\n' }),
      callTool('exec', { command: `echo $$ > ${pidFile}; sleep 300`, timeoutSeconds: 600 }),
    ])
    const running = this.client.startTurn(session, prompt)
    return { running, toolPid: await untilToolRuns(this.workspace, 240_000) }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.client.killGateway()
    } finally {
      await super[Symbol.asyncDispose]()
    }
  }
}
