import type { Continuity } from '../../app/continuity.ts'
import { isOver } from '../../kernel/liveness.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { SessionKey } from '../../kernel/id.ts'
import type { Session } from '../../kernel/session.ts'
import type { Caller } from './caller.ts'

const LOOKED_THROUGH = 50

async function findTold(caller: Caller, continuity: Pick<Continuity, 'getSession'>): Promise<Session | undefined> {
  if (caller.sessionKey === undefined || caller.harness === undefined) return undefined
  try {
    return await continuity.getSession(SessionKey(caller.sessionKey), caller.harness)
  } catch (error) {
    // Unknown, because its first hook is still on its way. Anything worse the tool itself will meet, and say.
    if (error instanceof HoldfastError) return undefined
    throw error
  }
}

/**
 * The caller with the session it is in now. A harness's environment names the session its server was started in, and
 * Claude Code keeps the server when `/clear` begins another. Where the named one has ended and exactly one live session
 * runs in the very same process, it is that one; in every other case what was told stands.
 */
export async function withCurrentSession(
  caller: Caller,
  continuity: Pick<Continuity, 'getSession' | 'listSessions'>,
): Promise<Caller> {
  const told = await findTold(caller, continuity)
  const { process } = told ?? {}
  if (told === undefined || process === undefined || !isOver(told)) return caller
  const live = await continuity.listSessions({
    phases: ['idle', 'working', 'compacting'],
    limit: LOOKED_THROUGH,
    ...(caller.cwd !== undefined && { cwd: caller.cwd }),
  })
  const successors = live.filter(
    (session) =>
      session.harness === told.harness &&
      session.machine?.id === told.machine?.id &&
      session.process?.pid === process.pid &&
      session.process.startedAt === process.startedAt,
  )
  const [successor] = successors
  return successor === undefined || successors.length > 1 ? caller : { ...caller, sessionKey: successor.key }
}
