import type { CaptureUseCases } from '../capture/use-cases.ts'
import { HoldfastError } from '../kernel/errors.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { isFromPresentProject, type Session } from '../kernel/session.ts'
import type { ConsideredPrompt } from '../memory/prompt/prompt-memories.ts'
import type { InjectionUseCases } from './use-cases.ts'

const LEDGER_LINES = 50

export interface ExplainPorts {
  readonly getSession: CaptureUseCases['getSession']
  readonly considered: (session: Session) => Promise<readonly ConsideredPrompt[]>
}

export function createExplain(
  ports: Pick<ContinuityPorts, 'store' | 'locator'>,
  { getSession, considered }: ExplainPorts,
): Pick<InjectionUseCases, 'explain'> {
  async function newestInjected(cwd: string | undefined): Promise<Session | undefined> {
    const here = cwd === undefined ? undefined : await ports.locator.locate(cwd)
    const isHere = ({ place }: Session) =>
      here === undefined || (place?.worktree === here.worktree && place.projectId === here.projectId)
    for (const injection of await ports.store.listInjections({ limit: LEDGER_LINES })) {
      const session = await ports.store.findSession(injection.sessionId)
      if (session !== undefined && isHere(session)) return session
    }
    // Without an injection, explain why there was none.
    const { worktree, projectId } = here ?? {}
    return (await ports.store.listSessions({ worktree, projectId, limit: 1 }))[0]
  }

  return {
    async explain({ sessionKey, cwd }) {
      const session = sessionKey === undefined ? await newestInjected(cwd) : await getSession(sessionKey)
      if (session === undefined) {
        throw new HoldfastError('not-found', 'No text was added to a session here yet.', {
          hint: 'Start a session in this project, or run `holdfast recover <transcript> --explain` on a transcript.',
        })
      }
      const ledger = await ports.store.listInjections({ sessionId: session.id, limit: LEDGER_LINES })
      const injections = ledger.filter((injection) => isFromPresentProject(injection, session))
      return { session, injections, prompts: await considered(session) }
    },
  }
}
