import type { UserRequest } from '../../kernel/checkpoint.ts'
import type { EventOf, SessionEvent, ToolCall, ToolOutcome, TranscriptNote } from '../../kernel/event.ts'
import { findDecisions, withClaims } from './claims.ts'
import { findErrorLines, toErrorSignature } from '../../kernel/text/command-output.ts'
import { withAgentMessage, withDocumentMessage, withToolWords, withUserMessage } from './dialogue.ts'
import { withGitStatus } from './git-status.ts'
import { foldDigest, withDecisions } from './fold-digest.ts'
import { findEndedRun, foldInFlight, NOTHING_IN_FLIGHT } from '../in-flight/fold-in-flight.ts'
import { withTouches, type FoldContext, type FoldLocation } from './fold-paths.ts'
import { foldRun, withErrors } from './fold-run.ts'
import { findReferences } from '../../kernel/text/identifiers.ts'
import { withDocument, withWrittenPlan, applyTodos } from './plan.ts'
import { withStep } from './steps.ts'
import { LIMITS, type WorkState } from './state.ts'
import {
  clip,
  closingSentences,
  cutUnits,
  isAnswer,
  leadingSentences,
  oneLine,
  clipPrompt,
} from '../../kernel/text/text.ts'

function withRefs(state: WorkState, text: string): WorkState {
  const refs = findReferences(text)
  if (refs.length === 0) return state
  return { ...state, refs: [...state.refs.filter((ref) => !refs.includes(ref)), ...refs].slice(-LIMITS.refs) }
}

/** A message of the agent: statement, references, claims, marked decisions. */
function withStatement(state: WorkState, text: string, isLate = false): WorkState {
  const said = text.toWellFormed().trim()
  if (said === '') return state
  const statement = leadingSentences(said, LIMITS.statementChars)
  if (state.statements.some((known) => known.text === statement)) return state
  const place = isLate ? -1 : state.statements.length
  const statements = state.statements
    .toSpliced(place, 0, { text: statement, lastOrder: state.order })
    .slice(-LIMITS.statements)
  const closing = { text: closingSentences(said, LIMITS.closingChars), order: state.order }
  const named = { ...state, statements, closing: isLate ? state.closing : closing }
  const claimed = withDecisions(
    withRefs(named, said),
    findDecisions(said).map((decision) => ({ decision })),
    { evidence: 'claimed' },
  )
  return { ...claimed, claims: withClaims(claimed.claims, said, state.order) }
}

/** The harness's summary repeats what the agent believed. */
function withSummaryClaims(state: WorkState, summary: string): WorkState {
  return { ...state, compaction: undefined, running: undefined, claims: withClaims(state.claims, summary, state.order) }
}

/** Commands for the harness, not for the agent. Any other `/name` is a command of the user's own and counts as a request. */
const HARNESS_COMMAND =
  /^\/(?:add-dir|agents?|approvals|bug|clear|compact|compress|config|connect|context|copy|cost|details|diff|doctor|editor|exit|export|feedback|help|hooks|ide|login|logout|mcp|memory|models?|new|permissions|plan|plugins?|privacy-settings|quit|redo|release-notes|rename|resume|rewind|sessions|settings|share|skills|stats|status|statusline|terminal-setup|themes?|tools|undo|unshare|upgrade|usage|vim)\s*$/

/** Holdfast's own skills, with or without a plugin's name before them. */
const OWN_COMMAND =
  /^\/(?:holdfast\b|(?:\S+:)?(?:remember|recall|checkpoint|sesh-(?:briefing|done|intent|save))(?:\s|$))/

function isHarnessCommand(prompt: string): boolean {
  return HARNESS_COMMAND.test(prompt) || OWN_COMMAND.test(prompt)
}

/** The end of the agent's last message, if the prompt makes little sense without it. */
function answeredBy({ closing, asks }: WorkState, prompt: string): Pick<UserRequest, 'answers'> {
  const isSince = closing !== undefined && closing.order > (asks.at(-1)?.order ?? 0)
  return isSince && closing.text !== '' && isAnswer(prompt) ? { answers: closing.text } : {}
}

type Prompt = Pick<EventOf<'prompt-submitted'>, 'prompt' | 'at' | 'isQueued' | 'expansion'> & {
  /** Said with a refused call, which the dialogue has. */
  readonly isRefusal?: true
}

