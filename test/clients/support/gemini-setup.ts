import { ClientSetup, prepared, type Surroundings, surroundings } from './client-setup.ts'
import { GeminiCli } from './gemini-cli.ts'
import { type Step, callTool, say } from './model-script.ts'
import { EDITED_FILE, FAILURE, GOAL, LAST_WORDS } from './parser-work.ts'
import type { ModelTurn } from './scripted-model.ts'
import { endProcess, type MidTool, toolPidFile, untilToolRuns } from './running-tool.ts'

/** Gemini CLI, a scripted model, a project, and Holdfast, connected by `holdfast init`. */
export class GeminiSetup extends ClientSetup {
  private constructor(
    around: Surroundings,
    readonly client: GeminiCli,
  ) {
    super(around)
  }

  /** Holdfast is on the path, and nothing else was done. */
  static async unconnected(): Promise<GeminiSetup> {
    const around = await surroundings()
    return new GeminiSetup(around, await GeminiCli.create({ ...around, environment: around.holdfast.environment }))
  }

  static async connected(): Promise<GeminiSetup> {
    return prepared(await GeminiSetup.unconnected(), ({ holdfast, places }) => holdfast.connect('gemini-cli', places))
  }

  /** Where this client's files are, as its own variable says. */
  get places(): Readonly<Record<string, string>> {
    return { GEMINI_CLI_HOME: this.client.home }
  }

  override turnsIn(_sessionId: string, since: number): readonly ModelTurn[] {
    return this.turnsSince(since)
  }

  /** One of each: a file written, read and edited, a file that is not there, a command that works and one that fails. */
  work(): readonly Step[] {
    const file_path = this.inProject(EDITED_FILE)
    return [
      callTool('write_file', { file_path, content: 'export const split = (text) => text.split("\\n")\n' }),
      callTool('read_file', { file_path }),
      callTool('replace', {
        file_path,
        instruction: 'Split at blank lines',
        old_string: 'text.split("\\n")',
        new_string: 'text.split(/\\n{2,}/)',
      }),
      callTool('read_file', { file_path: this.inProject('nowhere.js') }),
      callTool('run_shell_command', { command: 'echo checked', description: 'Check' }),
      callTool('run_shell_command', { command: `echo "${FAILURE}" >&2; exit 3`, description: 'Run the check' }),
      say(LAST_WORDS),
    ]
  }

  /** A session in the middle of its second tool, its first one done: it stays there until somebody ends it. */
  async midTool(): Promise<MidTool> {
    const pidFile = toolPidFile(this.workspace)
    this.model.script.onPrompt(GOAL, [
      callTool('write_file', {
        file_path: this.inProject(EDITED_FILE),
        content: 'export const split = undefined\n',
      }),
      // Gemini CLI puts a command into a subshell, of which `$$` is not the id.
      callTool('run_shell_command', { command: `echo $BASHPID > ${pidFile}; exec sleep 300`, description: 'Wait' }),
    ])
    const running = this.client.start(GOAL)
    const pid = await untilToolRuns(this.workspace)
    return { running, endTool: async () => endProcess(pid) }
  }
}
