import { HoldfastError } from '../../../kernel/errors.ts'

export interface VerificationGateDeps {
  /** `checklist.verifyOverMcp` of the user's own file, as it was when the daemon started. */
  readonly allowed: readonly string[]
  /** Where the user would allow a command. */
  readonly configFile: string
  /** The task of a session that is degraded to reading, whichever it is; undefined when there is none. */
  readonly findDegradedTask: () => Promise<string | undefined>
}

/** Throws for a command that must not run. */
export type VerificationGate = (command: string) => Promise<void>

const OWN_SHELL =
  'Run it in your own shell, where the permissions of your harness hold: `holdfast checklist mark <item> verified --run "<command>"`. Without a shell, mark the item `done` and say in its note what was not run.'

/**
 * Decides about commands that an agent asks the daemon to run: outside of the harness's permissions and its sandbox, so only what
 * the user wrote down, as a whole line. A pattern over a shell line is no limit: whatever follows a `*` may hold a `;`.
 */
export function createVerificationGate({
  allowed,
  configFile,
  findDegradedTask,
}: VerificationGateDeps): VerificationGate {
  const lines = new Set(allowed)
  return async (command) => {
    // Compared as it would run: what JavaScript trims, a shell takes for a part of the program's name.
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
    // A call cannot prove which session it comes from, so one degraded session stops the commands of all.
    const slug = await findDegradedTask()
    if (slug !== undefined)
      throw new HoldfastError(
        'forbidden',
        `A session of the task ${slug} is degraded to reading, so verify_command runs nothing.`,
        {
          hint: `Tell the user; a person ends it with \`holdfast session sandbox --task ${slug} --leave --reason "…"\`.`,
        },
      )
  }
}