function foldPrompt(state: WorkState, event: Prompt): WorkState {
  const prompt = clipPrompt(event).toWellFormed().trim()
  const running = event.isQueued === true ? state.running : undefined
  const woken: WorkState = { ...state, promptCount: state.promptCount + 1, turnEnded: undefined, running }
  if (prompt === '' || isHarnessCommand(prompt)) return woken
  // The harness may report a message when the user sends it and when the agent gets it.
  const queued = state.queued ?? []
  if (queued.includes(prompt)) return { ...woken, queued: queued.filter((other) => other !== prompt) }
  const text = leadingSentences(prompt, LIMITS.askChars)
  const request = { text, at: event.at, order: state.order, ...answeredBy(state, text) }
  const asked: WorkState = {
    ...(event.isRefusal === true ? woken : withUserMessage(woken, event)),
    queued: event.isQueued === true ? [...queued, prompt].slice(-LIMITS.queued) : state.queued,
    firstAsk: woken.firstAsk ?? request,
    asks: [...woken.asks, request].slice(-LIMITS.asks),
  }
  return withRefs(asked, prompt)
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

/** A call that never ran. What the user said with the refusal is a request. */
function foldRefused(state: WorkState, event: EventOf<'tool-finished'>, here: FoldLocation): WorkState {
  const { tool, outcome, subagent, at } = event
  const isRunning = state.running?.callId === tool.callId
  const withWords = subagent === undefined ? withToolWords(state, event) : state
  const next: WorkState = { ...withWords, turnEnded: undefined, running: isRunning ? undefined : state.running }
  if (subagent !== undefined) return next
  const planned = tool.plan === undefined ? next : withWrittenPlan(next, { tool, text: tool.plan }, here)
  return outcome.refused?.words === undefined
    ? planned
    : foldPrompt(planned, { prompt: outcome.refused.words, at, isRefusal: true })
}

function foldTool(state: WorkState, event: EventOf<'tool-finished'>, here: FoldLocation): WorkState {
  const { tool, outcome } = event
  if (outcome.refused !== undefined) return foldRefused(state, event, here)
  const withWords = event.subagent === undefined ? withToolWords(state, event) : state
  // A late result (an asynchronous hook, a transcript read) does not reopen the turn.
  const isLate = state.turnEnded !== undefined && event.at < state.turnEnded.at
  let next = withTouches(isLate ? withWords : { ...withWords, turnEnded: undefined }, event, here)
  if (state.running?.callId === tool.callId) next = { ...next, running: undefined }
  next = withStep(next, event, here)
  if (tool.kind === 'shell' && tool.isBackground !== true) next = withGitStatus(foldRun(next, event, here), event, here)
  else if (!outcome.ok && outcome.interrupted !== true) next = withRefusal(next, tool, outcome)
  else if (outcome.ok && next.refusal?.tool === tool.name) next = { ...next, refusal: undefined }
  if (tool.todo !== undefined && event.subagent === undefined)
    next = { ...next, todos: applyTodos(next.todos, tool.todo), todosOrder: next.order }
  if (tool.plan !== undefined && event.subagent === undefined)
    next = withDocumentMessage(withWrittenPlan(next, { tool, text: tool.plan }, here), 'plan', {
      text: tool.plan,
      at: event.at,
    })
  if (outcome.plan !== undefined && event.subagent === undefined)
    next = withDocument(next, { tool, text: outcome.plan }, here)
  return next
}

function readCompaction(event: EventOf<'compaction-started'>): WorkState['compaction'] {
  const read = (text: string | undefined) => (text?.trim() ? clip(text, LIMITS.compactionChars) : undefined)
  return { instructions: read(event.instructions), sessionContext: read(event.sessionContext) }
}

function withShownSummary(state: WorkState, text: string): WorkState {
  return { ...state, shown: { text: cutUnits(text.toWellFormed(), LIMITS.shownChars) } }
}

function foldKnown(state: WorkState, event: SessionEvent, here: FoldLocation): WorkState {
  const isMainThread = event.subagent === undefined
  switch (event.kind) {
    case 'prompt-submitted':
      return isMainThread ? foldPrompt(state, event) : state
    case 'tool-started':
      return isMainThread
        ? { ...state, turnEnded: undefined, running: { callId: event.tool.callId, what: describe(event.tool) } }
        : state
    case 'tool-finished':
      return foldTool(state, event, here)
    case 'turn-ended': {
      if (!isMainThread) return state
      const { at, lastMessage: last } = event
      const said =
        last === undefined ? state : withStatement(withAgentMessage(state, last, { at, isFinal: true }), last)
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
      return withDecisions(state, [event], { evidence: 'observed' })
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
      return isMainThread ? { ...state, shown: undefined, compaction: readCompaction(event) } : state
    case 'compaction-finished':
      if (!isMainThread) return state
      // A call that was open before belongs to a context that is gone.
      return event.summary === undefined
        ? { ...state, compaction: undefined, running: undefined }
        : withDocumentMessage(withShownSummary(withSummaryClaims(state, event.summary), event.summary), 'summary', {
            text: event.summary,
            at: event.at,
          })
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
  const here = { worktree: context.worktree, cwd: event.cwd }
  const before = counted.inFlight ?? NOTHING_IN_FLIGHT
  const ended = event.kind === 'tool-finished' ? findEndedRun(before, event) : undefined
  const known = foldKnown(counted, event, here)
  const folded = ended === undefined ? known : foldRun(known, ended, here)
  return { ...folded, inFlight: foldInFlight(before, event, counted.order) }
}

export function foldNote(state: WorkState, note: TranscriptNote): WorkState {
  switch (note.kind) {
    case 'statement': {
      // The hook at the end of a turn brings its last message before the transcript brings the earlier ones.
      const { turnEnded } = state
      const isLate = turnEnded?.lastMessage !== undefined && note.at !== undefined && note.at < turnEnded.at
      const withMessage = withAgentMessage({ ...state, order: state.order + 1 }, note.text, note)
      return withStatement(withMessage, note.text, isLate)
    }
    case 'context-measured':
      return { ...state, contextTokens: note.contextTokens }
    case 'summary-shown':
      return withDocumentMessage({ ...withShownSummary(state, note.text), order: state.order + 1 }, 'summary', note)
  }
}
