import { HoldfastError } from '../../kernel/errors.ts'
import { findDegradedTaskAbove } from '../../tasks/context-safety/io/find-degraded.ts'
import { isAgentShell } from './agent-shell.ts'

/** The entry of the command table, and the options given. */
interface CommandAndOptions {
  readonly entry: {
    readonly name: string
    readonly effect?: 'reads' | 'saves'
    readonly writesWith?: readonly string[]
  }
  readonly options: Readonly<Record<string, unknown>>
}

/** In the shell of an agent, a command is refused if the sandbox refuses its tool: not every harness asks before it runs one. */
export function refuseIfDegraded(
  { entry: { name, effect, writesWith = [] }, options }: CommandAndOptions,
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): void {
  const doesMore = effect === undefined || writesWith.some((option) => options[option] === true)
  if (!doesMore || !isAgentShell(env)) return
  const slug = findDegradedTaskAbove(cwd)
  if (slug === undefined) return
  throw new HoldfastError(
    'forbidden',
    `A session of the task ${slug} is degraded to read-only, so \`holdfast ${name}\` does nothing in an agent's shell.`,
    {
      hint: `Inform the user; a person ends it in a terminal with \`holdfast session sandbox --task ${slug} --leave --reason "…"\`.`,
    },
  )
}
