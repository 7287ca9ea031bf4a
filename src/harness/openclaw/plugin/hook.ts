import { join } from 'node:path'
import { objectOf, textOf } from '../../../kernel/json-shape.ts'
import { OpenClawSessions, PLUGIN_MARK } from './sessions.ts'
import { budgetOf, createReporter, type Reporter } from '../../plugin/report.ts'
import { quietly, surroundingsOf, type PluginOptions } from '../../plugin/surroundings.ts'
import { within } from '../../plugin/within.ts'

const OPENCLAW = 'openclaw'
const BOOTSTRAP_MS = 2_000
const FAREWELL_MS = 3_000
/** What the agent sees it as; nothing of that name is written. */
const FILE_NAME = 'HOLDFAST.md'

interface Legacy {
  readonly reporter: Reporter
  readonly sessions: OpenClawSessions
  readonly env: NodeJS.ProcessEnv
}

/** The legacy event in the form in which the plugin tells its own: the session is named inside the context. */
function sessionIn(event: unknown): unknown {
  const { sessionKey, context } = objectOf(event)
  const { sessionId, workspaceDir, previousSessionEntry, sessionEntry, agentId } = objectOf(context)
  const [before, now] = [objectOf(previousSessionEntry), objectOf(sessionEntry)]
  const id = textOf(sessionId) ?? textOf(before.sessionId) ?? textOf(now.sessionId)
  return { sessionKey, sessionId: id, workspaceDir, agentId }
}

/** The configuration and its files are not ours to pass on. */
function toldOf(event: unknown): object {
  const { type, action, sessionKey, context } = objectOf(event)
  const { sessionId, content, messageId, tokensBefore, tokensAfter, reason, workspaceDir } = objectOf(context)
  return {
    type,
    action,
    sessionKey,
    context: { sessionId, content, messageId, tokensBefore, tokensAfter, reason, workspaceDir },
  }
}

async function bootstrap({ reporter, sessions, env }: Legacy, event: unknown): Promise<void> {
  const about = sessionIn(event)
  const session = sessions.meet({}, about)
  if (session.id === undefined || session.isChild === true) return
  if (!sessions.isOpen(session.id)) {
    const facts = { event: toldOf(event), ctx: sessions.contextOf(about), session }
    sessions.open(session.id, reporter.send('agent:bootstrap', facts, { isAnswerWanted: true }))
  }
  const content = await sessions.owed(session.id, budgetOf(env, BOOTSTRAP_MS))
  const { bootstrapFiles } = objectOf(objectOf(event).context)
  if (content === undefined || !Array.isArray(bootstrapFiles)) return
  const path = join(session.workspace ?? '', FILE_NAME)
  bootstrapFiles.push({ name: FILE_NAME, path, content, missing: false })
}

function tell({ reporter, sessions }: Legacy, hook: string, event: unknown, added: object = {}): Promise<unknown> {
  const about = sessionIn(event)
  const facts = { ...added, event: toldOf(event), ctx: sessions.contextOf(about), session: sessions.meet({}, about) }
  return reporter.send(hook, facts)
}

async function handle(legacy: Legacy, event: unknown): Promise<void> {
  const { type, action } = objectOf(event)
  const hook = `${textOf(type) ?? ''}:${textOf(action) ?? ''}`
  const { id } = legacy.sessions.meet({}, sessionIn(event))
  switch (hook) {
    case 'agent:bootstrap':
      return bootstrap(legacy, event)
    case 'command:new':
    case 'command:reset':
    case 'session:auto-reset':
      void tell(legacy, hook, event)
      if (id !== undefined) legacy.sessions.close(id, 'new')
      return
    case 'session:compact:before':
      void tell(legacy, hook, event)
      return
    case 'session:compact:after':
      void tell(legacy, hook, event)
      if (id !== undefined) {
        const about = sessionIn(event)
        const session = legacy.sessions.meet({}, about)
        const facts = { event: {}, ctx: legacy.sessions.contextOf(about), session, source: 'compact' }
        legacy.sessions.open(id, legacy.reporter.send('agent:bootstrap', facts, { isAnswerWanted: true }))
      }
      return
    case 'message:received':
      void tell(legacy, hook, event)
      return
    case 'gateway:shutdown':
      for (const session of legacy.sessions.takeOpen()) void legacy.reporter.send(hook, { event: {}, ctx: {}, session })
      await legacy.reporter.settle(budgetOf(legacy.env, FAREWELL_MS))
  }
}

/** OpenClaw's hook of the older kind (`HOOK.md`): it is silent in a process in which the plugin speaks, so that everything is told once. */
export function createHook(options: PluginOptions = {}): (event: unknown) => Promise<void> {
  let legacy: Legacy | undefined
  const guarded = quietly((event) => {
    if (Reflect.get(globalThis, PLUGIN_MARK) !== undefined) return undefined
    const surroundings = surroundingsOf(options)
    const { env } = surroundings
    legacy ??= { reporter: createReporter(OPENCLAW, surroundings), sessions: new OpenClawSessions(), env }
    return within(budgetOf(env, FAREWELL_MS), handle(legacy, event))
  })
  return async (event) => void (await guarded(event, undefined))
}
