import type { UserRequest } from '../../kernel/checkpoint.ts'
import type { EventOf, SessionEvent, ToolCall, ToolOutcome, TranscriptNote } from '../../kernel/event.ts'
import { WEIGHTS } from './weights.ts'
import { withoutAsked, withSightings, withNameGroup } from './identifier-weights.ts'
import { findClaims, findDecisions, withClaims } from './claims.ts'
import { findErrorLines, toErrorSignature } from '../../kernel/text/command-output.ts'
import { foldDigest, withDecisions } from './fold-digest.ts'
import { openedBy, withFound, withMentions, withTouches, type FoldContext, type Here } from './fold-paths.ts'
import { foldRun, withErrors } from './fold-run.ts'
import { findIdentifiers, MAX_NAME_CHARS, findReferences } from '../../kernel/text/identifiers.ts'
import { isPlan, withDocument, withPlan, withWrittenPlan, applyTodos } from './plan.ts'
import { LIMITS, type SightingKind, type WorkState } from './state.ts'
import {
  clip,
  closingSentences,
  cutUnits,
  isAnswer,
  leadingSentences,
  oneLine,
  clipPrompt,
  isSubstantiveRequest,
} from '../../kernel/text/text.ts'

interface Sighting {
  readonly kind: SightingKind
  readonly share?: number
  /** The file that they were seen in. */
  readonly path?: string
}

function withSightedNames(state: WorkState, seen: readonly string[], { kind, share = 1, path }: Sighting): WorkState {
  const { order } = state
  // Connectors respect this limit; other API clients may not.
  const names = seen.filter((name) => name.length <= MAX_NAME_CHARS).slice(0, LIMITS.namesAtOnce)
  return {
    ...state,
    identifiers: withSightings(state.identifiers, names, { order, kind, share }),
    scenes: withNameGroup(state.scenes, { order, kind, names, ...(path === undefined ? {} : { path }) }),
  }
}

function withNames(state: WorkState, text: string | undefined, sighting: Sighting): WorkState {
  return text === undefined || text === '' ? state : withSightedNames(state, findIdentifiers(text), sighting)
}

/** Names in a todo list or a summary: still relevant, but not mentioned just now. */
function withRepeated(state: WorkState, text: string): WorkState {
  const how = { order: state.order, kind: 'said', share: 1 } as const
  return { ...state, identifiers: withSightings(state.identifiers, findIdentifiers(text), how) }
}

function withShown(state: WorkState, { output, names }: ToolOutcome, sighting: Omit<Sighting, 'kind'>): WorkState {
  const shown = { ...sighting, kind: 'shown' } as const
  return names === undefined ? withNames(state, output, shown) : withSightedNames(state, names, shown)
}

function withRefs(state: WorkState, text: string): WorkState {
  const refs = findReferences(text)
  if (refs.length === 0) return state
  return { ...state, refs: [...state.refs.filter((ref) => !refs.includes(ref)), ...refs].slice(-LIMITS.refs) }
}

/** A message of the agent: statement, identifiers, claims, marked decisions. */
function withStatement(state: WorkState, text: string, here: Here, isLate = false): WorkState {
  const said = text.toWellFormed().trim()
  if (said === '') return state
  const statement = leadingSentences(said, LIMITS.statementChars)
  if (state.statements.some((known) => known.text === statement)) return state
  const place = isLate ? -1 : state.statements.length
  const statements = state.statements
    .toSpliced(place, 0, { text: statement, lastOrder: state.order })
    .slice(-LIMITS.statements)
  const closing = { text: closingSentences(said, LIMITS.closingChars), order: state.order }
  const named = withNames({ ...state, statements, closing: isLate ? state.closing : closing }, said, { kind: 'said' })
  const claimed = withDecisions(
    withMentions(withRefs(named, said), said, { here, by: 'said' }),
    findDecisions(said).map((decision) => ({ decision })),
    'claimed',
  )
  return { ...claimed, claims: withClaims(claimed.claims, findClaims(said, state.order)) }
}

/** Commands for the harness, not for the agent. Any other `/name` is a command of the user's own and counts as a request. */
const HARNESS_COMMAND =
  /^\/(?:add-dir|agents?|approvals|bug|clear|compact|compress|config|connect|context|copy|cost|details|diff|doctor|editor|exit|export|feedback|help|hooks|ide|login|logout|mcp|memory|models?|new|permissions|plan|plugins?|privacy-settings|quit|redo|release-notes|rename|resume|rewind|sessions|settings|share|skills|stats|status|statusline|terminal-setup|themes?|tools|undo|unshare|upgrade|usage|vim)\s*$/

