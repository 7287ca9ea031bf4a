import { headers } from './call.ts'

/** One frame of the event stream. */
export interface Frame {
  readonly seq: number
  readonly kind: 'event' | 'checkpoint' | 'session' | 'memory' | 'receipt' | 'import' | 'position'
  readonly sessionId?: string
  readonly detail: string
  readonly behind?: number
}

/**
 * live: every event so far was received. behind: connected, and older events are still coming. away: not connected.
 * logged-out: the daemon no longer knows this page.
 */
export interface LiveState {
  readonly status: 'connecting' | 'live' | 'behind' | 'away' | 'logged-out'
  readonly since: number
  /** Undefined before the first frame. */
  readonly lastSeq: number | undefined
  /** The newest event of the store, as far as known. */
  readonly headSeq: number
}

type FrameListener = (frames: readonly Frame[]) => void

const RETRY_MS = [500, 1_000, 2_000, 5_000]
/** The daemon writes every 15 s: a longer silence is a dead connection. */
const SILENCE_MS = 40_000

const frameListeners = new Set<FrameListener>()
const stateListeners = new Set<() => void>()
let state: LiveState = { status: 'connecting', since: Date.now(), lastSeq: undefined, headSeq: 0 }
let pending: Frame[] = []
let isScheduled = false

function setState(change: Partial<LiveState>): void {
  const since = change.status === undefined || change.status === state.status ? state.since : Date.now()
  state = { ...state, ...change, since }
  for (const listener of stateListeners) listener()
}

/** Frames that arrive together are delivered together, so that a burst costs one rendering. */
function deliver(): void {
  isScheduled = false
  const frames = pending
  pending = []
  for (const listener of frameListeners) listener(frames)
  const { lastSeq, headSeq, status } = state
  if (status === 'behind' && (lastSeq ?? 0) >= headSeq) setState({ status: 'live' })
  else for (const listener of stateListeners) listener()
}

function accept(block: string): void {
  const data = block
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice(6))
    .join('\n')
  if (data === '') return
  const frame: Frame = JSON.parse(data)
  if (frame.kind === 'position') {
    if (state.lastSeq === undefined) state = { ...state, lastSeq: frame.seq }
    return setState({ headSeq: frame.seq, status: (state.lastSeq ?? 0) < frame.seq ? 'behind' : 'live' })
  }
  pending.push(frame)
  if (frame.kind === 'event') state = { ...state, lastSeq: frame.seq, headSeq: Math.max(state.headSeq, frame.seq) }
  if (isScheduled) return
  isScheduled = true
  setTimeout(deliver, 50)
}

async function readStream(body: ReadableStream<Uint8Array<ArrayBuffer>>, abort: AbortController): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const timer = setTimeout(() => abort.abort(), SILENCE_MS)
    const { done, value } = await reader.read().finally(() => clearTimeout(timer))
    if (done) return
    const blocks = (rest + value).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) accept(block)
  }
}

/** False when the daemon no longer knows this page. */
async function connect(): Promise<boolean> {
  const abort = new AbortController()
  const resume: Record<string, string> = state.lastSeq === undefined ? {} : { 'last-event-id': String(state.lastSeq) }
  const response = await fetch('/api/events', {
    headers: { ...headers, accept: 'text/event-stream', ...resume },
    signal: abort.signal,
    cache: 'no-store',
  })
  if (response.status === 401 || response.status === 403) return false
  if (!response.ok || response.body === null) throw new Error(`The event stream answered ${response.status}.`)
  if (state.status !== 'live') setState({ status: 'live' })
  await readStream(response.body, abort)
  return true
}

/** Follows the stream until the page is closed or logged out, and resumes at the last event. */
export async function followStream(): Promise<void> {
  for (let attempt = 0; state.status !== 'logged-out'; attempt += 1) {
    const startedAt = Date.now()
    try {
      if (!(await connect())) return setState({ status: 'logged-out' })
    } catch {
      // Whatever broke the connection, the next attempt follows; the state below shows it.
    }
    setState({ status: 'away' })
    if (Date.now() - startedAt > 10_000) attempt = 0
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]))
  }
}

export const readLiveState = (): LiveState => state
export const stopFollowing = (): void => setState({ status: 'logged-out' })

export function onFrames(listener: FrameListener): () => void {
  frameListeners.add(listener)
  return () => frameListeners.delete(listener)
}

export function onLiveState(listener: () => void): () => void {
  stateListeners.add(listener)
  return () => stateListeners.delete(listener)
}
