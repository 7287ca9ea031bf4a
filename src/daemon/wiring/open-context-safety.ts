import { createInjection } from '../../kernel/injection.ts'
import type { InjectionSource } from '../../injection/injection-policy.ts'
import type { ContinuityApp } from '../../app/create-continuity.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { getSessionId } from '../../kernel/event.ts'
import type { Session } from '../../kernel/session.ts'
import { connectors } from '../../harness/registry.ts'
import { readFork } from '../../tasks/sessions/context-budget.ts'
import { findToolRefusal } from '../../tasks/context-safety/io/sandbox.ts'
import { type ContextWatch, createContextWatch } from '../../tasks/sessions/watch-context.ts'
import type { TaskWatch } from '../../tasks/use-cases/watch-tasks.ts'
import type { TaskPorts } from '../../tasks/files/task-ports.ts'

const LEDGER_LOOKBACK = 200

export interface ContextSafety extends ContextWatch {
  /** Refuses a tool call of a governed session that was degraded to reading. */
  readonly refuseTool: InjectionSource
  /** Points a governed session that reached its context budget to the session prepared for it. Once per fork. */
  readonly offerFork: InjectionSource
}

/** Context bands, the sandbox and the fork, for sessions that work for a task. */
export function openContextSafety(
  deps: ContinuityPorts,
  app: Pick<ContinuityApp, 'readTranscript'>,
  { world, watch }: { readonly world: TaskPorts; readonly watch: TaskWatch },
): ContextSafety {
  const notice = (session: Session, text: string, source: string) =>
    createInjection(deps, session, 'notice', {
      text,
      sources: [source],
      reasons: [{ line: text, origin: source, reason: 'the context of a governed session' }],
    })

  return {
    ...createContextWatch({
      ports: world,
      findTask: (sessionId) => watch.findTask(sessionId),
      configFor: deps.configFor,
      async catchUp(event) {
        await app.readTranscript(event)
        return await deps.store.findSession(getSessionId(event))
      },
      getContextWindow: ({ harness, model, contextWindowTokens }) =>
        contextWindowTokens ?? connectors.find(({ id }) => id === harness)?.contextWindowTokens?.(model),
    }),
    async refuseTool({ event, session }) {
      const link = watch.findTask(session.id)
      if (link === undefined || event.kind !== 'tool-started') return undefined
      const reason = await findToolRefusal(world, link, event.tool)
      return reason === undefined ? undefined : { ...notice(session, reason, `sandbox ${event.id}`), isRefusal: true }
    },
    async offerFork({ session }) {
      const link = watch.findTask(session.id)
      const fork = link === undefined ? undefined : await readFork(world, link)
      if (link === undefined || fork === undefined) return undefined
      const source = `fork ${fork.session_id}`
      const past = await deps.store.listInjections({ sessionId: session.id, kind: 'notice', limit: LEDGER_LOOKBACK })
      if (past.some(({ sources }) => sources.includes(source))) return undefined
      const text = `Context budget reached: a fresh session of the task ${link.slug} is prepared from the latest checkpoint (opening text: tasks/${link.slug}/${fork.opening}). Finish the step at hand, then end this session with \`holdfast session end --task ${link.slug}\` and tell the user to go on in a new one with \`holdfast session start --task ${link.slug} --resume\`.`
      return notice(session, text, source)
    },
  }
}
