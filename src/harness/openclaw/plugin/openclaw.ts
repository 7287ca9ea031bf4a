import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../../kernel/json-shape.ts'
import { OpenClawSessions, PLUGIN_MARK } from './sessions.ts'
import {
  budgetOf,
  createReporter,
  REFUSAL_MS,
  type Reporter,
  type SendOptions,
  type Surroundings,
} from '../../plugin/report.ts'
import { isCallable, type PluginOptions, quietly, surroundingsOf, tellAtExit } from '../../plugin/surroundings.ts'
import { within } from '../../plugin/within.ts'

const OPENCLAW = 'openclaw'
/** OpenClaw 2026.9.6 gives a prompt hook 15 s and skips it then; nobody should wait so long for us. */
const PROMPT_MS = 2_000
/** Of the 5 s that the gateway gives to its stop. */
const FAREWELL_MS = 3_000
const MAX_SAID_CHARS = 20_000
/** However slow a machine is said to be. */
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

/** What was told of a call that has come by another registration already, by the hook it came by. */
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

/** What the last run wrote; the messages of OpenClaw come with every detail, of which this is all that counts. */
function lastWords(messages: unknown): string | undefined {
  const message = listOf(messages)
    .map(objectOf)
    .findLast((one) => one.role === 'assistant')
  const texts = listOf(message?.content).flatMap((block) => textOf(objectOf(block).text) ?? [])
  return texts.length === 0 ? textOf(message?.content) : texts.join('\n').slice(0, MAX_SAID_CHARS)
}

function contextTokens(messages: unknown): unknown {
  const usages = listOf(messages).flatMap((message) => objectOf(objectOf(message).usage).totalTokens ?? [])
  return usages.at(-1)
}

/** What is one in a process, however often OpenClaw registers the plugin: it loads it for its commands, for its runs, and anew after a change. */
class OpenClawProcess {
  readonly mark = PLUGIN_MARK
  readonly sessions = new OpenClawSessions()
  readonly calls = new Calls()
  surroundings: Surroundings
  reporter: Reporter

  constructor(options: PluginOptions) {
    this.surroundings = surroundingsOf(options)
    this.reporter = createReporter(OPENCLAW, this.surroundings)
    // An embedded run has no gateway that stops.
    tellAtExit(this.surroundings, () =>
      this.sessions
        .takeOpen()
        .map((session) => ({ harness: OPENCLAW, hook: 'gateway_stop', payload: { event: {}, session } })),
    )
  }

  configure(options: PluginOptions): void {
    this.surroundings = surroundingsOf(options)
    this.reporter = createReporter(OPENCLAW, this.surroundings)
  }
}

/** By its mark and not by its class: each copy that OpenClaw makes of the plugin has a class of its own. */
function isOpenClawProcess(value: unknown): value is OpenClawProcess {
  return isObject(value) && value.mark === PLUGIN_MARK
}

function optionsOf(config: unknown): PluginOptions {
  const { home, node, hook } = objectOf(config)
  return { home: textOf(home), node: textOf(node), hook: textOf(hook) }
}

function processOf(api: JsonObject): OpenClawProcess {
  const known: unknown = Reflect.get(globalThis, PLUGIN_MARK)
  const one = isOpenClawProcess(known) ? known : new OpenClawProcess(optionsOf(api.pluginConfig))
  if (one === known && isObject(api.pluginConfig)) one.configure(optionsOf(api.pluginConfig))
  Reflect.set(globalThis, PLUGIN_MARK, one)
  return one
}

