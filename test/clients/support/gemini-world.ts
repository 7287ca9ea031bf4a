import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitUntil } from '../../support/product.ts'
import { GeminiCli } from './gemini-cli.ts'
import { Holdfast } from './holdfast.ts'
import type { Step } from './model-script.ts'
import { callTool, say } from './model-script.ts'
import { EDITED_FILE, FAILURE, GOAL, LAST_WORDS } from './parser-work.ts'
import type { RunningClient } from './running-client.ts'
import { type ModelTurn, ScriptedModel } from './scripted-model.ts'
import { Workspace } from './workspace.ts'

/** Gemini CLI, a scripted model, a project, and Holdfast, connected by `holdfast init`. */
export class GeminiWorld implements AsyncDisposable {
  private constructor(
    readonly workspace: Workspace,
    readonly model: ScriptedModel,
    readonly holdfast: Holdfast,
    readonly client: GeminiCli,
  ) {}

  /** Holdfast is on the path, and nothing else was done. */
  static async unconnected(): Promise<GeminiWorld> {
    const workspace = await Workspace.create()
    const model = await ScriptedModel.start()
    const holdfast = new Holdfast(workspace)
    const client = await GeminiCli.create({ workspace, model, environment: holdfast.environment })
    return new GeminiWorld(workspace, model, holdfast, client)
  }

  static async connected(): Promise<GeminiWorld> {
    const world = await GeminiWorld.unconnected()
    try {
      await world.holdfast.connect('gemini-cli', world.places)
      return world
    } catch (error) {
      await world[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Where this client's files are, as its own variable says. */
  get places(): Readonly<Record<string, string>> {
    return { GEMINI_CLI_HOME: this.client.home }
  }

  /** The turns since a moment: no request says which session it is of. */
  turnsSince(count: number): readonly ModelTurn[] {
    return this.model.turns.slice(count).filter((turn) => turn.purpose === 'turn')
  }

  inProject(...path: readonly string[]): string {
    return join(this.workspace.project, ...path)
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
  async midTool(): Promise<{ readonly running: RunningClient; readonly endTool: () => Promise<void> }> {
    const pidFile = join(this.workspace.dir, 'tool.pid')
    this.model.script.onPrompt(GOAL, [
      callTool('write_file', {
        file_path: this.inProject(EDITED_FILE),
        content: 'export const split = undefined\n',
      }),
      // Gemini CLI puts a command into a subshell, of which `$$` is not the id.
      callTool('run_shell_command', { command: `echo $BASHPID > ${pidFile}; exec sleep 300`, description: 'Wait' }),
    ])
    const running = this.client.start(GOAL)
    const toolPid = async () => Number(await readFile(pidFile, 'utf8').catch(() => ''))
    await waitUntil(async () => (await toolPid()) > 0, 'the tool is running', 120_000)
    const endTool = async () => {
      try {
        process.kill(await toolPid(), 'SIGKILL')
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
