import { createInjection, type InjectionText, type LineReason } from '../kernel/injection.ts'
import type { RecoveryUseCases } from './use-cases.ts'
import { type SessionEvent, getSessionId } from '../kernel/event.ts'
import type { Location } from '../kernel/location.ts'
import type { Checkpoint } from '../kernel/checkpoint.ts'
import { listNewestSessions } from '../kernel/ports/newest-first.ts'
import { findWork } from './find-work.ts'
import { advance, type Session } from '../kernel/session.ts'
import type { Checkpointer } from '../checkpoint/take-checkpoint.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import { createOverflowQuery } from './overflow.ts'
import { createSourceSelection, type StartingPoint } from './select-sources.ts'
import { createStartBlock, type StartBlock } from './start-block.ts'
import { INJECTED_BEFORE } from './no-recovery-reason.ts'
import { BoundedMap } from '../kernel/structures/bounded-map.ts'

const PREPARED_FOR_MS = 60_000
const MAX_PREPARED = 100
/** How many sessions are looked at for one that did work. */
const WORK_CANDIDATES = 40

export interface SessionRecovery {
  readonly preview: RecoveryUseCases['previewRecovery']
  /** As `preview`, with the sections of its lines and its budget. */
  describeStart(start: Omit<StartingPoint, 'place'> & { readonly cwd: string }): Promise<StartBlock>
  /** The recovery owed to this session; undefined if it was injected already or nothing is known. */
  owed(session: Session, event: SessionEvent, maxChars: number): Promise<InjectionText | undefined>
  /** The checkpoint of the work in `cwd` that a command without a session refers to; undefined if none is known. */
  readonly findWork: (cwd: string) => Promise<Checkpoint | undefined>
  /** The text for a start that could not be stored, from what can still be read. Writes nothing; empty if nothing is known. */
  readonly recoverUnrecorded: (event: SessionEvent, maxChars: number) => Promise<string>
}

function joinLines(reasons: readonly LineReason[]): string {
  return reasons.flatMap(({ line }) => (line === '' ? [] : [line])).join('\n')
}

/** The recovery of a starting session and its preview; each is prepared once. */
export function createSessionRecovery(
  ports: ContinuityPorts,
  checkpointer: Pick<Checkpointer, 'checkpoint'>,
): SessionRecovery {
  const selection = createSourceSelection(ports, checkpointer)
  const prepared = new BoundedMap<string, { readonly text: Promise<InjectionText | undefined>; readonly atMs: number }>(
    MAX_PREPARED,
  )

  const blockFor = createStartBlock(ports, selection)
  const queryOverflow = createOverflowQuery(ports, selection, blockFor)

  /** A resumed conversation still has its earlier injections, unless it was compacted since. */
  async function wasInjected(session: Session, reasons: readonly LineReason[]): Promise<boolean> {
    if (session.source !== 'resume' || ports.forgetsInjections?.(session.harness) === true) return false
    const [last] = await ports.store.listInjections({ sessionId: session.id, kind: 'recovery', limit: 1 })
    // By its lines: the age of the record changes, its content does not.
    return last !== undefined && joinLines(last.reasons) === joinLines(reasons)
  }

  async function prepare(session: Session, place: Location, maxChars: number): Promise<InjectionText | undefined> {
    const block = await blockFor({ place, session }, maxChars)
    const { forUser } = block
    const injection = {
      ...createInjection(ports, session, 'recovery', block),
      ...(forUser !== undefined && { forUser }),
    }
    const isSilent = block.text === ''
    if (!isSilent && !(await wasInjected(session, block.reasons))) return injection
    const reasons = isSilent ? block.reasons : [INJECTED_BEFORE, ...block.reasons]
    // An empty recovery is recorded too, or another session's end would be injected in the middle of this one.
    await ports.store.recordInjection({ ...injection.injection, reasons, chars: 0 })
    return undefined
  }

  /** A recovery that was too late for one hook is ready for the next: a slow machine must not start over at every prompt. */
  function preparedFor(session: Session, place: Location, maxChars: number): Promise<InjectionText | undefined> {
    const key = `${session.id}#${session.epoch}`
    const known = prepared.get(key)
    if (known !== undefined && ports.clock.monotonicMs() - known.atMs < PREPARED_FOR_MS) return known.text
    const text = prepare(session, place, maxChars)
    prepared.set(key, { text, atMs: ports.clock.monotonicMs() })
    text.catch(() => prepared.delete(key))
    return text
  }

  return {
    async preview({ cwd, harness, sessionKey, isResumed = false, restChars, restOf }) {
      const place = await ports.locator.locate(cwd)
      const known = sessionKey === undefined ? [] : await ports.store.findSessionsByKey(sessionKey)
      const found = known.find((candidate) => harness === undefined || candidate.harness === harness)
      const session = found === undefined || !isResumed ? found : { ...found, source: 'resume' as const }
      if (restChars === undefined) {
        const {
          sections: _,
          budgetChars: __,
          ...block
        } = await blockFor({ place, cwd, session }, Number.MAX_SAFE_INTEGER)
        return block
      }
      return queryOverflow({ place, session, budgetChars: restChars, of: restOf })
    },

    async describeStart({ cwd, session }) {
      return blockFor({ place: await ports.locator.locate(cwd), cwd, session }, Number.MAX_SAFE_INTEGER)
    },

    async owed(session, event, maxChars) {
      const isOwed = session.epoch > session.recoveredEpoch
      if (!isOwed || session.place === undefined || event.subagent !== undefined) return undefined
      return preparedFor(session, session.place, maxChars)
    },

    async findWork(cwd) {
      const place = await ports.locator.locate(cwd)
      const { projectId, worktree } = place
      const sessions = await listNewestSessions(ports.store, { projectId, worktree, limit: WORK_CANDIDATES })
      const findNewest = async ({ id, hasNewWork }: Session) => {
        if (hasNewWork) await checkpointer.checkpoint(id, 'periodic')
        return (await ports.store.listCheckpoints({ sessionId: id, limit: 1 }))[0]?.checkpoint
      }
      return findWork({ sessions, findNewest }, { place, cwd })
    },

    async recoverUnrecorded(event, maxChars) {
      if (event.kind !== 'session-started' || event.cwd === undefined || event.subagent !== undefined) return ''
      const place = await ports.locator.locate(event.cwd)
      const { continuity: cadence } = await ports.configFor(place.worktree)
      const known = await ports.store.findSession(getSessionId(event))
      // The session as if its start had been stored: a resume or a compaction decides on the sources.
      const { session } = advance(known, event, { seq: 0, location: place, cadence })
      return (await blockFor({ place, session }, maxChars)).text
    },
  }
}
