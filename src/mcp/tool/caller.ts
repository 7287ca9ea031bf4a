import { HoldfastError } from '../../kernel/errors.ts'
import { datedId, MAX_KEY_CHARS, SessionKey } from '../../kernel/id.ts'
import type { ToolContext } from './tool.ts'

/** Who is at the other end, as far as it was told. A process is not a session: nothing here is guessed. */
export interface Caller {
  /** Where the harness runs. */
  readonly cwd?: string
  /** The session that this very request named: its `_meta`, else the environment that the harness gave its server. */
  readonly sessionKey?: string
  /** Whose environment that was. */
  readonly harness?: string
}

export interface CallerSession {
  readonly harness: string
  readonly sessionKey: SessionKey
  /** Nobody named one, so this one was made up: the agent must be told it. */
  readonly isMadeUp: boolean
}

/** The harness of a session that no hook ever told of. */
const UNKNOWN_HARNESS = 'mcp'

/** Keys of a request's `_meta` that name its session; Codex 0.166 sends `threadId`. */
const SESSION_META = ['holdfast/sessionId', 'threadId', 'sessionId', 'session_id'] as const

/** The session that a request's `_meta` names. */
export function sessionKeyInMeta(meta: unknown): string | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined
  return SESSION_META.map((key) => Reflect.get(meta, key)).find(isKey)
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_KEY_CHARS
}

async function harnessOf(key: SessionKey, { continuity, caller }: ToolContext): Promise<string> {
  // The environment's own session needs no question: its hooks may not have arrived yet.
  if (caller.sessionKey === key && caller.harness !== undefined) return caller.harness
  try {
    return (await continuity.getSession(key)).harness
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'not-found') return UNKNOWN_HARNESS
    throw error
  }
}

/** Argument, then `_meta`, then the environment; undefined when nobody said. */
export async function findSession(given: string | undefined, context: ToolContext): Promise<CallerSession | undefined> {
  const key = given ?? context.caller.sessionKey
  if (key === undefined) return undefined
  const sessionKey = SessionKey(key)
  return { sessionKey, harness: await harnessOf(sessionKey, context), isMadeUp: false }
}

/** As `findSession`, with a new one when nobody said: what an agent writes is kept, whatever it left out. */
export async function sessionOf(given: string | undefined, context: ToolContext): Promise<CallerSession> {
  const found = await findSession(given, context)
  if (found !== undefined) return found
  const made = datedId('session', context.clock.now(), context.randomBytes(10))
  return { sessionKey: SessionKey(made), harness: UNKNOWN_HARNESS, isMadeUp: true }
}

/** The name of the session for intents and summaries, which agents may also choose themselves. */
export function sessionLabel(given: string | undefined, { caller }: ToolContext): { sessionLabel?: string } {
  const label = given ?? caller.sessionKey
  return label === undefined ? {} : { sessionLabel: label }
}

/** Whose session it is, where that is known without asking. */
export function labelHarness(given: string | undefined, { caller }: ToolContext): { harness?: string } {
  const isOwn = given === undefined || given === caller.sessionKey
  return isOwn && caller.harness !== undefined ? { harness: caller.harness } : {}
}
