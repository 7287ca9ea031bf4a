import { readEnvironment } from '../../harness/descriptor/environment.ts'
import { isStartedBy, SESSION_MARKS } from '../../platform/process/ancestor.ts'
import type { CliContext } from './command.ts'

/** Set for the commands of an agent, besides the marks of sessions. */
const SHELL_MARKS = ['CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CURSOR_AGENT']
const MAX_SESSIONS = 100

/** Whether a harness set the environment: a person's terminal has none of this, but a shell can remove it. */
export function isAgentShell(env: NodeJS.ProcessEnv): boolean {
  return (
    readEnvironment(env).sessionKey !== undefined ||
    Object.keys(env).some((name) => SESSION_MARKS.test(name)) ||
    SHELL_MARKS.some((name) => (env[name] ?? '') !== '')
  )
}

/** Whether an agent runs this command: by what its harness sets, and by the processes of live sessions. */
export async function isRunByAgent(context: Pick<CliContext, 'env' | 'continuity'>): Promise<boolean> {
  if (isAgentShell(context.env)) return true
  const sessions = await (await context.continuity()).listSessions({ limit: MAX_SESSIONS })
  const pids = sessions.flatMap(({ process, phase }) =>
    process === undefined || phase === 'ended' || phase === 'interrupted' ? [] : [process.pid],
  )
  return isStartedBy(new Set(pids))
}
