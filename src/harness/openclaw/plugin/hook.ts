import { join } from 'node:path'
import { asObject, asText } from '../../../kernel/json-shape.ts'
import { OpenClawSessions, PLUGIN_MARK } from './sessions.ts'
import { readBudgetMs, createReporter, type Reporter, within } from '../../plugin/report.ts'
import { quietly, detectPluginHost, type PluginOptions } from '../../plugin/plugin-host.ts'

const OPENCLAW = 'openclaw'
const BOOTSTRAP_MS = 2_000
const END_MS = 3_000
/** The name that the agent sees; no such file is written. */
const FILE_NAME = 'HOLDFAST.md'

interface Legacy {
  readonly reporter: Reporter
  readonly sessions: OpenClawSessions
  readonly env: NodeJS.ProcessEnv
}

/** The context of a legacy event as the plugin's own hooks have it. */
function readContext(event: unknown): unknown {
  const { sessionKey, context } = asObject(event)
  const { sessionId, workspaceDir, previousSessionEntry, sessionEntry, agentId } = asObject(context)
  const [before, now] = [asObject(previousSessionEntry), asObject(sessionEntry)]
  const id = asText(sessionId) ?? asText(before.sessionId) ?? asText(now.sessionId)
  return { sessionKey, sessionId: id, workspaceDir, agentId }
}

/** Leaves out the configuration and its files. */
function trimEvent(event: unknown): object {
  const { type, action, sessionKey, context } = asObject(event)
  const { sessionId, content, messageId, tokensBefore, tokensAfter, reason, workspaceDir } = asObject(context)
  return {
    type,
    action,
    sessionKey,
    context: { sessionId, content, messageId, tokensBefore, tokensAfter, reason, workspaceDir },
  }
}

async function bootstrap({ reporter, sessions, env }: Legacy, event: unknown): Promise<void> {
  const about = readContext(event)
  const session = sessions.observe({}, about)
  if (session.id === undefined || session.isChild === true) return
  if (!sessions.isOpen(session.id)) {
    const facts = { event: trimEvent(event), ctx: sessions.contextOf(about), session }
    sessions.open(session.id, reporter.send('agent:bootstrap', facts, { isAnswerWanted: true }))
  }
  const content = await sessions.startText(session.id, readBudgetMs(env, BOOTSTRAP_MS))
  const { bootstrapFiles } = asObject(asObject(event).context)
  if (content === undefined || !Array.isArray(bootstrapFiles)) return
  const path = join(session.workspace ?? '', FILE_NAME)
  bootstrapFiles.push({ name: FILE_NAME, path, content, missing: false })
}

function report({ reporter, sessions }: Legacy, hook: string, event: unknown, added: object = {}): Promise<unknown> {
  const about = readContext(event)
  const facts = {
    ...added,
    event: trimEvent(event),
    ctx: sessions.contextOf(about),
    session: sessions.observe({}, about),
  }
  return reporter.send(hook, facts)
}

async function handle(legacy: Legacy, event: unknown): Promise<void> {
  const { type, action } = asObject(event)
  const hook = `${asText(type) ?? ''}:${asText(action) ?? ''}`
  const { id } = legacy.sessions.observe({}, readContext(event))
  switch (hook) {
    case 'agent:bootstrap':
      return bootstrap(legacy, event)
    case 'command:new':
    case 'command:reset':
    case 'session:auto-reset':
      void report(legacy, hook, event)
      if (id !== undefined) legacy.sessions.close(id, 'new')
      return
    case 'session:compact:before':
      void report(legacy, hook, event)
      return
    case 'session:compact:after':
      void report(legacy, hook, event)
      if (id !== undefined) {
        const about = readContext(event)
        const session = legacy.sessions.observe({}, about)
        const facts = { event: {}, ctx: legacy.sessions.contextOf(about), session, source: 'compact' }
        legacy.sessions.open(id, legacy.reporter.send('agent:bootstrap', facts, { isAnswerWanted: true }))
      }
      return
    case 'message:received':
      void report(legacy, hook, event)
      return
    case 'gateway:shutdown':
      for (const session of legacy.sessions.takeOpen()) void legacy.reporter.send(hook, { event: {}, ctx: {}, session })
      await legacy.reporter.settle(readBudgetMs(legacy.env, END_MS))
  }
}

/** OpenClaw's older kind of hook (`HOOK.md`). Inactive in a process where the plugin runs, so that everything is reported once. */
export function createHook(options: PluginOptions = {}): (event: unknown) => Promise<void> {
  let legacy: Legacy | undefined
  const guarded = quietly((event) => {
    if (Reflect.get(globalThis, PLUGIN_MARK) !== undefined) return undefined
    const surroundings = detectPluginHost(options)
    const { env } = surroundings
    legacy ??= { reporter: createReporter(OPENCLAW, surroundings), sessions: new OpenClawSessions(), env }
    return within(readBudgetMs(env, END_MS), handle(legacy, event))
  })
  return async (event) => void (await guarded(event, undefined))
}
