import { isObject, type JsonObject, asList, asNumber, asObject, asText } from '../../../kernel/json-shape.ts'
import { OpenClawSessions, PLUGIN_MARK } from './sessions.ts'
import {
  readBudgetMs,
  createReporter,
  REFUSAL_MS,
  type Reporter,
  type SendOptions,
  type PluginHost,
  within,
} from '../../plugin/report.ts'
import { isCallable, type PluginOptions, quietly, detectPluginHost, reportAtExit } from '../../plugin/plugin-host.ts'

const OPENCLAW = 'openclaw'
/** OpenClaw 2026.9.6 gives a prompt hook 15 s and then skips it; a user should not wait that long for Holdfast. */
const PROMPT_MS = 2_000
/** Of the 5 s that the gateway allows for its stop. */
const END_MS = 3_000
const MAX_SAID_CHARS = 20_000
/** An upper bound also on slow machines. */
const MAX_REFUSAL_MS = 5_000
const WANTED: SendOptions = { isAnswerWanted: true }
/** Never refused, so never waited for. */
const READING_TOOLS = new Set([
  'read',
  'ls',
  'find',
  'grep',
  'memory_search',
  'memory_get',
  'session_status',
  'tool_search',
])

type Handler = (event: unknown, context: unknown) => unknown

/** Results by call and hook: OpenClaw may register the plugin several times and call each handler. */
class Calls {
  readonly #known = new WeakMap<object, Map<string, unknown>>()

  once(hook: string, handler: Handler): Handler {
    return (event, context) => {
      if (!isObject(event)) return handler(event, context)
      const results = this.#known.get(event) ?? new Map<string, unknown>()
      if (results.has(hook)) return results.get(hook)
      const result = handler(event, context)
      this.#known.set(event, results.set(hook, result))
      return result
    }
  }
}

/** The last assistant text of a run. */
function findLastText(messages: unknown): string | undefined {
  const message = asList(messages)
    .map(asObject)
    .findLast((one) => one.role === 'assistant')
  const texts = asList(message?.content).flatMap((block) => asText(asObject(block).text) ?? [])
  return texts.length === 0 ? asText(message?.content) : texts.join('\n').slice(0, MAX_SAID_CHARS)
}

function contextTokens(messages: unknown): unknown {
  const usages = asList(messages).flatMap((message) => asObject(asObject(message).usage).totalTokens ?? [])
  return usages.at(-1)
}

/** One per process, however often OpenClaw registers the plugin: for its commands, for its runs, and again after a change. */
class OpenClawProcess {
  readonly mark = PLUGIN_MARK
  readonly sessions = new OpenClawSessions()
  readonly calls = new Calls()
  surroundings: PluginHost
  reporter: Reporter

  constructor(options: PluginOptions) {
    this.surroundings = detectPluginHost(options)
    this.reporter = createReporter(OPENCLAW, this.surroundings)
    // An embedded run has no gateway that stops.
    reportAtExit(this.surroundings, () =>
      this.sessions
        .takeOpen()
        .map((session) => ({ harness: OPENCLAW, hook: 'gateway_stop', payload: { event: {}, session } })),
    )
  }

  configure(options: PluginOptions): void {
    this.surroundings = detectPluginHost(options)
    this.reporter = createReporter(OPENCLAW, this.surroundings)
  }
}

/** By its mark and not by its class: each copy of the plugin has a class of its own. */
function isOpenClawProcess(value: unknown): value is OpenClawProcess {
  return isObject(value) && value.mark === PLUGIN_MARK
}

function readOptions(config: unknown): PluginOptions {
  const { home, node, hook } = asObject(config)
  return { home: asText(home), node: asText(node), hook: asText(hook) }
}

function getProcess(api: JsonObject): OpenClawProcess {
  const known: unknown = Reflect.get(globalThis, PLUGIN_MARK)
  const one = isOpenClawProcess(known) ? known : new OpenClawProcess(readOptions(api.pluginConfig))
  if (one === known && isObject(api.pluginConfig)) one.configure(readOptions(api.pluginConfig))
  Reflect.set(globalThis, PLUGIN_MARK, one)
  return one
}

