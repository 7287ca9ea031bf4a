import type { AutosaveVerdict } from './checkpoint-files.ts'
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

const COMPLETE =
  /^[\s>*#-]*\**(?:status|state|task status)\**\s*:\**\s*\**\s*(?:✅\s*)?(?:complete[d]?|done|finished|closed)\b/im

/** `Done: parser, lexer` lists what is done of more. */
const COMPLETE_BODY =
  /^[\s>*-]*\**(?:✅\s*)?(?:(?:the |this )?task (?:is )?|all (?:is )?|everything (?:is )?)?(?:complete[d]?|done|finished|closed)(?: and (?:merged|shipped|deployed|released))?\**\s*(?:[.!,;✅]|$)/i

/** Whether it says so in a line `Status: done` or under a heading such as `## Status`. */
function isTaskComplete(sessionState: string): boolean {
  if (COMPLETE.test(sessionState)) return true
  return splitSections(sessionState).some(
    ({ title, body }) => /^(?:task |current )?(?:status|state)\b/i.test(title) && COMPLETE_BODY.test(body),
  )
}

/** When an autosave is due: something to save, a task that is not complete, and no recent autosave. */
export function judgeAutosave(input: AutosaveFacts): AutosaveVerdict {
  const { sessionState = '', lastAt, now, minIntervalMs } = input
  if (sessionState.trim() === '' && !input.canUseObserved)
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
