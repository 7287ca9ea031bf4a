import { printsEnvFile } from './env-files.ts'
import { isEnvFile } from './env-files.ts'
import type {
  Decision,
  EventOf,
  SessionEvent,
  TodoUpdate,
  ToolCall,
  ToolOutcome,
  TranscriptNote,
} from '../kernel/event.ts'
import type { Redactor } from '../kernel/ports/ports.ts'
import { clipMiddle } from '../kernel/text/clip.ts'
import { type CleanField, redactFields } from './redact-fields.ts'

/** The middle of a longer prompt is left out. Not earlier than here: a cut before redaction could split a secret. */
const KEPT_PROMPT_CHARS = 64_000

/** Lone surrogates are repaired here: one of them makes a request invalid for some model APIs. */
function repaired(clean: CleanField): CleanField {
  return (text, column) => clean(text.toWellFormed(), column)
}

function optional(clean: CleanField, text: string | undefined, column?: string): string | undefined {
  return text === undefined ? undefined : clean(text, column)
}

/** Ids, times and paths of the session come from the harness and stay, unless one contains something that no id contains. */
function cleanOwn<Own extends string>(clean: CleanField, own: Own): Own
function cleanOwn(clean: CleanField, own: string): string {
  return own.includes('\n') || own.includes('PRIVATE KEY') ? clean(own) : own
}

function cleanTodo(clean: CleanField, todo: TodoUpdate): TodoUpdate {
  switch (todo.kind) {
    case 'list':
      return { ...todo, todos: todo.todos.map((item) => ({ ...item, text: clean(item.text, 'todos') })) }
    case 'add':
      return { ...todo, text: clean(todo.text) }
    case 'change':
      return { ...todo, text: optional(clean, todo.text) }
  }
}

/**
 * Everything in an env file is secret. A redactor knows only the file's current values, not the ones it
 * held before, so what was read from or written to one is not stored at all.
 */
function touchesEnvFile({ files, command }: ToolCall): boolean {
  return files.some(({ path }) => isEnvFile(path)) || (command !== undefined && printsEnvFile(command))
}

/** Drops names that hold a secret: half a secret is not a name. */
function cleanList(redactor: Redactor, texts: readonly string[] | undefined): readonly string[] | undefined {
  const given = texts?.map((text) => text.toWellFormed()) ?? []
  const clean = redactor.redactAll(given)
  const kept = given.filter((text, index) => text === clean[index])
  return kept.length === 0 ? undefined : kept
}

/** The names were extracted without knowing this project's env values: one of them may be a piece of such a value. */
function cleanNames(redactor: Redactor, names: readonly string[] | undefined): readonly string[] | undefined {
  const kept = cleanList(redactor, names)?.filter((name) => !redactor.isPiece(name)) ?? []
  return kept.length === 0 ? undefined : kept
}

function cleanTool(clean: CleanField, redactor: Redactor, tool: ToolCall): ToolCall {
  return {
    callId: tool.callId === undefined ? undefined : cleanOwn(clean, tool.callId),
    name: cleanOwn(clean, tool.name),
    kind: tool.kind,
    files: tool.files.map((file) => ({ ...file, path: clean(file.path, 'files') })),
    command: optional(clean, tool.command),
    cwd: optional(clean, tool.cwd),
    query: optional(clean, tool.query),
    fragment: touchesEnvFile(tool) ? undefined : optional(clean, tool.fragment),
    names: touchesEnvFile(tool) ? undefined : cleanNames(redactor, tool.names),
    plan: optional(clean, tool.plan),
    description: optional(clean, tool.description),
    todo: tool.todo === undefined ? undefined : cleanTodo(clean, tool.todo),
    isBackground: tool.isBackground,
  } satisfies Record<keyof ToolCall, unknown>
}

function cleanOutcome(clean: CleanField, redactor: Redactor, { tool, outcome }: EventOf<'tool-finished'>): ToolOutcome {
  const { ok, exitStatus, interrupted, durationMs } = outcome
  if (touchesEnvFile(tool)) return { ok, exitStatus, interrupted, durationMs }
  const paths = cleanList(redactor, outcome.paths)
  return {
    ok,
    exitStatus,
    output: optional(clean, outcome.output),
    names: cleanNames(redactor, outcome.names),
    paths,
    hits: paths?.length === outcome.paths?.length ? outcome.hits : undefined,
    plan: optional(clean, outcome.plan),
    interrupted,
    refused: outcome.refused && { ...outcome.refused, words: optional(clean, outcome.refused.words) },
    answers: outcome.answers?.map(({ question, options, answer }) => ({
      question: clean(question, 'questions'),
      options: options.map((text) => clean(text, 'options')),
      answer: clean(answer, 'answers'),
    })),
    backgroundId: outcome.backgroundId === undefined ? undefined : cleanOwn(clean, outcome.backgroundId),
    durationMs,
  } satisfies Record<keyof ToolOutcome, unknown>
}