/** OpenClaw's plugin: tells what happens, and puts what the daemon answers before the agent. */
export function register(api: unknown): void {
  if (!isObject(api) || !isCallable(api.on)) return
  const { on } = api
  const one = processOf(api)
  const { sessions, calls } = one
  const patience = (ms: number) => budgetOf(one.surroundings.env, ms)

  function tell(hook: string, event: unknown, context: unknown, added: object = {}, options: SendOptions = {}) {
    const session = sessions.meet(event, context)
    const usage = sessions.takeUsage(session.id)
    const facts = { ...added, event, ctx: sessions.contextOf(context), session, context: usage }
    return one.reporter.send(hook, facts, options)
  }

  /** Also where the harness says nothing: an embedded run has no session_start. */
  function open(id: string, source: string, event: unknown, context: unknown, previous?: string): void {
    sessions.open(id, tell('session_start', event, context, { source, previous }, WANTED))
  }

  const handlers: Readonly<Record<string, Handler>> = {
    session_start(event, context) {
      const { id, isChild } = sessions.meet(event, context)
      if (id === undefined || isChild === true) return
      const { resumedFrom } = objectOf(event)
      const previous = textOf(resumedFrom)
      open(id, sessions.startOf(id, previous), event, context, previous)
    },

    async before_prompt_build(event, context) {
      const { id, isChild } = sessions.meet(event, context)
      if (id === undefined || isChild === true) return undefined
      const { prompt, currentUserMessage, currentUserMessageId, messages } = objectOf(event)
      if (!sessions.isOpen(id)) open(id, listOf(messages).length > 0 ? 'resume' : 'startup', {}, context)
      const said = { prompt: textOf(currentUserMessage) ?? prompt, currentUserMessageId }
      const asked = tell('before_prompt_build', said, context, {}, WANTED)
      const [owed, told] = [await sessions.owed(id, patience(PROMPT_MS)), await within(patience(PROMPT_MS), asked)]
      const texts = [owed, told].filter((text) => text !== undefined && text !== '')
      return texts.length === 0 ? undefined : { prependContext: [...new Set(texts)].join('\n\n') }
    },

    /** OpenClaw 2026.9.6 refuses the tool by itself when this takes 15 s: the answer is waited for a fraction of one. */
    async before_tool_call(event, context) {
      const asked = tell('before_tool_call', event, context, {}, { isRefusable: true })
      if (READING_TOOLS.has(textOf(objectOf(event).toolName) ?? '')) return undefined
      const reason = await within(Math.min(patience(REFUSAL_MS), MAX_REFUSAL_MS), asked)
      return reason === undefined || reason === '' ? undefined : { block: true, blockReason: reason }
    },
    after_tool_call: (event, context) => void tell('after_tool_call', event, context),

    llm_output(event, context) {
      const { lastAssistant, contextTokenBudget } = objectOf(event)
      const { totalTokens } = objectOf(objectOf(lastAssistant).usage)
      sessions.noteUsage(sessions.meet(event, context).id, totalTokens, contextTokenBudget)
    },

    before_compaction(event, context) {
      const { id } = sessions.meet(event, context)
      sessions.noteTokens(id, numberOf(objectOf(event).tokenCount))
      void tell('before_compaction', event, context)
    },

    after_compaction(event, context) {
      const { id, isChild } = sessions.meet(event, context)
      void tell('after_compaction', event, context, { tokensBefore: sessions.tokensBefore(id) })
      if (id !== undefined && isChild !== true) open(id, 'compact', {}, context)
    },

    agent_end(event, context) {
      const { messages, success, error, runId } = objectOf(event)
      const facts = { success, error, runId, lastMessage: lastWords(messages) }
      sessions.noteUsage(sessions.meet(event, context).id, contextTokens(messages), undefined)
      void tell('agent_end', facts, context)
    },

    async session_end(event, context) {
      const { id } = sessions.meet(event, context)
      const told = tell('session_end', event, context)
      if (id !== undefined) sessions.close(id, textOf(objectOf(event).reason))
      await within(patience(FAREWELL_MS), told)
    },

    subagent_spawned(event, context) {
      sessions.adopt(event, context)
      void tell('subagent_spawned', event, context)
    },
    subagent_ended: (event, context) => void tell('subagent_ended', event, context),

    async gateway_stop() {
      for (const facts of sessions.takeOpen())
        void one.reporter.send('gateway_stop', { event: {}, ctx: {}, session: facts })
      await one.reporter.settle(patience(FAREWELL_MS))
    },
  }

  for (const [hook, handler] of Object.entries(handlers)) on.call(api, hook, quietly(calls.once(hook, handler)))
}

/** What OpenClaw loads. */
export const plugin = {
  id: 'holdfast',
  name: 'Holdfast',
  description: "Keeps an agent's place across compaction, crashes and days.",
  register,
}
