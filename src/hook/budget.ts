/** Wall time a hook may take, counted from the start of its first process. `HOLDFAST_HOOK_BUDGET_MS` replaces it, for slow machines. */
export function budgetMsOf(hook: string, override?: string): number {
  if (override !== undefined && /^\d{1,5}$/.test(override)) return Number(override)
  if (/^session_?start/i.test(hook)) return 500
  return /prompt/i.test(hook) ? 250 : 300
}

/** The one hook worth waiting for a daemon that is only just starting: its answer is what the session begins with. */
export function mayAwaitStart(hook: string): boolean {
  return /^session_?start/i.test(hook)
}
