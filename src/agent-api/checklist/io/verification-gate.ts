import { HoldfastError } from '../../../kernel/errors.ts'

export interface VerificationGatePorts {
  /** `checklist.verifyOverMcp` of the user's own file, as it was when the daemon started. */
  readonly allowed: readonly string[]
  /** The file in which the user allows commands. */
  readonly configFile: string
  /** A task with a session that is degraded to read-only, if any. */
  readonly findDegradedTask: () => Promise<string | undefined>
}

/** Throws when the command must not run. */
export type VerificationGate = (command: string) => Promise<void>

const OWN_SHELL =
  'Run it in your own shell, where the permissions of your harness apply: `holdfast checklist mark <item> verified --run "<command>"`. Without a shell, mark the item `done` and say in its note what was not run.'

/**
 * Commands that the daemon runs for an agent are outside of the harness's permissions and sandbox, so only whole lines that
 * the user listed are allowed. A pattern would not be a limit: what matches `*` may contain a `;`.
 */
export function createVerificationGate({
  allowed,
  configFile,
  findDegradedTask,
}: VerificationGatePorts): VerificationGate {
  const lines = new Set(allowed)
  return async (command) => {
    // Compared untrimmed: JavaScript trims characters that a shell takes as part of the program's name.
    if (!lines.has(command))
      throw new HoldfastError(
        'forbidden',
        lines.size === 0
          ? 'verify_command is off: the user allowed no command to be run by this tool. Nothing was run.'
          : 'The user did not allow this command to be run by this tool. Nothing was run.',
        {
          hint: `${OWN_SHELL} Only the user can allow a command here: in "checklist": { "verifyOverMcp": ["…"] } of ${configFile}, then \`holdfast daemon stop\`.`,
        },
      )
    // A call cannot prove its session, so one degraded session blocks all.
    const slug = await findDegradedTask()
    if (slug !== undefined)
      throw new HoldfastError(
        'forbidden',
        `A session of the task ${slug} is degraded to read-only, so verify_command runs nothing.`,
        {
          hint: `Tell the user; a person ends it with \`holdfast session sandbox --task ${slug} --leave --reason "…"\`.`,
        },
      )
  }
}
