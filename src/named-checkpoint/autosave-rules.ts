import type { AutosaveVerdict } from './checkpoint-files.ts'
import { BARE_TITLE, FILE_TITLE } from './format/file-format.ts'
import { splitSections } from './format/markdown.ts'

export interface AutosaveFacts {
  /** The text of `SESSION-STATE.md`; undefined if it is missing. */
  readonly sessionState?: string
  /** When the last one was written, UTC ISO. */
  readonly lastAt?: string
  readonly now: string
  readonly minIntervalMs: number
  /** Save observed work if `SESSION-STATE.md` is empty. */
  readonly canUseObserved: boolean
}

const DONE = String.raw`(?:✅\s*)?(?:complete[d]?|done|finished|closed|已完成|完成)(?: and (?:merged|shipped|deployed|released))?\**\s*(?:[.!✅。]|,? nothing\b|$)`
/** `Done: parser, lexer` and `done, except for the printer` say that more is open. */
const COMPLETE_LINE = new RegExp(
  String.raw`^[\s>*#-]*\**(?:(?:status|state|task status|状态)\**\s*[::]\**\s*\**\s*|(?:(?:the|this) )?task (?:is )?|(?:all|everything)(?: tasks?)? (?:is |are )?)${DONE}`,
  'im',
)
const COMPLETE_BODY = new RegExp(String.raw`^[\s>*-]*\**${DONE}`, 'i')

/** Whether it says so in a line such as `Status: done` or `All tasks complete.`, or under a heading such as `## Status`. */
function isTaskComplete(sessionState: string): boolean {
  if (COMPLETE_LINE.test(sessionState)) return true
  return splitSections(sessionState).some(
    ({ title, body }) => /^(?:(?:task |current )?(?:status|state)\b|状态)/i.test(title) && COMPLETE_BODY.test(body),
  )
}

/** A longer title says something by itself: "Migrate the store to v2". */
function isBare(title: string): boolean {
  return title.trim().split(/\s+/).length <= 2 || BARE_TITLE.test(title) || FILE_TITLE.test(title)
}

/** Headings with nothing under them but that there is nothing. */
const isBlank = (sessionState: string): boolean =>
  !/[^\p{ASCII}]/u.test(sessionState) &&
  splitSections(sessionState).every(
    ({ title, body }) => /^(?:none|nothing|idle|n a)?$/i.test(body.replace(/\W+/g, ' ').trim()) && isBare(title),
  )

/** When an autosave is due: something to save, a task that is not complete, and no recent autosave. */
export function judgeAutosave(input: AutosaveFacts): AutosaveVerdict {
  const { sessionState = '', lastAt, now, minIntervalMs } = input
  if (isBlank(sessionState) && !input.canUseObserved)
    return {
      isDue: false,
      because: input.sessionState === undefined ? 'SESSION-STATE.md is missing' : 'SESSION-STATE.md is empty',
    }
  if (isTaskComplete(sessionState)) return { isDue: false, because: 'the task is complete' }
  const ageMs = lastAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(now) - Date.parse(lastAt)
  // A negative age means that the clock was set back; save anyway.
  if (ageMs >= 0 && ageMs < minIntervalMs)
    return { isDue: false, because: `the last one is less than ${Math.round(minIntervalMs / 60_000)} minutes old` }
  return { isDue: true }
}

const MAX_LOG_LINES = 200

/** Appends a line and drops the oldest. */
export function appendAutosaveLog(log: string, now: string, reason?: string): string {
  const line = `- [${now}] autosave written${reason === undefined ? '' : ` (${reason.replace(/\s+/g, ' ').slice(0, 120)})`}`
  const lines = [...log.split('\n').filter((entry) => entry.startsWith('- [')), line]
  return `# Autosave log\n\n${lines.slice(-MAX_LOG_LINES).join('\n')}\n`
}