/** The fields that every event has. */
function cleanFrame(clean: CleanField, event: SessionEvent): SessionEvent {
  const { id, sessionKey, cwd, transcriptPath, harnessVersion, subagent } = event
  const own = [id, sessionKey, cwd, transcriptPath, harnessVersion, subagent?.id, subagent?.type]
  if (!own.some((text) => text?.includes('\n') === true || text?.includes('PRIVATE KEY') === true)) return event
  return {
    ...event,
    id: cleanOwn(clean, id),
    sessionKey: cleanOwn(clean, sessionKey),
    ...(cwd !== undefined && { cwd: cleanOwn(clean, cwd) }),
    ...(transcriptPath !== undefined && { transcriptPath: cleanOwn(clean, transcriptPath) }),
    ...(harnessVersion !== undefined && { harnessVersion: cleanOwn(clean, harnessVersion) }),
    ...(subagent !== undefined && {
      subagent: {
        ...subagent,
        id: cleanOwn(clean, subagent.id),
        ...(subagent.type !== undefined && { type: cleanOwn(clean, subagent.type) }),
      },
    }),
  }
}

function cleanDecision(clean: CleanField, { decision, rationale, alternatives }: Decision, column: string): Decision {
  return {
    decision: clean(decision, column),
    rationale: optional(clean, rationale, `${column}.rationale`),
    alternatives: alternatives?.map((text) => clean(text, `${column}.alternatives`)),
  }
}

/** Removes the secrets of an event. Its texts are read together, so a key that was split over list items is found. */
export function redactEvent(event: SessionEvent, redactor: Redactor): SessionEvent {
  return redactFields(redactor, (field) => {
    const clean = repaired(field)
    return cleanEvent(clean, redactor, cleanFrame(clean, event))
  })
}

function cleanEvent(clean: CleanField, redactor: Redactor, event: SessionEvent): SessionEvent {
  switch (event.kind) {
    case 'session-started':
    case 'subagent-started':
    case 'session-ended':
    case 'gate-changed':
      return event
    case 'prompt-submitted':
      return {
        ...event,
        prompt: clipMiddle(clean(event.prompt), KEPT_PROMPT_CHARS),
        ...(event.expansion !== undefined && { expansion: clipMiddle(clean(event.expansion), KEPT_PROMPT_CHARS) }),
      }
    case 'tool-started':
      return { ...event, tool: cleanTool(clean, redactor, event.tool) }
    case 'tool-finished':
      return {
        ...event,
        tool: cleanTool(clean, redactor, event.tool),
        outcome: cleanOutcome(clean, redactor, event),
      }
    case 'turn-ended':
    case 'subagent-finished':
      return { ...event, lastMessage: optional(clean, event.lastMessage) }
    case 'compaction-started':
      return {
        ...event,
        instructions: optional(clean, event.instructions),
        sessionContext: optional(clean, event.sessionContext, 'sessionContext'),
      }
    case 'compaction-finished':
      return { ...event, summary: optional(clean, event.summary) }
    case 'digest-written':
      return {
        ...event,
        summary: clean(event.summary),
        nextAction: optional(clean, event.nextAction),
        waitingFor: optional(clean, event.waitingFor),
        blockers: event.blockers?.map((text) => clean(text, 'blockers')),
        decisions: event.decisions?.map((made) => cleanDecision(clean, made, 'decisions')),
      }
    case 'remembered':
      return { ...event, content: clean(event.content) }
    case 'decision-made':
      return {
        ...event,
        ...cleanDecision(clean, event, 'decision'),
      }
    case 'task-session-changed':
      return { ...event, reason: optional(clean, event.reason) }
    case 'error-recovered':
      return { ...event, error: clean(event.error), resolution: clean(event.resolution) }
  }
}

export function redactNote(note: TranscriptNote, redactor: Redactor): TranscriptNote {
  const clean = (text: string) => redactor.redact(text.toWellFormed())
  switch (note.kind) {
    case 'statement':
    case 'summary-shown':
      return { ...note, text: clean(note.text) }
    case 'context-measured':
      return note
  }
}
