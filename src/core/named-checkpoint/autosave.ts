const AUTOSAVE_INTERVAL_MS = 5 * 60_000

export interface AutosaveInput {
  /** `SESSION-STATE.md`; absent when there is none. */
  readonly sessionState?: string
  /** When the last one was written, UTC ISO. */
  readonly lastAt?: string
  readonly now: string
}

export type AutosaveVerdict = { readonly isDue: true } | { readonly isDue: false; readonly because: string }

const COMPLETE =
  /^[\s>*#-]*\**(?:status|state|task status)\**\s*:\**\s*\**\s*(?:✅\s*)?(?:complete[d]?|done|finished|closed)\b/im

/** S3's guards: something to save, a task that goes on, and none saved just now. */
export function judgeAutosave({ sessionState, lastAt, now }: AutosaveInput): AutosaveVerdict {
  if (sessionState === undefined || sessionState.trim() === '')
    return { isDue: false, because: 'SESSION-STATE.md is empty' }
  if (COMPLETE.test(sessionState)) return { isDue: false, because: 'the task is complete' }
  const ageMs = lastAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(now) - Date.parse(lastAt)
  // A clock set back makes the last one look like one to come; waiting for that moment would be waiting for ever.
  if (ageMs >= 0 && ageMs < AUTOSAVE_INTERVAL_MS)
    return { isDue: false, because: 'the last one is less than 5 minutes old' }
  return { isDue: true }
}

const MAX_LOG_LINES = 200

/** The log with one more line; the oldest go. */
export function appendAutosaveLog(log: string, now: string, reason?: string): string {
  const line = `- [${now}] autosave written${reason === undefined ? '' : ` (${reason.replace(/\s+/g, ' ').slice(0, 120)})`}`
  const lines = [...log.split('\n').filter((kept) => kept.startsWith('- [')), line]
  return `# Autosave log\n\n${lines.slice(-MAX_LOG_LINES).join('\n')}\n`
}
