import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listOf, objectOf, textOf } from '../../../kernel/json-shape.ts'
import { OpenCodeSessions } from './sessions.ts'
import { budgetOf, createReporter, REFUSAL_MS, type SendOptions } from '../../plugin/report.ts'
import { type PluginOptions, quietly, surroundingsOf } from '../../plugin/surroundings.ts'
import { within } from '../../plugin/within.ts'

const OPENCODE = 'opencode'
/** OpenCode waits for `dispose`; what is not said by then is not said. */
const FAREWELL_MS = 2_000
/** A model call waits this long for what the session is owed after a compaction. */
const OWED_MS = 800
/** OpenCode answers about its own sessions in a few milliseconds, or not at all. */
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

/** Where the harness keeps its sessions; undefined when it is not where it usually is. */
function databaseOf(env: NodeJS.ProcessEnv): string | undefined {
  const data = env.XDG_DATA_HOME || join(env.HOME || env.USERPROFILE || '', '.local', 'share')
  return [env.OPENCODE_DB ?? '', join(data, 'opencode', 'opencode.db')].find((path) => path !== '' && existsSync(path))
}

const OWN_BLOCK = /^\[holdfast [0-9a-f]{8,64}: /m

/**
 * Kept in the session's history, and out of the title that a small model makes from it: OpenCode 1.18.33 leaves out what is `ignored`,
 * and we let the agent see it at every call. The id sorts right behind the part before it, as OpenCode orders them.
 */
function ownPart(parts: readonly unknown[], text: string): object | undefined {
  const { id, sessionID, messageID } = objectOf(parts.at(-1))
  const before = textOf(id)
  if (before === undefined) return undefined
  return { id: `${before}z`, sessionID, messageID, type: 'text', text, synthetic: true, ignored: true }
}

/** The message as the agent is to see it, with what we put there. */
function withOwnShown(parts: readonly unknown[]): readonly unknown[] {
  return parts.map((part) => {
    const { type, synthetic, ignored, text } = objectOf(part)
    const isOurs = type === 'text' && synthetic === true && ignored === true && OWN_BLOCK.test(textOf(text) ?? '')
    return isOurs ? { ...objectOf(part), ignored: false } : part
  })
}

/** Two copies of the plugin in one process (a user's and a project's) would tell everything twice. */
function claim(directory: string): (() => void) | undefined {
  const key = Symbol.for('holdfast.opencode')
  const known: unknown = Reflect.get(globalThis, key)
  const taken = known instanceof Set ? known : new Set<unknown>()
  if (taken.has(directory)) return undefined
  Reflect.set(globalThis, key, taken.add(directory))
  return () => taken.delete(directory)
}

/** OpenCode's plugin: tells what happens, and puts what the daemon answers before the agent. */
export function holdfast(harness: unknown, options: PluginOptions = {}): Hooks {
  const { client, directory, worktree } = objectOf(harness)
  const release = claim(String(directory))
  if (release === undefined) return {}
  const surroundings = surroundingsOf(options)
  const reporter = createReporter(OPENCODE, surroundings)
  const owedMs = budgetOf(surroundings.env, OWED_MS)
  const refusalMs = budgetOf(surroundings.env, REFUSAL_MS)
  const sessions = new OpenCodeSessions(client, budgetOf(surroundings.env, MEETING_MS))

  function tell(hook: string, id: string, facts: object, options: SendOptions = {}): Promise<string | undefined> {
    const transcript = databaseOf(surroundings.env)
    const context = sessions.takeContext(id)
    const payload = { ...facts, session: sessions.describe(id), directory, worktree, transcript, context }
    return reporter.send(hook, payload, options)
  }

  /** The answer is kept until there is a message that it can go with. */
  function open(hook: string, id: string, facts: object): void {
    sessions.open(id, tell(hook, id, facts, WANTED))
  }

  const onEvent: Readonly<Record<string, (id: string, input: unknown, properties: object) => void>> = {
    'session.created'(id, input, properties) {
      sessions.learn(Reflect.get(properties, 'info'))
      if (sessions.isMain(id)) open('session.created', id, { input })
      else void tell('session.created', id, { input })
    },
    'session.updated': (_id, _input, properties) => sessions.learn(Reflect.get(properties, 'info')),
    'session.idle': (id, input) => void tell('session.idle', id, { input, last: sessions.lastSaid(id) }),
    'session.deleted': (id, input) => void tell('session.deleted', id, { input }),
    'session.compacted'(id, input) {
      void tell('session.compacted', id, { input, ...sessions.compaction(id) })
      if (sessions.isMain(id)) open('session.opened', id, { input, source: 'compact', ...sessions.compaction(id) })
    },
    'message.updated': (id, _input, properties) => sessions.noteMessage(id, Reflect.get(properties, 'info')),
    'message.part.updated'(id, input, properties) {
      const part = objectOf(Reflect.get(properties, 'part'))
      if (part.type === 'compaction') sessions.noteCompaction(id, part)
      // OpenCode 1.18.33 does not call tool.execute.after for a tool that threw or was given wrong arguments.
      if (part.type === 'tool' && objectOf(part.state).status === 'error')
        void tell('message.part.updated', id, { input })
    },
  }

  const hooks: Record<string, Hook> = {
    async event(input) {
      const event = objectOf(objectOf(input).event)
      const properties = objectOf(event.properties)
      const type = textOf(event.type) ?? ''
      const id = textOf(properties.sessionID) ?? textOf(objectOf(properties.info).id)
      if (id !== undefined && Object.hasOwn(onEvent, type)) onEvent[type]?.(id, input, properties)
    },

    async 'chat.message'(input, output) {
      const id = textOf(objectOf(input).sessionID)
      if (id === undefined) return
      await sessions.meet(id)
      if (!sessions.isMain(id)) return
      // A session that was continued with `-c` or picked from the list says nothing of its own.
      if (!sessions.isOpen(id)) open('session.opened', id, { input, source: 'resume' })
      const told = await tell('chat.message', id, { input, output }, WANTED)
      const texts = [...(await sessions.takeOwed(id, owedMs)), ...(told === undefined ? [] : [told])]
      const { parts } = objectOf(output)
      if (!Array.isArray(parts) || texts.length === 0) return
      const part = ownPart(parts, texts.join('\n\n'))
      if (part === undefined) sessions.owe(id, texts)
      else parts.push(part)
    },

    /** Between two prompts there is no message to add to: what is owed then goes with every call until there is one. */
    async 'experimental.chat.messages.transform'(_input, output) {
      const fromUser = listOf(objectOf(output).messages)
        .map(objectOf)
        .filter((message) => objectOf(message.info).role === 'user')
      const id = textOf(objectOf(fromUser.at(-1)?.info).sessionID)
      const texts = id === undefined ? [] : await sessions.owed(id, owedMs)
      const newest = listOf(fromUser.at(-1)?.parts)
      const owed = texts.length === 0 ? undefined : ownPart(newest, texts.join('\n\n'))
      if (owed !== undefined && Array.isArray(newest)) newest.push(owed)
      for (const { parts } of fromUser) if (Array.isArray(parts)) parts.splice(0, parts.length, ...withOwnShown(parts))
    },

    async 'tool.execute.after'(input, output) {
      const id = textOf(objectOf(input).sessionID)
      if (id !== undefined) void tell('tool.execute.after', id, { input, output })
    },

    async 'chat.params'(input) {
      sessions.noteModel(objectOf(input).model)
    },

    async 'experimental.session.compacting'(input, output) {
      const id = textOf(objectOf(input).sessionID)
      if (id === undefined) return
      const asked = tell('experimental.session.compacting', id, { input, ...sessions.compaction(id) }, WANTED)
      const told = await within(owedMs, asked)
      const { context: summarizer } = objectOf(output)
      if (told !== undefined && Array.isArray(summarizer)) summarizer.push(told)
    },

    async 'experimental.text.complete'(input, output) {
      const { sessionID, messageID } = objectOf(input)
      sessions.noteText(textOf(sessionID), textOf(messageID), textOf(objectOf(output).text))
    },

    async dispose() {
      release()
      for (const id of sessions.opened()) void tell('dispose', id, {})
      await reporter.settle(budgetOf(surroundings.env, FAREWELL_MS))
    },
  }

  /** What the daemon has against a tool; undefined for one that only reads, and where nobody answers in time. */
  const askBefore = quietly(async (input, output) => {
    const id = textOf(objectOf(input).sessionID)
    if (id === undefined) return undefined
    const asked = tell('tool.execute.before', id, { input, output }, { isRefusable: true })
    return READING_TOOLS.has(textOf(objectOf(input).tool) ?? '') ? undefined : within(refusalMs, asked)
  })

  return {
    ...Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, quietly(hook)])),
    // The one thing that is thrown into OpenCode: it hands the message to the agent as the tool's error.
    async 'tool.execute.before'(input, output) {
      const reason = await askBefore(input, output)
      if (typeof reason === 'string' && reason !== '') throw new Error(reason)
    },
  }
}
