import type { AutosaveVerdict } from './checkpoint-files.ts'

export interface AutosaveInput {
  /** `SESSION-STATE.md`; absent when there is none. */
  readonly sessionState?: string
  /** When the last one was written, UTC ISO. */
  readonly lastAt?: string
  readonly now: string
  readonly minIntervalMs: number
  /** What was seen may be saved where `SESSION-STATE.md` says nothing. */
  readonly mayStandOnObserved: boolean
}

const COMPLETE =
  /^[\s>*#-]*\**(?:status|state|task status)\**\s*:\**\s*\**\s*(?:✅\s*)?(?:complete[d]?|done|finished|closed)\b/im

/** S3's guards: something to save, a task that goes on, and none saved just now. */
export function judgeAutosave(input: AutosaveInput): AutosaveVerdict {
  const { sessionState = '', lastAt, now, minIntervalMs } = input
  if (sessionState.trim() === '' && !input.mayStandOnObserved)
    return {
      isDue: false,
      because: input.sessionState === undefined ? 'there is no SESSION-STATE.md' : 'SESSION-STATE.md is empty',
    }
  if (COMPLETE.test(sessionState)) return { isDue: false, because: 'the task is complete' }
  const ageMs = lastAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(now) - Date.parse(lastAt)
  // A clock set back makes the last one look like one to come; waiting for that moment would be waiting for ever.
  if (ageMs >= 0 && ageMs < minIntervalMs)
    return { isDue: false, because: `the last one is less than ${Math.round(minIntervalMs / 60_000)} minutes old` }
  return { isDue: true }
}

const MAX_LOG_LINES = 200

/** The log with one more line; the oldest go. */
export function appendAutosaveLog(log: string, now: string, reason?: string): string {
  const line = `- [${now}] autosave written${reason === undefined ? '' : ` (${reason.replace(/\s+/g, ' ').slice(0, 120)})`}`
  const lines = [...log.split('\n').filter((kept) => kept.startsWith('- [')), line]
  return `# Autosave log\n\n${lines.slice(-MAX_LOG_LINES).join('\n')}\n`
}
