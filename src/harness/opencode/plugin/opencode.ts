import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { asList, asObject, asText } from '../../../kernel/json-shape.ts'
import { OpenCodeSessions } from './sessions.ts'
import { readBudgetMs, createReporter, REFUSAL_MS, type SendOptions, within } from '../../plugin/report.ts'
import { type PluginOptions, quietly, detectPluginHost } from '../../plugin/plugin-host.ts'

const OPENCODE = 'opencode'
/** OpenCode waits for `dispose`; events that are not sent by then are lost. */
const END_MS = 2_000
/** How long a model call waits for text that is due after a compaction. */
const PENDING_MS = 800
/** OpenCode answers questions about its sessions in a few milliseconds, or not at all. */
const MEETING_MS = 500

const WANTED: SendOptions = { isAnswerWanted: true }
/** Never refused, so never waited for. */
const READING_TOOLS = new Set([
  'read',
  'glob',
  'grep',
  'list',
  'lsp',
  'codesearch',
  'todoread',
  'todowrite',
  'skill',
  'question',
])

type Hook = (input: unknown, output: unknown) => Promise<void>
type Hooks = Readonly<Record<string, (input: unknown, output: unknown) => unknown>>

/** The harness's session database; undefined when it is not at the usual path. */
function findDatabase(env: NodeJS.ProcessEnv): string | undefined {
  const data = env.XDG_DATA_HOME || join(env.HOME || env.USERPROFILE || '', '.local', 'share')
  return [env.OPENCODE_DB ?? '', join(data, 'opencode', 'opencode.db')].find((path) => path !== '' && existsSync(path))
}

