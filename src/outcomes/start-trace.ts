import type { EventKind, EventOf, StartSource, StoredEvent } from '../kernel/event.ts'
import { findDecisions } from '../checkpoint/work/claims.ts'
import { findIdentifiers, findReferences } from '../kernel/text/identifiers.ts'
import { findPaths, relativePath } from '../kernel/paths/paths.ts'
import { listCommands } from '../kernel/shell/command.ts'
import { clip, clipPrompt } from '../kernel/text/text.ts'
import { getCommandFolder, getCommandHead, withCommandFolder } from '../kernel/shell/command.ts'

/** The head of a command with its folder: `npm test`, `cd packages/a && npm test`. */
export function getLocatedHead(command: string): string {
  const folder = getCommandFolder(command)
  const head = getCommandHead(command)
  return folder === '' ? head : withCommandFolder(folder, head).slice(1, -1)
}

/** One tool call of the main thread. */
export interface TracedCall {
  readonly at: string
  readonly reads: readonly string[]
  readonly edits: readonly string[]
  /** Files that a command or a query named. */
  readonly named: readonly string[]
  /** Parts of a command line worth running again, each with its folder, as in checkpoints. */
  readonly commands: readonly string[]
  /** Identifiers and tickets in what the agent ran, searched for or wrote. */
  readonly names: readonly string[]
  readonly isSearch: boolean
}

export interface TracedPrompt {
  /** Number of calls before it. */
  readonly afterCalls: number
  readonly at: string
  readonly paths: readonly string[]
  readonly names: readonly string[]
}

export interface TracedDecision {
  readonly afterCalls: number
  readonly text: string
}

/** What followed one start of a session. */
export interface StartTrace {
  readonly source?: StartSource
  readonly startedAt: string
  readonly startSeq: number
  readonly eventSeq: number
  readonly calls: readonly TracedCall[]
  readonly prompts: readonly TracedPrompt[]
  readonly decisions: readonly TracedDecision[]
}

export const TRACED_KINDS = [
  'session-started',
  'prompt-submitted',
  'tool-finished',
  'turn-ended',
  'decision-made',
  'digest-written',
] as const satisfies readonly EventKind[]

/** Later calls say nothing about how a start began. */
export const MAX_TRACED_CALLS = 400
const MAX_OTHERS = 200
const MAX_NAMES = 40

interface MutableStartTrace {
  source?: StartSource
  startedAt: string
  startSeq: number
  eventSeq: number
  readonly calls: TracedCall[]
  readonly prompts: TracedPrompt[]
  readonly decisions: TracedDecision[]
}

function startTrace({ event, seq }: StoredEvent): MutableStartTrace {
  return {
    ...(event.kind === 'session-started' ? { source: event.source } : {}),
    startedAt: event.at,
    startSeq: seq,
    eventSeq: seq,
    calls: [],
    prompts: [],
    decisions: [],
  }
}

function namesIn(text: string): readonly string[] {
  return [...findIdentifiers(text, MAX_NAMES), ...findReferences(text)]
}

function toRelative(paths: readonly string[], here: { worktree?: string; cwd?: string }): readonly string[] {
  return [...new Set(paths.flatMap((path) => relativePath(path, here) ?? []))]
}

/** A refused call did nothing. */
function isTraced({ outcome }: EventOf<'tool-finished'>): boolean {
  return outcome.refused === undefined
}

function traceCall(event: EventOf<'tool-finished'>, worktree: string | undefined): TracedCall {
  const { tool, outcome } = event
  const here = { worktree, cwd: event.cwd }
  // A search opens no file, and a failed edit changes none.
  const touches = tool.kind === 'search' ? [] : tool.files
  const isEdit = (touch: (typeof touches)[number]) => touch.action !== 'read' && outcome.ok
  const asked = [tool.command, tool.query].filter((text) => text !== undefined).join('\n')
  return {
    at: event.at,
    reads: toRelative(
      touches.filter((touch) => touch.action === 'read').map(({ path }) => path),
      here,
    ),
    edits: toRelative(
      touches.filter(isEdit).map(({ path }) => path),
      here,
    ),
    named: toRelative(findPaths(asked, MAX_NAMES), here),
    commands: tool.command === undefined ? [] : listCommands(tool.command, { ...here, ranIn: tool.cwd }),
    names: [...new Set([...namesIn([asked, tool.fragment ?? ''].join('\n')), ...(tool.names ?? [])])],
    isSearch: tool.kind === 'search' || (tool.kind === 'shell' && tool.query !== undefined),
  }
}

/** Traces what followed each start of the main thread. Subagents do not count: they start without context. */
export function createStartTracer(worktree: string | undefined) {
  const epochs: MutableStartTrace[] = []

  function addPrompt(trace: MutableStartTrace, event: EventOf<'prompt-submitted'>): void {
    if (trace.prompts.length >= MAX_OTHERS) return
    const [prompt, at] = [clipPrompt(event), event.at]
    const paths = toRelative(findPaths(prompt, MAX_NAMES), { worktree })
    trace.prompts.push({ afterCalls: trace.calls.length, at, paths, names: namesIn(prompt) })
  }

  function addMessage(trace: MutableStartTrace, { lastMessage }: EventOf<'turn-ended'>): void {
    if (lastMessage !== undefined) addDecisions(trace, findDecisions(lastMessage))
  }

  function addEvent(trace: MutableStartTrace, { event }: StoredEvent): void {
    if (event.kind === 'prompt-submitted') addPrompt(trace, event)
    else if (event.kind === 'turn-ended') addMessage(trace, event)
    else if (event.kind === 'decision-made') addDecisions(trace, [event.decision])
    else if (event.kind === 'digest-written') {
      addDecisions(
        trace,
        (event.decisions ?? []).map(({ decision }) => decision),
      )
    } else if (event.kind === 'tool-finished' && isTraced(event) && trace.calls.length < MAX_TRACED_CALLS) {
      trace.calls.push(traceCall(event, worktree))
    }
  }

  function addDecisions(trace: MutableStartTrace, texts: readonly string[]): void {
    for (const text of texts) {
      if (trace.decisions.length >= MAX_OTHERS || trace.decisions.some((known) => known.text === text)) continue
      trace.decisions.push({ afterCalls: trace.calls.length, text: clip(text, 300) })
    }
  }

  return {
    /** Events must come in log order. */
    follow(stored: StoredEvent): void {
      if (stored.event.subagent !== undefined) return
      const isStart = stored.event.kind === 'session-started'
      let current = epochs.at(-1)
      if (current === undefined || isStart) {
        current = startTrace(stored)
        epochs.push(current)
      }
      current.eventSeq = stored.seq
      if (!isStart) addEvent(current, stored)
    },
    /** True when no more calls are traced until the next start. */
    isFull: (): boolean => (epochs.at(-1)?.calls.length ?? 0) >= MAX_TRACED_CALLS,
    /** One for each start, oldest first; at least one when any event was traced. */
    epochs: (): readonly StartTrace[] => epochs,
  }
}
