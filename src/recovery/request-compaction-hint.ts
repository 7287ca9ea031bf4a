import { type InjectionText, createInjection } from '../kernel/injection.ts'
import { goalOf, renderAdvice } from './compaction-hint.ts'
import type { Session } from '../kernel/session.ts'
import type { Composing } from '../checkpoint/take-checkpoint.ts'
import type { ContinuityDeps } from '../kernel/ports/runtime.ts'

const ADVICE_BUDGET_CHARS = 1_500

/** What the harness's summariser is told before it compacts; undefined when nothing is known. */
export type Advising = (session: Session, maxChars: number) => Promise<InjectionText | undefined>

export function createAdvising(deps: ContinuityDeps, composing: Pick<Composing, 'checkpoint'>): Advising {
  /** Told to go on, a session works at what another one was asked for. */
  async function earlierAsk({ continues, place }: Session): Promise<string | undefined> {
    if (continues === undefined) return undefined
    const [before] = await deps.store.listCheckpoints({ sessionId: continues, limit: 1 })
    const isHere = before?.checkpoint.place.projectId === place?.projectId
    return before !== undefined && isHere ? goalOf(before.checkpoint) : undefined
  }

  return async (session, maxChars) => {
    if (session.place === undefined) return undefined
    // Recording has asked for this checkpoint already; asking again waits for it, and composes nothing twice.
    await composing.checkpoint(session.id, 'pre_compaction')
    const [newest] = await deps.store.listCheckpoints({ sessionId: session.id, limit: 1 })
    // Of a session that came here from another project, that one's checkpoints are not for here.
    if (newest?.checkpoint.place.projectId !== session.place.projectId) return undefined
    const redactor = await deps.redactors.forWorktree(session.place.worktree, session.cwd)
    const asked = goalOf(newest.checkpoint) === undefined ? await earlierAsk(session) : undefined
    const { text, reasons } = renderAdvice(newest.checkpoint, {
      ...(asked === undefined ? {} : { earlierAsk: asked }),
      budgetChars: Math.min(ADVICE_BUDGET_CHARS, maxChars),
      sha256: deps.sha256,
      redact: (line) => redactor.redact(line),
    })
    if (text === '') return undefined
    return createInjection(deps, session, 'compaction-advice', { text, sources: [newest.checkpoint.id], reasons })
  }
}
