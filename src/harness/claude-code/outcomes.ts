import type { QuestionAnswer, ToolCall, ToolOutcome } from '../../kernel/event.ts'
import { approvePlan, readAnswers } from '../payload/answers.ts'
import { BOUNDS, bounded } from '../payload/bounds.ts'
import { findRefusal } from '../payload/refusal.ts'
import {
  asList,
  asNumber,
  asObject,
  asText,
  isObject,
  type JsonObject,
  readContentText,
} from '../../kernel/json-shape.ts'
import { readOutcome } from '../payload/tool-output.ts'

/** What Claude Code (2.0 to 2.1.325) answers its model when the user said no. */
const REFUSED_BY_USER =
  /^(?:Error: )?(?:The user doesn't want to (?:proceed with this tool use\.|take this action right now)|Permission for this tool use was denied\.(?=.{0,300}The user said:)|The agent proposed a plan that was rejected by the user\.|User (?:rejected|denied|declined) )(?:.{0,300}?the user said:\n(.*))?/is

/** Its rules, its mode without a terminal, a hook, or a failed call beside this one: the user was not asked. */
const REFUSED_BY_HARNESS = new RegExp(
  `^(?:Error: )?(?:${[
    'This \\S+ requires approval',
    'This (?:\\S+ )?command (?:requires approval|contains multiple operations)',
    'Permission to use \\S+ .{0,2500}?has been denied',
    'Permission for this (?:tool use|command|action) (?:was|has been) denied(?!.{0,300}The user said:)',
    'Permission denied for \\S+:',
    'Claude requested permissions? to ',
    'This tool call was refused and did not run',
    'PreToolUse:\\S+ (?:hook error|\\[)',
    "Hook '[^'\\n]{1,200}' blocked this action",
    'Hook PreToolUse:\\S+ (?:denied|blocked)',
    'Execution stopped by PreToolUse hook',
    'Sandbox: this session has been read-only',
    'Sibling tool call errored',
    'Cancelled: parallel tool call',
    '\\S+ in .{1,400}? was blocked\\. For security, Claude Code',
  ].join('|')})`,
  's',
)

/** The harness corrects itself if a call was stopped after it had started. */
const STOPPED_WHILE_RUNNING = 'this call was stopped while running, not refused before it ran'

/** Claude Code's own sentence, in the position of the user's words. */
const CLARIFIES = 'The user wants to clarify these questions.'

function readRefusal(text: string | undefined): ToolOutcome['refused'] {
  if (text?.includes(STOPPED_WHILE_RUNNING) === true) return undefined
  const refused = findRefusal(text, { byUser: REFUSED_BY_USER, byHarness: REFUSED_BY_HARNESS })
  return refused?.words?.startsWith(CLARIFIES) === true ? { by: 'user' } : refused
}

/** The user's notes repeat the answer where it was typed instead of chosen. */
function withNotes({ answer, ...asked }: QuestionAnswer, annotations: JsonObject): QuestionAnswer {
  const notes = asText(asObject(annotations[asked.question]).notes)?.trim()
  return { ...asked, answer: notes === undefined || answer.includes(notes) ? answer : `${answer} (${notes})` }
}

function readOwnAnswers(name: string, response: unknown, text: string | undefined): readonly QuestionAnswer[] {
  const { questions, answers, annotations, isAgent } = asObject(response)
  if (name === 'AskUserQuestion')
    return readAnswers(questions, answers).map((answered) => withNotes(answered, asObject(annotations)))
  if (name !== 'ExitPlanMode' || isAgent === true) return []
  const isEdited = text?.includes('## Approved Plan (edited by user)') === true
  return approvePlan(isEdited ? 'approved, and edited by the user' : 'approved')
}

/** Tools that wait for, read or stop something in the background, and the fields of their input that name it. */
function readAwaitedId(name: string, response: unknown, input: unknown): string | undefined {
  const { task_id, shell_id, bash_id } = asObject(input)
  const id = bounded(task_id ?? shell_id ?? bash_id, BOUNDS.word)
  if (name === 'KillShell' || name === 'KillBash' || name === 'TaskStop') return id
  if (name !== 'TaskOutput' && name !== 'BashOutput' && name !== 'AgentOutput') return undefined
  const status = asText(asObject(asObject(response).task).status) ?? asText(asObject(response).status)
  return status === undefined || status === 'running' || status === 'pending' ? undefined : id
}

/** The id of a command or subagent that the call left running; undefined when it has ended. */
export function readBackgroundId(response: unknown): string | undefined {
  const { backgroundTaskId, status, agentId, name } = asObject(response)
  // The notice of a teammate's end has its name, that of a subagent's its id.
  const launched = status === 'teammate_spawned' ? name : status === 'async_launched' ? agentId : undefined
  return bounded(backgroundTaskId ?? launched, BOUNDS.word)
}

function readResponseText(response: unknown): string | undefined {
  const plain = readContentText(response)
  if (plain !== undefined) return plain
  if (!isObject(response)) return undefined
  const streams = [response.stdout, response.stderr].filter((part) => typeof part === 'string' && part !== '')
  if (streams.length > 0) return streams.join('\n')
  if ('stdout' in response) return undefined
  const names = asList(response.filenames).filter((part) => typeof part === 'string')
  return (
    readContentText(response.content) ??
    asText(asObject(response.file).content) ??
    asText(response.result) ??
    asText(asObject(response.task).output) ??
    (names.length > 0 ? names.join('\n') : undefined)
  )
}

export interface Success {
  readonly response: unknown
  readonly input: unknown
  readonly durationMs?: number | undefined
}

/** The outcome of a call that the harness reported as a success. */
export function readSuccess(call: ToolCall, { response, input, durationMs }: Success): ToolOutcome {
  const interrupted = asObject(response).interrupted === true
  const text = readResponseText(response)
  const answers = readOwnAnswers(call.name, response, text)
  const backgroundId = readBackgroundId(response) ?? readAwaitedId(call.name, response, input)
  const exitStatus = asNumber(asObject(asObject(response).task).exitCode)
  const ok = (exitStatus ?? 0) === 0
  return readOutcome(call.kind, { ok, text, interrupted, durationMs, exitStatus, answers, backgroundId })
}

/** The outcome of a failed or refused call, from the text that the model received. */
export function readFailure(
  call: ToolCall,
  error: string | undefined,
  facts: { interrupted?: boolean; durationMs?: number } = {},
): ToolOutcome {
  const text = error?.replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>\s*$/, '$1')
  return readOutcome(call.kind, { ok: false, text, ...facts, refused: readRefusal(text) })
}

