import { ClientSetup, prepared, type Surroundings, surroundings } from './client-setup.ts'
import { type Step, callTool, say } from './model-script.ts'
import { OpenCode } from './opencode.ts'
import { EDITED_FILE, FAILURE, GOAL, LAST_WORDS } from './parser-work.ts'
import { endProcess, type MidTool, toolPidFile, untilToolRuns } from './running-tool.ts'

/** OpenCode, a scripted model, a project, and Holdfast, connected by `holdfast init`. */
export class OpenCodeSetup extends ClientSetup {
  private constructor(
    around: Surroundings,
    readonly client: OpenCode,
  ) {
    super(around)
  }

  static async unconnected(): Promise<OpenCodeSetup> {
    const around = await surroundings()
    return new OpenCodeSetup(around, await OpenCode.create({ ...around, environment: around.holdfast.environment }))
  }

  static async connected(): Promise<OpenCodeSetup> {
    return prepared(await OpenCodeSetup.unconnected(), ({ holdfast, places }) => holdfast.connect('opencode', places))
  }

  /** Where this client's files are, as its own variables say. */
  get places(): Readonly<Record<string, string>> {
    const { OPENCODE_CONFIG_DIR = '', XDG_CONFIG_HOME = '' } = this.client.environment
    return { OPENCODE_CONFIG_DIR, XDG_CONFIG_HOME }
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
  async midTool(): Promise<MidTool> {
    const pidFile = toolPidFile(this.workspace)
    this.model.script.onPrompt(GOAL, [
      callTool('write', { filePath: this.inProject(EDITED_FILE), content: 'export const split = undefined\n' }),
      callTool('bash', { command: `echo $$ > ${pidFile}; sleep 300`, description: 'Wait', timeout: 600_000 }),
    ])
    const running = this.client.start(GOAL)
    const pid = await untilToolRuns(this.workspace)
    return { running, endTool: async () => endProcess(-pid) }
  }
}
