import { type EventKind, EVENT_KINDS, getSessionId } from '../kernel/event.ts'
import type { InjectionRequest, InjectionText } from '../kernel/injection.ts'
import type { ContinuityPorts } from '../kernel/ports/runtime.ts'
import type { Session } from '../kernel/session.ts'
import type { InjectionUseCases } from './use-cases.ts'

interface RankedSource {
  readonly name: string
  readonly at: readonly EventKind[]
  /** Only if `continuity.enabled` is on. Sources at every tool call check that themselves, once they have text. */
  readonly needsCapture?: true
}

/** The sources that may inject at a hook, highest priority first: only the first one with text injects. */
export const INJECTION_SOURCES = [
  /** A tool call of a governed session that was degraded to reading. */
  { name: 'sandbox-refusal', at: ['tool-started'] },
  /** Another live session edited this file, or recorded its intent on it. */
  { name: 'edit-warning', at: ['tool-started'] },
  /** The call plainly breaks a rule of the user: a warning only. */
  { name: 'rule-warning', at: ['tool-started'] },
  /** The command failed before, or loops: a warning only. */
  { name: 'failure-warning', at: ['tool-started'] },
  /** The session missed its recovery because the daemon was not running at its start and prompt. */
  { name: 'late-recovery', at: ['tool-started'] },
  { name: 'compaction-hint', at: ['compaction-started'], needsCapture: true },
  /**
   * The recovery with the loop breaker's warning, the rules and memories of every start, and the memories that match a prompt. At
   * the end of a tool: what is owed since a compaction in the middle of a turn.
   */
  { name: 'context', at: ['session-started', 'prompt-submitted', 'tool-finished'], needsCapture: true },
  { name: 'failure-warning', at: ['tool-finished'], needsCapture: true },
  /** The context fills up, or much was done since the last digest. Tried again at the next hook while other sources inject. */
  { name: 'digest-request', at: ['prompt-submitted', 'tool-started', 'tool-finished'] },
  /** A governed session reached its context budget. */
  { name: 'fork-notice', at: EVENT_KINDS },
] as const satisfies readonly RankedSource[]

export type InjectionSourceName = (typeof INJECTION_SOURCES)[number]['name']

export interface InjectionOffer extends InjectionRequest {
  readonly session: Session
}

/** Undefined when there is nothing to inject, which is usual. */
export type InjectionSource = (offer: InjectionOffer) => Promise<InjectionText | undefined> | undefined

export type InjectionSources = Readonly<Partial<Record<InjectionSourceName, InjectionSource>>>

export function createInject(
  { store, configFor }: Pick<ContinuityPorts, 'store' | 'configFor'>,
  sources: InjectionSources,
): InjectionUseCases['inject'] {
  const offers = new Map(
    EVENT_KINDS.map((kind) => [
      kind,
      INJECTION_SOURCES.flatMap((source) => {
        const offer = sources[source.name]
        const { at, needsCapture }: RankedSource = source
        return offer !== undefined && at.includes(kind) ? [{ offer, needsCapture }] : []
      }),
    ]),
  )
  return async (request) => {
    const { event } = request
    const session = request.session ?? (await store.findSession(getSessionId(event)))
    if (session === undefined) return undefined
    let isCapturing: boolean | undefined
    for (const { offer, needsCapture } of offers.get(event.kind) ?? []) {
      if (needsCapture === true) {
        isCapturing ??= (await configFor(session.place?.worktree)).continuity.enabled
        if (!isCapturing) continue
      }
      const injection = await offer({ ...request, session })
      if (injection !== undefined) return injection
    }
    return undefined
  }
}