const OWN_BLOCK = /^\[holdfast [0-9a-f]{8,64}: /m

/**
 * Part of the session's history, but not of the title that a small model makes from it: OpenCode 1.18.33 leaves out
 * `ignored` parts, and `withOwnShown` shows them to the agent. The id sorts right behind the part before it.
 */
function ownPart(parts: readonly unknown[], text: string): object | undefined {
  const { id, sessionID, messageID } = asObject(parts.at(-1))
  const before = asText(id)
  if (before === undefined) return undefined
  return { id: `${before}z`, sessionID, messageID, type: 'text', text, synthetic: true, ignored: true }
}

/** The parts with ours made visible to the agent. */
function withOwnShown(parts: readonly unknown[]): readonly unknown[] {
  return parts.map((part) => {
    const { type, synthetic, ignored, text } = asObject(part)
    const isOurs = type === 'text' && synthetic === true && ignored === true && OWN_BLOCK.test(asText(text) ?? '')
    return isOurs ? { ...asObject(part), ignored: false } : part
  })
}

/** Two copies of the plugin in one process (a user's and a project's) would report everything twice. */
function claim(directory: string): (() => void) | undefined {
  const key = Symbol.for('holdfast.opencode')
  const known: unknown = Reflect.get(globalThis, key)
  const taken = known instanceof Set ? known : new Set<unknown>()
  if (taken.has(directory)) return undefined
  Reflect.set(globalThis, key, taken.add(directory))
  return () => taken.delete(directory)
}

/** OpenCode's plugin: reports events and injects the daemon's answers. */
export function holdfast(harness: unknown, options: PluginOptions = {}): Hooks {
  const { client, directory, worktree } = asObject(harness)
  const release = claim(String(directory))
  if (release === undefined) return {}
  const surroundings = detectPluginHost(options)
  const reporter = createReporter(OPENCODE, surroundings)
  const pendingMs = readBudgetMs(surroundings.env, PENDING_MS)
  const refusalMs = readBudgetMs(surroundings.env, REFUSAL_MS)
  const sessions = new OpenCodeSessions(client, readBudgetMs(surroundings.env, MEETING_MS))

  function report(hook: string, id: string, facts: object, options: SendOptions = {}): Promise<string | undefined> {
    const transcript = findDatabase(surroundings.env)
    const context = sessions.takeContext(id)
    const payload = { ...facts, session: sessions.describe(id), directory, worktree, transcript, context }
    return reporter.send(hook, payload, options)
  }

  /** The answer is stored until there is a message to add it to. */
  function open(hook: string, id: string, facts: object): void {
    sessions.open(id, report(hook, id, facts, WANTED))
  }

  const onEvent: Readonly<Record<string, (id: string, input: unknown, properties: object) => void>> = {
    'session.created'(id, input, properties) {
      sessions.learn(Reflect.get(properties, 'info'))
      if (sessions.isMain(id)) open('session.created', id, { input })
      else void report('session.created', id, { input })
    },
    'session.updated': (_id, _input, properties) => sessions.learn(Reflect.get(properties, 'info')),
    'session.idle': (id, input) => void report('session.idle', id, { input, last: sessions.lastText(id) }),
    'session.deleted': (id, input) => void report('session.deleted', id, { input }),
    'session.compacted'(id, input) {
      void report('session.compacted', id, { input, ...sessions.compaction(id) })
      if (sessions.isMain(id)) open('session.opened', id, { input, source: 'compact', ...sessions.compaction(id) })
    },
    'message.updated': (id, _input, properties) => sessions.noteMessage(id, Reflect.get(properties, 'info')),
    'message.part.updated'(id, input, properties) {
      const part = asObject(Reflect.get(properties, 'part'))
      if (part.type === 'compaction') sessions.noteCompaction(id, part)
      // OpenCode 1.18.33 does not call tool.execute.after for a tool that threw or got wrong arguments.
      if (part.type === 'tool' && asObject(part.state).status === 'error')
        void report('message.part.updated', id, { input })
    },
  }

  const hooks: Record<string, Hook> = {
    async event(input) {
      const event = asObject(asObject(input).event)
      const properties = asObject(event.properties)
      const type = asText(event.type) ?? ''
      const id = asText(properties.sessionID) ?? asText(asObject(properties.info).id)
      if (id !== undefined && Object.hasOwn(onEvent, type)) onEvent[type]?.(id, input, properties)
    },

    async 'chat.message'(input, output) {
      const id = asText(asObject(input).sessionID)
      if (id === undefined) return
      await sessions.lookUp(id)
      if (!sessions.isMain(id)) return
      // A session that was continued with `-c` or picked from the list has no event of its own.
      if (!sessions.isOpen(id)) open('session.opened', id, { input, source: 'resume' })
      const answer = await report('chat.message', id, { input, output }, WANTED)
      const texts = [...(await sessions.takePending(id, pendingMs)), ...(answer === undefined ? [] : [answer])]
      const { parts } = asObject(output)
      if (!Array.isArray(parts) || texts.length === 0) return
      const part = ownPart(parts, texts.join('\n\n'))
      if (part === undefined) sessions.setPending(id, texts)
      else parts.push(part)
    },

    /** Between two prompts there is no message to add to: text that is due goes with every model call until there is one. */
    async 'experimental.chat.messages.transform'(_input, output) {
      const fromUser = asList(asObject(output).messages)
        .map(asObject)
        .filter((message) => asObject(message.info).role === 'user')
      const id = asText(asObject(fromUser.at(-1)?.info).sessionID)
      const texts = id === undefined ? [] : await sessions.pending(id, pendingMs)
      const newest = asList(fromUser.at(-1)?.parts)
      const part = texts.length === 0 ? undefined : ownPart(newest, texts.join('\n\n'))
      if (part !== undefined && Array.isArray(newest)) newest.push(part)
      for (const { parts } of fromUser) if (Array.isArray(parts)) parts.splice(0, parts.length, ...withOwnShown(parts))
    },

    async 'tool.execute.after'(input, output) {
      const id = asText(asObject(input).sessionID)
      if (id !== undefined) void report('tool.execute.after', id, { input, output })
    },

    async 'chat.params'(input) {
      sessions.noteModel(asObject(input).model)
    },

    async 'experimental.session.compacting'(input, output) {
      const id = asText(asObject(input).sessionID)
      if (id === undefined) return
      const asked = report('experimental.session.compacting', id, { input, ...sessions.compaction(id) }, WANTED)
      const answer = await within(pendingMs, asked)
      const { context: summarizer } = asObject(output)
      if (answer !== undefined && Array.isArray(summarizer)) summarizer.push(answer)
    },

    async 'experimental.text.complete'(input, output) {
      const { sessionID, messageID } = asObject(input)
      sessions.noteText(asText(sessionID), asText(messageID), asText(asObject(output).text))
    },

    async dispose() {
      release()
      for (const id of sessions.opened()) void report('dispose', id, {})
      await reporter.settle(readBudgetMs(surroundings.env, END_MS))
    },
  }

  /** The daemon's reason against a tool; undefined for a tool that only reads, and when no answer comes in time. */
  const askForRefusal = quietly(async (input, output) => {
    const id = asText(asObject(input).sessionID)
    if (id === undefined) return undefined
    const asked = report('tool.execute.before', id, { input, output }, { isRefusable: true })
    return READING_TOOLS.has(asText(asObject(input).tool) ?? '') ? undefined : within(refusalMs, asked)
  })

  return {
    ...Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, quietly(hook)])),
    // The only error that is thrown into OpenCode: it gives the message to the agent as the tool's error.
    async 'tool.execute.before'(input, output) {
      const reason = await askForRefusal(input, output)
      if (typeof reason === 'string' && reason !== '') throw new Error(reason)
    },
  }
}
