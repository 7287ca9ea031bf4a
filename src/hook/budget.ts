/** Also with a page's name before it: `typist.session-started.boot`. */
const SESSION_START = /(?:^|\.)session[_-]?start/i

/** Wall time a hook may take, counted from the start of its first process. `HOLDFAST_HOOK_BUDGET_MS` replaces it, for slow machines. */
export function budgetMsOf(hook: string, override?: string): number {
  if (override !== undefined && /^(?:0|[1-9]\d{0,4})$/.test(override)) return Number(override)
  if (SESSION_START.test(hook)) return 500
  if (/^pre_?compact/i.test(hook)) return 500
  return /prompt/i.test(hook) ? 250 : 300
}

/** The one hook worth waiting for a daemon that is only just starting: its answer is what the session begins with. */
export function mayAwaitStart(hook: string): boolean {
  return SESSION_START.test(hook)
}
