import type { CaptureUseCases } from '../capture/use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'
import { isOfPresentProject, type Session } from '../kernel/session.ts'
import type { ConsideredPrompt } from '../memory/prompt/prompt-memories.ts'
import type { InjectionUseCases } from './use-cases.ts'

const LEDGER_LINES = 50

export interface ExplainPorts {
  readonly getSession: CaptureUseCases['getSession']
  readonly considered: (session: Session) => Promise<readonly ConsideredPrompt[]>
}

/** What was injected into a session and why, from the ledger. */
export function createExplain(
  deps: Pick<ContinuityDeps, 'store' | 'places'>,
  { getSession, considered }: ExplainPorts,
): Pick<InjectionUseCases, 'explain'> {
  async function newestInjected(cwd: string | undefined): Promise<Session | undefined> {
    const here = cwd === undefined ? undefined : await deps.places.locate(cwd)
    const isHere = ({ place }: Session) =>
      here === undefined || (place?.worktree === here.worktree && place.projectId === here.projectId)
    for (const injection of await deps.store.listInjections({ limit: LEDGER_LINES })) {
      const session = await deps.store.findSession(injection.sessionId)
      if (session !== undefined && isHere(session)) return session
    }
    // Why nothing was shown is a question too.
    const { worktree, projectId } = here ?? {}
    return (await deps.store.listSessions({ worktree, projectId, limit: 1 }))[0]
  }

  return {
    async explain({ sessionKey, cwd }) {
      const session = sessionKey === undefined ? await newestInjected(cwd) : await getSession(sessionKey)
      if (session === undefined) {
        throw new HoldfastError('not-found', 'Nothing has been put before an agent here yet.', {
          hint: 'Start a session in this project, or run `holdfast recover <transcript> --explain` on a transcript.',
        })
      }
      const told = await deps.store.listInjections({ sessionId: session.id, limit: LEDGER_LINES })
      const injections = told.filter((injection) => isOfPresentProject(injection, session))
      return { session, injections, prompts: await considered(session) }
    },
  }
}