/** OpenClaw's plugin: reports events and injects the daemon's answers. */
export function register(api: unknown): void {
  if (!isObject(api) || !isCallable(api.on)) return
  const { on } = api
  const one = getProcess(api)
  const { sessions, calls } = one
  const patience = (ms: number) => readBudgetMs(one.surroundings.env, ms)

  function report(hook: string, event: unknown, context: unknown, added: object = {}, options: SendOptions = {}) {
    const session = sessions.observe(event, context)
    const usage = sessions.takeUsage(session.id)
    const facts = { ...added, event, ctx: sessions.contextOf(context), session, context: usage }
    return one.reporter.send(hook, facts, options)
  }

  /** Also where OpenClaw sends no session_start, as in an embedded run. */
  function open(id: string, source: string, event: unknown, context: unknown, previous?: string): void {
    sessions.open(id, report('session_start', event, context, { source, previous }, WANTED))
  }

  const handlers: Readonly<Record<string, Handler>> = {
    session_start(event, context) {
      const { id, isChild } = sessions.observe(event, context)
      if (id === undefined || isChild === true) return
      const { resumedFrom } = asObject(event)
      const previous = asText(resumedFrom)
      open(id, sessions.startOf(id, previous), event, context, previous)
    },

    async before_prompt_build(event, context) {
      const { id, isChild } = sessions.observe(event, context)
      if (id === undefined || isChild === true) return undefined
      const { prompt, currentUserMessage, currentUserMessageId, messages } = asObject(event)
      if (!sessions.isOpen(id)) open(id, asList(messages).length > 0 ? 'resume' : 'startup', {}, context)
      const facts = { prompt: asText(currentUserMessage) ?? prompt, currentUserMessageId }
      const asked = report('before_prompt_build', facts, context, {}, WANTED)
      const [startText, answer] = [
        await sessions.startText(id, patience(PROMPT_MS)),
        await within(patience(PROMPT_MS), asked),
      ]
      const texts = [startText, answer].filter((text) => text !== undefined && text !== '')
      return texts.length === 0 ? undefined : { prependContext: [...new Set(texts)].join('\n\n') }
    },

    /** OpenClaw 2026.9.6 refuses the tool when this takes 15 s; we wait much less. */
    async before_tool_call(event, context) {
      const asked = report('before_tool_call', event, context, {}, { isRefusable: true })
      if (READING_TOOLS.has(asText(asObject(event).toolName) ?? '')) return undefined
      const reason = await within(Math.min(patience(REFUSAL_MS), MAX_REFUSAL_MS), asked)
      return reason === undefined || reason === '' ? undefined : { block: true, blockReason: reason }
    },
    after_tool_call: (event, context) => void report('after_tool_call', event, context),

    llm_output(event, context) {
      const { lastAssistant, contextTokenBudget } = asObject(event)
      const { totalTokens } = asObject(asObject(lastAssistant).usage)
      sessions.noteUsage(sessions.observe(event, context).id, totalTokens, contextTokenBudget)
    },

    before_compaction(event, context) {
      const { id } = sessions.observe(event, context)
      sessions.noteTokens(id, asNumber(asObject(event).tokenCount))
      void report('before_compaction', event, context)
    },

    after_compaction(event, context) {
      const { id, isChild } = sessions.observe(event, context)
      void report('after_compaction', event, context, { tokensBefore: sessions.tokensBefore(id) })
      if (id !== undefined && isChild !== true) open(id, 'compact', {}, context)
    },

    agent_end(event, context) {
      const { messages, success, error, runId } = asObject(event)
      const facts = { success, error, runId, lastMessage: findLastText(messages) }
      sessions.noteUsage(sessions.observe(event, context).id, contextTokens(messages), undefined)
      void report('agent_end', facts, context)
    },

    async session_end(event, context) {
      const { id } = sessions.observe(event, context)
      const sent = report('session_end', event, context)
      if (id !== undefined) sessions.close(id, asText(asObject(event).reason))
      await within(patience(END_MS), sent)
    },

    subagent_spawned(event, context) {
      sessions.adopt(event, context)
      void report('subagent_spawned', event, context)
    },
    subagent_ended: (event, context) => void report('subagent_ended', event, context),

    async gateway_stop() {
      for (const facts of sessions.takeOpen())
        void one.reporter.send('gateway_stop', { event: {}, ctx: {}, session: facts })
      await one.reporter.settle(patience(END_MS))
    },
  }

  for (const [hook, handler] of Object.entries(handlers)) on.call(api, hook, quietly(calls.once(hook, handler)))
}

export const plugin = {
  id: 'holdfast',
  name: 'Holdfast',
  description: "Keeps an agent's place across compaction, crashes and days.",
  register,
}
