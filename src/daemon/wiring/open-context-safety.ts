import { createInjection } from '../../kernel/injection.ts'
import type { InjectionSource } from '../../injection/injection-policy.ts'
import type { ContinuityApp } from '../../app/create-continuity.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { getSessionId } from '../../kernel/event.ts'
import type { Session } from '../../kernel/session.ts'
import { getContextWindow } from '../../harness/registry.ts'
import { readContextNotices } from '../../tasks/sessions/context-budget.ts'
import { findToolRefusal } from '../../tasks/context-safety/io/sandbox.ts'
import { type ContextWatch, createContextWatch } from '../../tasks/sessions/watch-context.ts'
import type { TaskWatch } from '../../tasks/use-cases/watch-tasks.ts'
import type { TaskPorts } from '../../tasks/files/task-ports.ts'

const LEDGER_LOOKBACK = 200

export interface ContextSafety extends ContextWatch {
  /** Refuses a tool call of a governed session that was degraded to reading. */
  readonly refuseTool: InjectionSource
  /** Points a governed session at its context budget to the session prepared for it, and gives it the summary of a refresh. Once each. */
  readonly offerFork: InjectionSource
}

/** Context bands, the sandbox and the fork, for sessions that work for a task. */
export function openContextSafety(
  deps: ContinuityPorts,
  app: Pick<ContinuityApp, 'readTranscript'>,
  { taskPorts, watch }: { readonly taskPorts: TaskPorts; readonly watch: TaskWatch },
): ContextSafety {
  const notice = (session: Session, text: string, source: string) =>
    createInjection(deps, session, 'notice', {
      text,
      sources: [source],
      reasons: [{ line: text, origin: source, reason: 'the context of a governed session' }],
    })

  return {
    ...createContextWatch({
      ports: taskPorts,
      findTask: (sessionId) => watch.findTask(sessionId),
      configFor: deps.configFor,
      async catchUp(event) {
        await app.readTranscript(event)
        return await deps.store.findSession(getSessionId(event))
      },
      getContextWindow,
    }),
    async refuseTool({ event, session }) {
      const link = watch.findTask(session.id)
      if (link === undefined || event.kind !== 'tool-started') return undefined
      const reason = await findToolRefusal(taskPorts, link, event.tool)
      return reason === undefined ? undefined : { ...notice(session, reason, `sandbox ${event.id}`), isRefusal: true }
    },
    async offerFork({ session }) {
      const link = watch.findTask(session.id)
      if (link === undefined) return undefined
      const { fork, refresh } = await readContextNotices(taskPorts, link)
      if (fork === null && refresh === null) return undefined
      const past = await deps.store.listInjections({ sessionId: session.id, kind: 'notice', limit: LEDGER_LOOKBACK })
      const isNew = (source: string) => !past.some(({ sources }) => sources.includes(source))
      if (fork !== null && isNew(`fork ${fork.session_id}`)) {
        const text = `Context budget reached: a fresh session of the task ${link.slug} is prepared from the latest checkpoint (opening text: tasks/${link.slug}/${fork.opening}). Finish the step at hand, then end this session with \`holdfast session end --task ${link.slug} --summary "…"\` and tell the user to go on in a new one with \`holdfast session start --task ${link.slug} --resume\`.`
        return notice(session, text, `fork ${fork.session_id}`)
      }
      if (refresh === null || !isNew(`refresh ${refresh.checkpoint_id}`)) return undefined
      const text = `Context refresh after ${refresh.tokens_flushed} tokens. Work from this summary of the task; where earlier messages differ from it, check the files.\n${refresh.text}`
      return notice(session, text, `refresh ${refresh.checkpoint_id}`)
    },
  }
}
