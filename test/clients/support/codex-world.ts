import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitUntil } from '../../support/product.ts'
import { Codex } from './codex.ts'
import { Holdfast } from './holdfast.ts'
import type { Step } from './model-script.ts'
import { callTool, say } from './model-script.ts'
import { EDITED_FILE, FAILURE, GOAL, LAST_WORDS } from './parser-work.ts'
import type { RunningClient } from './running-client.ts'
import { ScriptedModel } from './scripted-model.ts'
import { Workspace } from './workspace.ts'

const patch = (...lines: readonly string[]) => ({ input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })

/** Codex, a scripted model, a project, and Holdfast, connected by `holdfast init`. */
export class CodexWorld implements AsyncDisposable {
  private constructor(
    readonly workspace: Workspace,
    readonly model: ScriptedModel,
    readonly holdfast: Holdfast,
    readonly client: Codex,
  ) {}

  /** Connected and approved, as after `/hooks` in Codex. */
  static async trusted(): Promise<CodexWorld> {
    const world = await CodexWorld.connected()
    try {
      await world.client.trustHooks()
      return world
    } catch (error) {
      await world[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Holdfast is on the path, and nothing else was done. */
  static async withPlugins(): Promise<CodexWorld> {
    return CodexWorld.#create(true)
  }

  static async #create(hasPlugins: boolean): Promise<CodexWorld> {
    const workspace = await Workspace.create()
    const model = await ScriptedModel.start()
    const holdfast = new Holdfast(workspace)
    const client = await Codex.create({ workspace, model, environment: holdfast.environment, hasPlugins })
    return new CodexWorld(workspace, model, holdfast, client)
  }

  /** Connected, and not yet approved by anybody. */
  static async connected(): Promise<CodexWorld> {
    const world = await CodexWorld.#create(false)
    try {
      await world.holdfast.connect('codex', world.places)
      return world
    } catch (error) {
      await world[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Where this client and its files are, as variables say. */
  get places(): Readonly<Record<string, string>> {
    const { CODEX_HOME = '', PATH = '' } = this.client.environment
    return { CODEX_HOME, PATH }
  }

  /** One of each: a file written and edited, a patch that cannot be made, a command that works and one that fails. */
  work(): readonly Step[] {
    return [
      callTool('apply_patch', patch(`*** Add File: ${EDITED_FILE}`, '+export const split = (text) => text')),
      callTool(
        'apply_patch',
        patch(
          `*** Update File: ${EDITED_FILE}`,
          '@@',
          '-export const split = (text) => text',
          '+export const split = (text) => text.split("\\n\\n")',
        ),
      ),
      callTool('apply_patch', patch('*** Update File: nowhere.js', '@@', '-not in there', '+anything')),
      callTool('exec_command', { cmd: 'echo checked' }),
      callTool('exec_command', { cmd: `echo "${FAILURE}" >&2; exit 3` }),
      say(LAST_WORDS),
    ]
  }

  /** A session in the middle of its second tool, its first one done: it stays there until somebody ends it. */
  async midTool(): Promise<{ readonly running: RunningClient; readonly endTool: () => Promise<void> }> {
    const pidFile = join(this.workspace.dir, 'tool.pid')
    this.model.script.onPrompt(GOAL, [
      callTool('apply_patch', patch(`*** Add File: ${EDITED_FILE}`, '+export const split = undefined')),
      callTool('exec_command', { cmd: `echo $$ > ${pidFile}; sleep 300`, yield_time_ms: 30_000 }),
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
