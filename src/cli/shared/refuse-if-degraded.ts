import { HoldfastError } from '../../kernel/errors.ts'
import { readEnvironment } from '../../harness/descriptor/environment.ts'
import { findDegradedTaskAbove } from '../../tasks/context-safety/io/find-degraded.ts'

/** Commands that write a file of the project, run a command, delete, or end the sandbox. */
const WRITING =
  /^(?:checkpoints? (?:save|delete|autosave)|checklist (?:mark|verify)|task (?:new|gate|checkpoint|block|done)|sessions? (?:start|end|reopen|give-up|delete)|run|index|erase|forget|init|uninstall|import|export|handoff(?: .*)?|config (?:set|unset)|off|on|digest|projects delete|memories (?:edit|forget|delete|restore)|outbox.*|daemon stop)$/
/** Set in every shell that an agent runs commands in, and not in a person's terminal. */
const AGENT_SHELL = [
  'CLAUDECODE',
  'GEMINI_CLI',
  'OPENCODE',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'CURSOR_AGENT',
]

/** In the shell of an agent, what the sandbox refuses as a tool is refused as a command too: not every harness asks before it runs one. */
export function refuseIfDegraded(
  { name, isLeaving }: { readonly name: string; readonly isLeaving: boolean },
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): void {
  if (!WRITING.test(name) && !isLeaving) return
  const isAgent =
    readEnvironment(env).sessionKey !== undefined || AGENT_SHELL.some((variable) => (env[variable] ?? '') !== '')
  if (!isAgent) return
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