function isHarnessCommand(prompt: string): boolean {
  return HARNESS_COMMAND.test(prompt)
}

/** The end of the agent's last message, if the prompt makes little sense without it. */
function answeredBy({ closing, asks }: WorkState, prompt: string): Pick<UserRequest, 'answers'> {
  const isSince = closing !== undefined && closing.order > (asks.at(-1)?.order ?? 0)
  return isSince && closing.text !== '' && isAnswer(prompt) ? { answers: closing.text } : {}
}

function foldPrompt(state: WorkState, event: EventOf<'prompt-submitted'>, here: Here): WorkState {
  const prompt = clipPrompt(event).toWellFormed().trim()
  const woken: WorkState = { ...state, promptCount: state.promptCount + 1, turnEnded: undefined, running: undefined }
  if (prompt === '' || isHarnessCommand(prompt)) return woken
  const text = leadingSentences(prompt, LIMITS.askChars)
  const request = { text, at: event.at, order: state.order, ...answeredBy(state, text) }
  const asked: WorkState = {
    ...woken,
    firstAsk: woken.firstAsk ?? request,
    asks: [...woken.asks, request].slice(-LIMITS.asks),
    identifiers: isSubstantiveRequest(prompt) ? withoutAsked(woken.identifiers) : woken.identifiers,
  }
  const planned = isPlan(prompt) ? withPlan(asked, prompt, here) : asked
  return withMentions(withRefs(withNames(planned, prompt, { kind: 'asked' }), prompt), prompt, { here, by: 'asked' })
}

const DOING: Partial<Readonly<Record<ToolCall['kind'], string>>> = {
  edit: 'editing',
  read: 'reading',
  search: 'looking for',
}

function describe({ kind, command, description, files, query, name }: ToolCall): string {
  // The file of a search is the folder it searches.
  const what = kind === 'search' ? (query ?? files[0]?.path) : (files[0]?.path ?? query)
  const doing = DOING[kind]
  const plain = command ?? description ?? what ?? name
  return clip(doing === undefined || what === undefined ? plain : `${doing} ${what}`, 160)
}

/** An edit that did not match, or a file not read first, is an error only if it repeats. */
function withRefusal(state: WorkState, tool: ToolCall, outcome: ToolOutcome): WorkState {
  const lines = findErrorLines(outcome.output ?? '', 2)
  const [first] = lines
  if (first === undefined) return state
  const addErrors = (errors: WorkState['errors']) =>
    withErrors(errors, lines, { command: tool.name, order: state.order })
  if (tool.kind === 'mcp' || tool.kind === 'other') return { ...state, errors: addErrors(state.errors) }
  if (state.refusal?.signature !== first.signature)
    return { ...state, refusal: { tool: tool.name, signature: first.signature } }
  // The first time counts as well.
  const isKnown = state.errors.some((error) => error.signature === first.signature)
  return { ...state, errors: isKnown ? addErrors(state.errors) : addErrors(addErrors(state.errors)) }
}

function foldTool(state: WorkState, event: EventOf<'tool-finished'>, here: Here): WorkState {
  const { tool, outcome } = event
  const share = event.subagent === undefined ? 1 : WEIGHTS.name.subagentShare
  const path = openedBy(event, here)
  // A late result (an asynchronous hook, a transcript read) does not reopen the turn.
  const isLate = state.turnEnded !== undefined && event.at < state.turnEnded.at
  let next = withTouches(isLate ? state : { ...state, turnEnded: undefined }, event, here)
  if (state.running?.callId === tool.callId) next = { ...next, running: undefined }
  if (tool.kind === 'shell') next = foldRun(next, event, here)
  else if (!outcome.ok && outcome.interrupted !== true) next = withRefusal(next, tool, outcome)
  else if (outcome.ok && next.refusal?.tool === tool.name) next = { ...next, refusal: undefined }
  if (tool.todo !== undefined && event.subagent === undefined) {
    next = { ...next, todos: applyTodos(next.todos, tool.todo) }
    next = withRepeated(next, next.todos.map((todo) => todo.text).join('\n'))
  }
  next =
    tool.names === undefined
      ? withNames(next, tool.fragment, { kind: 'acted', share, path })
      : withSightedNames(next, tool.names, { kind: 'acted', share, path })
  if (tool.plan !== undefined && event.subagent === undefined)
    next = withWrittenPlan(next, { tool, text: tool.plan }, here)
  if (outcome.plan !== undefined && event.subagent === undefined)
    next = withDocument(next, { tool, text: outcome.plan }, here)
  next = withNames(next, [tool.query, tool.command].filter((text) => text !== undefined).join('\n'), {
    kind: 'acted',
    share,
  })
  next = withShown(next, outcome, { share, path })
  next = withFound(next, event, here)
  return next
}

