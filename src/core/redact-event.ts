import { isEnvFile } from './env-file.ts'
import type { EventOf, SessionEvent, TodoUpdate, ToolCall, ToolOutcome, TranscriptNote } from './event.ts'
import type { Redactor } from './ports.ts'

type Clean = (text: string) => string

/** Lone surrogates are repaired here: one of them makes a whole request invalid for some model APIs. */
function cleaner(redactor: Redactor): Clean {
  return (text) => redactor.redact(text.toWellFormed())
}

function optional(clean: Clean, text: string | undefined): string | undefined {
  return text === undefined ? undefined : clean(text)
}

function cleanTodo(clean: Clean, todo: TodoUpdate): TodoUpdate {
  switch (todo.kind) {
    case 'list':
      return { ...todo, todos: todo.todos.map((item) => ({ ...item, text: clean(item.text) })) }
    case 'add':
      return { ...todo, text: clean(todo.text) }
    case 'change':
      return { ...todo, text: optional(clean, todo.text) }
  }
}

/**
 * What an env file says is secret whatever it looks like. A redactor learns a value once the file holds it and forgets the one it
 * held before, so what was read from or written to one is not kept at all.
 */
function touchesEnvFile({ files }: ToolCall): boolean {
  return files.some(({ path }) => isEnvFile(path))
}

/** Without those that hold a secret: half of one is no name. */
function cleanList(clean: Clean, texts: readonly string[] | undefined): readonly string[] | undefined {
  const together = texts?.join('\n') ?? ''
  // All of them at once first: there is nearly always nothing to leave out, and a hook waits.
  const kept = (clean(together) === together ? texts : texts?.filter((text) => clean(text) === text)) ?? []
  return kept.length === 0 ? undefined : kept
}

/** Taken from a text that did not know the values of this project: one of them may have been taken apart at its signs. */
function cleanNames(redactor: Redactor, names: readonly string[] | undefined): readonly string[] | undefined {
  const kept = cleanList(cleaner(redactor), names)?.filter((name) => !redactor.isPiece(name)) ?? []
  return kept.length === 0 ? undefined : kept
}

function cleanTool(redactor: Redactor, tool: ToolCall): ToolCall {
  const clean = cleaner(redactor)
  return {
    callId: tool.callId,
    name: tool.name,
    kind: tool.kind,
    files: tool.files.map((file) => ({ ...file, path: clean(file.path) })),
    command: optional(clean, tool.command),
    cwd: optional(clean, tool.cwd),
    query: optional(clean, tool.query),
    fragment: touchesEnvFile(tool) ? undefined : optional(clean, tool.fragment),
    names: touchesEnvFile(tool) ? undefined : cleanNames(redactor, tool.names),
    plan: optional(clean, tool.plan),
    description: optional(clean, tool.description),
    todo: tool.todo === undefined ? undefined : cleanTodo(clean, tool.todo),
  } satisfies Record<keyof ToolCall, unknown>
}

function cleanOutcome(redactor: Redactor, { tool, outcome }: EventOf<'tool-finished'>): ToolOutcome {
  const clean = cleaner(redactor)
  const { ok, exitStatus, interrupted, durationMs } = outcome
  if (touchesEnvFile(tool)) return { ok, exitStatus, interrupted, durationMs }
  const paths = cleanList(clean, outcome.paths)
  return {
    ok,
    exitStatus,
    output: optional(clean, outcome.output),
    names: cleanNames(redactor, outcome.names),
    paths,
    hits: paths?.length === outcome.paths?.length ? outcome.hits : undefined,
    plan: optional(clean, outcome.plan),
    interrupted,
    durationMs,
  } satisfies Record<keyof ToolOutcome, unknown>
}

/** The event without secrets. Ids, times and paths of the session itself are the harness's own and stay as they are. */
export function redactEvent(event: SessionEvent, redactor: Redactor): SessionEvent {
  const clean = cleaner(redactor)
  switch (event.kind) {
    case 'session-started':
    case 'subagent-started':
    case 'session-ended':
    case 'gate-changed':
      return event
    case 'prompt-submitted':
      return { ...event, prompt: clean(event.prompt) }
    case 'tool-started':
      return { ...event, tool: cleanTool(redactor, event.tool) }
    case 'tool-finished':
      return {
        ...event,
        tool: cleanTool(redactor, event.tool),
        outcome: cleanOutcome(redactor, event),
      }
    case 'turn-ended':
    case 'subagent-finished':
      return { ...event, lastMessage: optional(clean, event.lastMessage) }
    case 'compaction-started':
      return { ...event, instructions: optional(clean, event.instructions) }
    case 'compaction-finished':
      return { ...event, summary: optional(clean, event.summary) }
    case 'digest-written':
      return {
        ...event,
        summary: clean(event.summary),
        nextAction: optional(clean, event.nextAction),
        waitingFor: optional(clean, event.waitingFor),
        blockers: event.blockers?.map(clean),
        decisions: event.decisions?.map((made) => ({
          decision: clean(made.decision),
          rationale: optional(clean, made.rationale),
          alternatives: made.alternatives?.map(clean),
        })),
      }
    case 'remembered':
      return { ...event, content: clean(event.content) }
    case 'decision-made':
      return {
        ...event,
        decision: clean(event.decision),
        rationale: optional(clean, event.rationale),
        alternatives: event.alternatives?.map(clean),
      }
    case 'task-session-changed':
      return { ...event, reason: optional(clean, event.reason) }
    case 'error-recovered':
      return { ...event, error: clean(event.error), resolution: clean(event.resolution) }
  }
}

export function redactNote(note: TranscriptNote, redactor: Redactor): TranscriptNote {
  const clean = cleaner(redactor)
  switch (note.kind) {
    case 'statement':
    case 'summary-shown':
      return { ...note, text: clean(note.text) }
    case 'context-measured':
      return note
  }
}