/** What a notice says about the end of a command or subagent in the background. */
export interface BackgroundEnd {
  readonly id: string
  readonly outcome: ToolOutcome
}

/** The end of something in the background, as the result of a call that only it is known by. */
export function readEnd({ outcome }: BackgroundEnd): { readonly tool: ToolCall; readonly outcome: ToolOutcome } {
  return { tool: { name: 'background', kind: 'other', files: [] }, outcome }
}

const NOTICE = /^\s*<task-notification>([\s\S]{0,20000})/
const SHUT_DOWN = /"type":"teammate_terminated","message":"([\w.@-]{1,100}) has shut down\."/g

function readElement(text: string, name: string): string | undefined {
  return new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1]?.trim()
}

/** The ends that a notice to the model reports; none for any other text. */
export function readNotice(text: string): readonly BackgroundEnd[] {
  if (text.trimStart().startsWith('<teammate-message'))
    return [...text.matchAll(SHUT_DOWN)].flatMap(([, id]) =>
      id === undefined ? [] : [{ id, outcome: { ok: true, backgroundId: id } }],
    )
  const notice = NOTICE.exec(text)?.[1]
  if (notice === undefined) return []
  const id = bounded(readElement(notice, 'task-id'), BOUNDS.word)
  const status = readElement(notice, 'status')
  if (id === undefined || status === undefined || status === 'running') return []
  const summary = readElement(notice, 'summary') ?? ''
  const exit = /exit code (\d{1,5})/.exec(summary)?.[1]
  const ok = status === 'completed' && (exit ?? '0') === '0'
  const output = bounded(readElement(notice, 'result'), BOUNDS.output) ?? bounded(summary, BOUNDS.line)
  return [
    {
      id,
      outcome: {
        ok,
        ...(exit === undefined ? {} : { exitStatus: Number(exit) }),
        ...(output === undefined ? {} : { output }),
        ...(status === 'killed' || status === 'stopped' ? { interrupted: true } : {}),
        backgroundId: id,
      },
    },
  ]
}
