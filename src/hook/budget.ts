/** Wall time a hook may take, counted from the start of its first process. */
export function budgetMsOf(hook: string): number {
  if (/^session_?start/i.test(hook)) return 500
  return /prompt/i.test(hook) ? 250 : 300
}

/** The one hook worth waiting for a daemon that is only just starting: its answer is what the session begins with. */
export function mayAwaitStart(hook: string): boolean {
  return /^session_?start/i.test(hook)
}
