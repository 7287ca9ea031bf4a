import { ClientSetup, prepared, type Surroundings, surroundings } from './client-setup.ts'
import { Codex } from './codex.ts'
import { type Step, callTool, say } from './model-script.ts'
import { EDITED_FILE, FAILURE, GOAL, LAST_WORDS } from './parser-work.ts'
import { endProcess, type MidTool, toolPidFile, untilToolRuns } from './running-tool.ts'

const patch = (...lines: readonly string[]) => ({ input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })

/** Codex, a scripted model, a project, and Holdfast, connected by `holdfast init`. */
export class CodexSetup extends ClientSetup {
  private constructor(
    around: Surroundings,
    readonly client: Codex,
  ) {
    super(around)
  }

  /** Connected and approved, as after `/hooks` in Codex. */
  static async trusted(): Promise<CodexSetup> {
    return prepared(await CodexSetup.connected(), ({ client }) => client.trustHooks())
  }

  /** Connected, and not yet approved by anybody. */
  static async connected(): Promise<CodexSetup> {
    return prepared(await CodexSetup.#create(false), ({ holdfast, places }) => holdfast.connect('codex', places))
  }

  /** Holdfast is on the path, and nothing else was done. */
  static async withPlugins(): Promise<CodexSetup> {
    return CodexSetup.#create(true)
  }

  static async #create(hasPlugins: boolean): Promise<CodexSetup> {
    const around = await surroundings()
    return new CodexSetup(
      around,
      await Codex.create({ ...around, environment: around.holdfast.environment, hasPlugins }),
    )
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
  async midTool(): Promise<MidTool> {
    const pidFile = toolPidFile(this.workspace)
    this.model.script.onPrompt(GOAL, [
      callTool('apply_patch', patch(`*** Add File: ${EDITED_FILE}`, '+export const split = undefined')),
      callTool('exec_command', { cmd: `echo $$ > ${pidFile}; sleep 300`, yield_time_ms: 30_000 }),
    ])
    const running = this.client.start(GOAL)
    const pid = await untilToolRuns(this.workspace)
    return { running, endTool: async () => endProcess(pid) }
  }
}
