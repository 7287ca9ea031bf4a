import { HoldfastError } from '../../kernel/errors.ts'
import { datedId, MAX_KEY_CHARS, SessionKey } from '../../kernel/id.ts'
import { TOOL_SETS, type ToolContext, type ToolSet } from './tool.ts'
import { isAbsolute } from 'node:path'
import { HEADER } from '../../wire/headers.ts'

function decodeHeader(value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined
  try {
    return decodeURIComponent(value)
  } catch {
    // Not encoded: a header that the user wrote into a client's settings.
    return value
  }
}

/** The caller as the request's headers name it. An invalid path or id is left out. */
export function readCaller(header: (name: string) => string | undefined): Caller {
  const cwd = decodeHeader(header(HEADER.cwd))
  const sessionKey = decodeHeader(header(HEADER.sessionKey))
  const harness = header(HEADER.harness)
  const tools = TOOL_SETS.find((set) => set === header(HEADER.tools))
  return {
    ...(cwd !== undefined && isAbsolute(cwd) && { cwd }),
    ...(sessionKey !== undefined && sessionKey.length <= MAX_KEY_CHARS && { sessionKey }),
    ...(tools !== undefined && { tools }),
    ...(harness !== undefined && /^[a-z][a-z0-9-]{0,39}$/.test(harness) && { harness }),
  }
}

/** The Pieces database that the entry of the client names. */
export function readPiecesFile(header: (name: string) => string | undefined): string | undefined {
  const file = decodeHeader(header(HEADER.pieces))
  return file !== undefined && isAbsolute(file) ? file : undefined
}

/** The caller as far as it is known. Nothing is inferred, because a process is not a session. */
export interface Caller {
  /** Where the harness runs. */
  readonly cwd?: string
  /** The session that the request names: its `_meta`, else the environment that the harness gave its server. */
  readonly sessionKey?: string
  /** The harness of that environment. */
  readonly harness?: string
  /** The tools that it asked for. */
  readonly tools?: ToolSet
}

export interface CallerSession {
  readonly harness: string
  readonly sessionKey: SessionKey
  /** No session was named, so this one was generated; the reply must contain it. */
  readonly isGenerated: boolean
}

/** The harness of a session that no hook reported. */
const UNKNOWN_HARNESS = 'mcp'

/** Keys of a request's `_meta` that name its session; Codex 0.166 sends `threadId`. */
const SESSION_META = ['holdfast/sessionId', 'threadId', 'sessionId', 'session_id'] as const

/** The session that a request's `_meta` names. */
export function findMetaSessionKey(meta: unknown): string | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined
  return SESSION_META.map((key) => Reflect.get(meta, key)).find(isKey)
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_KEY_CHARS
}

async function findHarness(key: SessionKey, { continuity, caller }: ToolContext): Promise<string> {
  // No query for the environment's own session: its hooks may not have arrived yet.
  if (caller.sessionKey === key && caller.harness !== undefined) return caller.harness
  try {
    return (await continuity.getSession(key)).harness
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'not-found') return UNKNOWN_HARNESS
    throw error
  }
}

/** From the argument, then `_meta`, then the environment; undefined when none names one. */
export async function findSession(given: string | undefined, context: ToolContext): Promise<CallerSession | undefined> {
  const key = given ?? context.caller.sessionKey
  if (key === undefined) return undefined
  const sessionKey = SessionKey(key)
  return { sessionKey, harness: await findHarness(sessionKey, context), isGenerated: false }
}

/** As `findSession`, with a new one when none is named, so that what an agent writes is always stored. */
export async function getOrCreateSession(given: string | undefined, context: ToolContext): Promise<CallerSession> {
  const found = await findSession(given, context)
  if (found !== undefined) return found
  const made = datedId('session', context.clock.now(), context.randomBytes(10))
  return { sessionKey: SessionKey(made), harness: UNKNOWN_HARNESS, isGenerated: true }
}

/** The name of the session for intents and summaries, which agents may also choose themselves. */
export function toSessionLabel(given: string | undefined, { caller }: ToolContext): { sessionLabel?: string } {
  const label = given ?? caller.sessionKey
  return label === undefined ? {} : { sessionLabel: label }
}

/** The harness of the session, where it is known without a query. */
export function toLabelHarness(given: string | undefined, { caller }: ToolContext): { harness?: string } {
  const isOwn = given === undefined || given === caller.sessionKey
  return isOwn && caller.harness !== undefined ? { harness: caller.harness } : {}
}