function withShownSummary(state: WorkState, text: string): WorkState {
  return { ...state, shown: { text: cutUnits(text.toWellFormed(), LIMITS.shownChars) } }
}

function foldKnown(state: WorkState, event: SessionEvent, here: Here): WorkState {
  const isMainThread = event.subagent === undefined
  switch (event.kind) {
    case 'prompt-submitted':
      return isMainThread ? foldPrompt(state, event, here) : state
    case 'tool-started':
      return isMainThread
        ? { ...state, turnEnded: undefined, running: { callId: event.tool.callId, what: describe(event.tool) } }
        : state
    case 'tool-finished':
      return foldTool(state, event, here)
    case 'turn-ended': {
      if (!isMainThread) return state
      const said = event.lastMessage === undefined ? state : withStatement(state, event.lastMessage, here)
      const lastMessage = event.lastMessage === undefined ? undefined : event.lastMessage.toWellFormed().slice(-2_000)
      return {
        ...said,
        running: undefined,
        turnEnded: { at: event.at, lastMessage: lastMessage?.toWellFormed() },
      }
    }
    case 'digest-written':
      return foldDigest(state, event)
    case 'remembered':
      return { ...state, remembers: [...state.remembers, clip(event.content, 300)].slice(-LIMITS.remembers) }
    case 'decision-made':
      return withDecisions(state, [event], 'observed')
    case 'gate-changed':
      return { ...state, task: { slug: oneLine(event.task), gate: oneLine(event.to) } }
    case 'task-session-changed': {
      if (event.state !== 'active') return { ...state, task: undefined }
      return { ...state, task: { slug: oneLine(event.task), gate: oneLine(event.gate ?? state.task?.gate ?? '') } }
    }
    case 'error-recovered': {
      const signature = toErrorSignature(event.error)
      const line = { text: clip(event.error, 200), signature }
      const errors = withErrors(state.errors, [line], { order: state.order })
      const resolution = clip(event.resolution, 240)
      return {
        ...state,
        errors: errors.map((error) => (error.signature === signature ? { ...error, resolution } : error)),
      }
    }
    case 'compaction-started':
      // The previous summary is about to be replaced.
      return isMainThread ? { ...state, shown: undefined } : state
    case 'compaction-finished':
      return isMainThread && event.summary !== undefined ? withShownSummary(state, event.summary) : state
    case 'session-started':
    case 'session-ended':
    case 'subagent-started':
    case 'subagent-finished':
      return state
  }
}

/** The state after one more event; unchanged if this event was folded recently. */
export function foldEvent(state: WorkState, event: SessionEvent, context: FoldContext = {}): WorkState {
  if (state.seen.includes(event.id)) return state
  const counted: WorkState = {
    ...state,
    order: state.order + 1,
    seen: [...state.seen, event.id].slice(-LIMITS.seen),
    worktree: context.worktree ?? state.worktree,
  }
  return foldKnown(counted, event, { worktree: context.worktree, cwd: event.cwd })
}

export function foldNote(state: WorkState, note: TranscriptNote): WorkState {
  const context: Here = { worktree: state.worktree }
  switch (note.kind) {
    case 'statement': {
      // The hook at the end of a turn brings its last message before the transcript brings the earlier ones.
      const { turnEnded } = state
      const isLate = turnEnded?.lastMessage !== undefined && note.at !== undefined && note.at < turnEnded.at
      return withStatement({ ...state, order: state.order + 1 }, note.text, context, isLate)
    }
    case 'context-measured':
      return { ...state, contextTokens: note.contextTokens }
    case 'summary-shown':
      // The harness shows it to its model: its names matter, its words need not be injected.
      return withMentions(
        withRepeated({ ...withShownSummary(state, note.text), order: state.order + 1 }, note.text),
        note.text,
        { here: context, by: 'said' },
      )
  }
}
