import type { EventKind, EventOf, StartSource, StoredEvent } from '../kernel/event.ts'
import { decisionsIn } from '../checkpoint/work/claims.ts'
import { identifiersIn, refsIn } from '../kernel/text/identifiers.ts'
import { pathsIn, relativePath } from '../kernel/paths/paths.ts'
import { commandsIn } from '../kernel/shell/run-folder.ts'
import { clip, readPrompt } from '../kernel/text/text.ts'

/** One tool call of the main thread, as far as a receipt looks at it. */
export interface TracedCall {
  readonly at: string
  readonly reads: readonly string[]
  readonly edits: readonly string[]
  /** Files that a command or a query named. */
  readonly named: readonly string[]
  /** Parts of a command line that a person would run again, each with its folder, as checkpoints keep them. */
  readonly commands: readonly string[]
  /** Names in the code and tickets in what the agent ran, searched for or wrote. */
  readonly names: readonly string[]
  readonly isSearch: boolean
}

export interface TracedPrompt {
  /** Calls that had been made before it. */
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
export interface EpochTrace {
  readonly source?: StartSource
  readonly startedAt: string
  readonly startSeq: number
  readonly eventSeq: number
  readonly calls: readonly TracedCall[]
  readonly prompts: readonly TracedPrompt[]
  readonly decisions: readonly TracedDecision[]
}

/** Events that a trace is made from. */
export const TRACED_KINDS = [
  'session-started',
  'prompt-submitted',
  'tool-finished',
  'turn-ended',
  'decision-made',
  'digest-written',
] as const satisfies readonly EventKind[]

/** Calls of one start that are kept: what comes later says nothing about how it began. */
export const MAX_TRACED_CALLS = 400
const MAX_OTHERS = 200
const MAX_NAMES = 40

interface Mutable {
  source?: StartSource
  startedAt: string
  startSeq: number
  eventSeq: number
  readonly calls: TracedCall[]
  readonly prompts: TracedPrompt[]
  readonly decisions: TracedDecision[]
}

function blank({ event, seq }: StoredEvent): Mutable {
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
  return [...identifiersIn(text, MAX_NAMES), ...refsIn(text)]
}

function relative(paths: readonly string[], here: { worktree?: string; cwd?: string }): readonly string[] {
  return [...new Set(paths.flatMap((path) => relativePath(path, here) ?? []))]
}

function callOf(event: EventOf<'tool-finished'>, worktree: string | undefined): TracedCall {
  const { tool, outcome } = event
  const here = { worktree, cwd: event.cwd }
  // What a search walked through was not opened, and an edit that failed changed nothing.
  const touches = tool.kind === 'search' ? [] : tool.files
  const isEdit = (touch: (typeof touches)[number]) => touch.action !== 'read' && outcome.ok
  const asked = [tool.command, tool.query].filter((text) => text !== undefined).join('\n')
  return {
    at: event.at,
    reads: relative(
      touches.filter((touch) => touch.action === 'read').map(({ path }) => path),
      here,
    ),
    edits: relative(
      touches.filter(isEdit).map(({ path }) => path),
      here,
    ),
    named: relative(pathsIn(asked, MAX_NAMES), here),
    commands: tool.command === undefined ? [] : commandsIn(tool.command, { ...here, ranIn: tool.cwd }),
    names: [...new Set([...namesIn([asked, tool.fragment ?? ''].join('\n')), ...(tool.names ?? [])])],
    isSearch: tool.kind === 'search' || (tool.kind === 'shell' && tool.query !== undefined),
  }
}

/** What followed each start, in order. Only the main thread: a subagent begins with nothing, whatever its session knew. */
export function createTracing(worktree: string | undefined) {
  const epochs: Mutable[] = []

  function prompted(trace: Mutable, event: EventOf<'prompt-submitted'>): void {
    if (trace.prompts.length >= MAX_OTHERS) return
    const [prompt, at] = [readPrompt(event), event.at]
    const paths = relative(pathsIn(prompt, MAX_NAMES), { worktree })
    trace.prompts.push({ afterCalls: trace.calls.length, at, paths, names: namesIn(prompt) })
  }

  function said(trace: Mutable, { lastMessage }: EventOf<'turn-ended'>): void {
    if (lastMessage !== undefined) decide(trace, decisionsIn(lastMessage))
  }

  function add(trace: Mutable, { event }: StoredEvent): void {
    if (event.kind === 'prompt-submitted') prompted(trace, event)
    else if (event.kind === 'turn-ended') said(trace, event)
    else if (event.kind === 'decision-made') decide(trace, [event.decision])
    else if (event.kind === 'digest-written') {
      decide(
        trace,
        (event.decisions ?? []).map(({ decision }) => decision),
      )
    } else if (event.kind === 'tool-finished' && trace.calls.length < MAX_TRACED_CALLS) {
      trace.calls.push(callOf(event, worktree))
    }
  }

  function decide(trace: Mutable, texts: readonly string[]): void {
    for (const text of texts) {
      if (trace.decisions.length >= MAX_OTHERS || trace.decisions.some((known) => known.text === text)) continue
      trace.decisions.push({ afterCalls: trace.calls.length, text: clip(text, 300) })
    }
  }

  return {
    /** In the log's order. */
    follow(stored: StoredEvent): void {
      if (stored.event.subagent !== undefined) return
      const isStart = stored.event.kind === 'session-started'
      let current = epochs.at(-1)
      if (current === undefined || isStart) {
        current = blank(stored)
        epochs.push(current)
      }
      current.eventSeq = stored.seq
      if (!isStart) add(current, stored)
    },
    /** Nothing more is taken until the next start. */
    isFull: (): boolean => (epochs.at(-1)?.calls.length ?? 0) >= MAX_TRACED_CALLS,
    /** One for each start that was seen, the oldest first; a session whose start was not seen has one all the same. */
    epochs: (): readonly EpochTrace[] => epochs,
  }
}
