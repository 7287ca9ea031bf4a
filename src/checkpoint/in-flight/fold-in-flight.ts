import type { InFlightWork } from '../../kernel/checkpoint.ts'
import type { EventOf, SessionEvent, ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { clip } from '../../kernel/text/text.ts'
import {
  findPid,
  findPort,
  findStopped,
  getServerPart,
  isDetached,
  isLeftBehind,
  isServerCommand,
} from './find-server.ts'

export interface StartedWork extends InFlightWork {
  /** Of the call that started it, until the call has returned. */
  readonly callId?: string
  readonly command?: string
  readonly cwd?: string
  /** Its shell has ended: the harness does not know that it runs. */
  readonly isDetached?: true
}

export interface InFlightState {
  readonly started: readonly StartedWork[]
  /** Ids whose end was reported before their start. */
  readonly ended: readonly string[]
}

export const NOTHING_IN_FLIGHT: InFlightState = { started: [], ended: [] }

const MAX_STARTED = 20
const MAX_ENDED = 30
const WHAT_CHARS = 200

function without(state: InFlightState, isOver: (work: StartedWork) => boolean): InFlightState {
  return state.started.some(isOver) ? { ...state, started: state.started.filter((work) => !isOver(work)) } : state
}

function withStarted(state: InFlightState, work: StartedWork): InFlightState {
  if (work.id !== undefined && work.isDetached !== true && state.ended.includes(work.id))
    return { ...state, ended: state.ended.filter((id) => id !== work.id) }
  const isReplaced = ({ id, port }: StartedWork) =>
    (id !== undefined && id === work.id) || (port !== undefined && port === work.port)
  const others = state.started.filter((other) => !isReplaced(other))
  return { ...state, started: [...others, work].slice(-MAX_STARTED) }
}

function withEnded(state: InFlightState, id: string): InFlightState {
  if (state.started.some((work) => work.id === id))
    return without(state, (work) => work.id === id && work.isDetached !== true)
  return { ...state, ended: [...state.ended.filter((other) => other !== id), id].slice(-MAX_ENDED) }
}

function describe({ command, description, name }: ToolCall): string {
  return clip(command ?? description ?? name, WHAT_CHARS)
}

/** A command that continues in the background: by the harness, or by its own `&`. */
function toStarted({ tool, outcome }: EventOf<'tool-finished'>, order: number): StartedWork | undefined {
  const { command = '', cwd } = tool
  const output = outcome.output ?? ''
  const isLeft = tool.isBackground === true
  const base = {
    what: describe(tool),
    order,
    ...(outcome.backgroundId === undefined ? {} : { id: outcome.backgroundId }),
  }
  if (tool.kind === 'agent') return isLeft ? { ...base, kind: 'subagent' } : undefined
  if (tool.kind !== 'shell') return undefined
  const isServer = isServerCommand(command)
  const printedPid = isDetached(command) ? findPid(command, output) : undefined
  const isOnItsOwn = (isServer && isDetached(command)) || isLeftBehind(command) || printedPid !== undefined
  if (!isLeft && !(isOnItsOwn && outcome.ok)) return undefined
  const port = isServer ? findPort(command, output) : undefined
  const pid = isOnItsOwn ? printedPid : undefined
  return {
    ...base,
    what: clip(isServer ? getServerPart(command) : command, WHAT_CHARS),
    kind: isServer ? 'server' : 'shell',
    command,
    ...(cwd === undefined ? {} : { cwd }),
    ...(port === undefined ? {} : { port }),
    ...(pid === undefined ? {} : { pid }),
    ...(isOnItsOwn ? { isDetached: true } : {}),
  }
}

function withoutStopped(state: InFlightState, { tool, outcome }: EventOf<'tool-finished'>): InFlightState {
  const stopped = tool.kind === 'shell' && !outcome.interrupted ? findStopped(tool.command ?? '') : undefined
  if (stopped === undefined) return state
  const { ports, pids, names } = stopped
  return without(
    state,
    ({ port, pid, command = '' }) =>
      (port !== undefined && ports.includes(port)) ||
      (pid !== undefined && pids.includes(pid)) ||
      names.some((name) => command.includes(name)),
  )
}

/** A server says its port after a while, when its output is read. */
function withPortShown(state: InFlightState, { tool, outcome }: EventOf<'tool-finished'>): InFlightState {
  const [waiting, ...others] = state.started.filter(({ kind, port }) => kind === 'server' && port === undefined)
  if (waiting === undefined || others.length > 0 || tool.kind !== 'other') return state
  const port = findPort('', outcome.output ?? '')
  if (port === undefined) return state
  return { ...state, started: state.started.map((work) => (work === waiting ? { ...work, port } : work)) }
}

function foldFinished(state: InFlightState, event: EventOf<'tool-finished'>, order: number): InFlightState {
  const { tool, outcome } = event
  const returned = tool.callId === undefined ? state : without(state, ({ callId }) => callId === tool.callId)
  if (outcome.refused !== undefined) return returned
  const started = toStarted(event, order)
  if (started !== undefined) return withStarted(returned, started)
  if (outcome.backgroundId !== undefined) return withEnded(returned, outcome.backgroundId)
  return withPortShown(withoutStopped(returned, event), event)
}

/** Programs that end with the process of the harness. */
function isOfProcess({ kind }: StartedWork): boolean {
  return kind === 'subagent' || kind === 'tool'
}

/** What the session started and did not end, after one more event. */
export function foldInFlight(state: InFlightState, event: SessionEvent, order: number): InFlightState {
  switch (event.kind) {
    case 'tool-started': {
      const { tool, subagent } = event
      if (tool.kind !== 'agent' || subagent !== undefined || tool.callId === undefined) return state
      return withStarted(state, { kind: 'subagent', what: describe(tool), callId: tool.callId, order })
    }
    case 'tool-finished':
      return foldFinished(state, event, order)
    case 'subagent-finished':
      return event.subagent === undefined ? state : withEnded(state, event.subagent.id)
    case 'prompt-submitted':
      // The turn that waited for these calls is over.
      return event.isQueued === true ? state : without(state, ({ callId }) => callId !== undefined)
    case 'turn-ended':
      return event.subagent === undefined ? without(state, ({ callId }) => callId !== undefined) : state
    case 'session-started':
      return event.source === 'compact' ? state : without(state, isOfProcess)
    case 'subagent-started':
    case 'compaction-started':
    case 'compaction-finished':
    case 'session-ended':
    case 'digest-written':
    case 'remembered':
    case 'decision-made':
    case 'error-recovered':
    case 'gate-changed':
    case 'task-session-changed':
      return state
  }
}

/** The command that an event reports the end of; undefined where it is unknown or was a server. */
export function findEndedRun(
  state: InFlightState,
  { tool, outcome }: EventOf<'tool-finished'>,
): { readonly tool: ToolCall; readonly outcome: ToolOutcome } | undefined {
  if (outcome.backgroundId === undefined || tool.isBackground === true || outcome.interrupted === true) return undefined
  const work = state.started.find(({ id }) => id === outcome.backgroundId)
  if (work?.kind !== 'shell' || work.command === undefined || outcome.exitStatus === undefined) return undefined
  return {
    tool: { name: tool.name, kind: 'shell', files: [], command: work.command, cwd: work.cwd },
    outcome,
  }
}

export function listInFlight({ started }: InFlightState): readonly InFlightWork[] {
  return started.map(({ callId: _call, command: _command, cwd: _cwd, isDetached: _detached, ...work }) => work)
}
