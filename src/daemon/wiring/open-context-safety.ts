import { type InjectionRequest, type InjectionText, createInjection } from '../../kernel/injection.ts'
import type { ContinuityEngine } from '../../app/create-continuity.ts'
import type { ContinuityDeps } from '../../kernel/ports/runtime.ts'
import { sessionIdOfEvent } from '../../kernel/event.ts'
import type { Session } from '../../kernel/session.ts'
import { connectors } from '../../harness/registry.ts'
import { readFork } from '../../tasks/sessions/read-fork.ts'
import { refusalOfTool } from '../../tasks/context-safety/io/refuse-tool.ts'
import { type ContextWatch, createContextWatch } from '../../tasks/sessions/watch-context.ts'
import type { TaskWatch } from '../../tasks/use-cases/watch-tasks.ts'
import type { TaskWorld } from '../../tasks/files/task-ports.ts'

const LEDGER_LOOKBACK = 200

export interface LongContext extends ContextWatch {
  /** What a session of a governed task is told or refused before a tool or at a prompt; undefined for everybody else. */
  inject(request: InjectionRequest): Promise<InjectionText | undefined>
}

/** Context bands, the sandbox and the fork, for sessions that work for a task. */
export function openLongContext(
  deps: ContinuityDeps,
  spine: Pick<ContinuityEngine, 'readTranscript'>,
  { world, watch }: { readonly world: TaskWorld; readonly watch: TaskWatch },
): LongContext {
  const notice = (session: Session, text: string, source: string) =>
    createInjection(deps, session, 'notice', {
      text,
      sources: [source],
      reasons: [{ line: text, origin: source, reason: 'the context of a governed session' }],
    })

  async function forkNotice(session: Session, link: NonNullable<ReturnType<TaskWatch['taskOf']>>) {
    const fork = await readFork(world, link)
    if (fork === undefined) return undefined
    const source = `fork ${fork.session_id}`
    const past = await deps.store.listInjections({ sessionId: session.id, kind: 'notice', limit: LEDGER_LOOKBACK })
    if (past.some(({ sources }) => sources.includes(source))) return undefined
    const text = `Context budget reached: a fresh session of the task ${link.slug} is prepared from the latest checkpoint (opening text: tasks/${link.slug}/${fork.opening}). Finish the step at hand, then end this session with \`holdfast session end --task ${link.slug}\` and tell the user to go on in a new one with \`holdfast session start --task ${link.slug} --resume\`.`
    return notice(session, text, source)
  }

  return {
    ...createContextWatch({
      world,
      taskOf: (sessionId) => watch.taskOf(sessionId),
      configFor: deps.configFor,
      async catchUp(event) {
        await spine.readTranscript(event)
        return await deps.store.findSession(sessionIdOfEvent(event))
      },
      contextWindowOf: ({ harness, model, contextWindowTokens }) =>
        contextWindowTokens ?? connectors.find(({ id }) => id === harness)?.contextWindowTokens?.(model),
    }),
    async inject({ event, session: given }) {
      const sessionId = sessionIdOfEvent(event)
      const link = watch.taskOf(sessionId)
      if (link === undefined) return undefined
      const session = given ?? (await deps.store.findSession(sessionId))
      if (session === undefined) return undefined
      if (event.kind === 'tool-started') {
        const reason = await refusalOfTool(world, link, event.tool)
        if (reason !== undefined) return { ...notice(session, reason, `sandbox ${event.id}`), isRefusal: true }
      }
      return await forkNotice(session, link)
    },
  }
}
