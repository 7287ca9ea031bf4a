import type { EventOf, SessionEvent, ToolCall } from '../kernel/event.ts'

/** S3's reasons to save without being asked. */
export type SignalKind = 'context' | 'close-words' | 'idle' | 'long-operation' | 'compaction' | 'session-end'

export interface Signal {
  readonly kind: SignalKind
  /** For the log: `context 78%`, `the user said goodnight`. */
  readonly reason: string
}

/** Longer ones are about something else that ends or exits. */
const MAX_CLOSING_CHARS = 80
const MAX_READ_CHARS = 4_000

const CLOSING =
  /\b(?:good ?night|bye(?:[- ]?bye)?|good ?bye|see you (?:tomorrow|later|soon)|(?:continue|resume|pick (?:this|it) up|finish (?:this|it)) (?:again )?(?:later|tomorrow|next time)|(?:done|enough|that'?s (?:it|all)) for (?:today|now)|call it a (?:day|night)|logging off|going to (?:bed|sleep)|(?:let'?s )?pause (?:here|for now)|stop (?:here )?for now)\b|晚安|睡觉了|休息了|明天见|下次继续/i

/** Said of many things; meant as a farewell only when it is all that is said. */
const CLOSING_ALONE = /^[\s/!.,…]*(?:exit|quit|log ?out|later|tomorrow|pause|bye|退出|关闭)[\s!.,…]*$/i

const RUNNING_OUT =
  /<summary>|\bcontext limit\b|\b(?:context|conversation) (?:was |is |has been )?truncated\b|\brunning (?:low on|out of) context\b/i

/** What usually takes longer than half a minute: builds, installs, deployments, jobs over data. */
const LONG =
  /\b(?:docker (?:build|compose (?:up|build))|(?:npm|pnpm|yarn|bun) (?:ci|install|run build|build)|(?:cargo|go|swift|dotnet) build|cargo (?:test|install)|(?:make|cmake --build|ninja|bazel build)\b(?! ?-?-?(?:help|version|n\b))|mvn|gradlew?|(?:next|vite|webpack|tsc -b|turbo run) build|pip3? install|apt(?:-get)? (?:install|upgrade)|brew install|terraform (?:apply|destroy)|kubectl (?:apply|rollout)|helm (?:install|upgrade)|ansible-playbook|pg_(?:dump|restore)|rsync|playwright (?:install|test)|deploy)\b/i

function closingWords(prompt: string): string | undefined {
  const said = prompt.trim()
  if (said.length > MAX_CLOSING_CHARS) return undefined
  return (CLOSING.exec(said) ?? CLOSING_ALONE.exec(said))?.[0].trim()
}

const RUNS_OUT: Signal = { kind: 'context', reason: 'the context runs out' }

function saidBy(event: EventOf<'prompt-submitted' | 'turn-ended'>): Signal | undefined {
  if (event.kind === 'turn-ended')
    return RUNNING_OUT.test(event.lastMessage?.slice(-MAX_READ_CHARS) ?? '') ? RUNS_OUT : undefined
  const words = closingWords(event.prompt)
  if (words !== undefined) return { kind: 'close-words', reason: `the user said ${words}` }
  return RUNNING_OUT.test(event.prompt.slice(0, MAX_READ_CHARS)) ? RUNS_OUT : undefined
}

function isLong({ kind, command = '' }: ToolCall): boolean {
  return kind === 'shell' && LONG.test(command.slice(0, MAX_READ_CHARS))
}

/** What an event says about the end of a context, a session or a day. Undefined for nearly all of them. */
export function signalOf(event: SessionEvent): Signal | undefined {
  if (event.subagent !== undefined) return undefined
  if (event.kind === 'prompt-submitted' || event.kind === 'turn-ended') return saidBy(event)
  if (event.kind === 'compaction-started') return { kind: 'compaction', reason: 'before a compaction' }
  if (event.kind === 'session-ended') return { kind: 'session-end', reason: 'the session ends' }
  if (event.kind === 'tool-started' && isLong(event.tool))
    return { kind: 'long-operation', reason: 'before a long command' }
  return undefined
}
