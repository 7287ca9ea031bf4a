interface HookBudget {
  /** Shell patterns over the hook's name. */
  readonly patterns: readonly string[]
  /** Wall time of the whole hook, counted from the start of its first process. */
  readonly budgetMs: number
  /** Of that, what the launcher waits for the daemon before the fallback gets its turn. */
  readonly waitMs: number
}

/** Also with the name of a harness descriptor before it: `typist.session-started.boot`. */
const SESSION_START: HookBudget = {
  patterns: ['[Ss]ession[Ss]tart*', '[Ss]ession[_-][Ss]tart*', '*.[Ss]ession[_-][Ss]tart*'],
  budgetMs: 500,
  waitMs: 400,
}

/** The first row that matches counts. `launcher.sh` has the same table as a `case`; `budget.test.ts` compares them. */
export const HOOK_BUDGETS: readonly HookBudget[] = [
  SESSION_START,
  { patterns: ['[Pp]re[Cc]ompact*', '[Pp]re_[Cc]ompact*'], budgetMs: 500, waitMs: 400 },
  { patterns: ['*[Pp]rompt*'], budgetMs: 250, waitMs: 160 },
  { patterns: ['*'], budgetMs: 300, waitMs: 200 },
]

function isMatch({ patterns }: HookBudget, hook: string): boolean {
  return patterns.some((pattern) =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`, 's').test(hook),
  )
}

/** `HOLDFAST_HOOK_BUDGET_MS` overrides the budget, for slow machines. */
export function findBudgetMs(hook: string, override?: string): number {
  if (override !== undefined && /^(?:0|[1-9]\d{0,4})$/.test(override)) return Number(override)
  return HOOK_BUDGETS.find((budget) => isMatch(budget, hook))?.budgetMs ?? 300
}

/** The only hook that waits for a daemon that is just starting: the session begins with its answer. */
export function mayAwaitStart(hook: string): boolean {
  return isMatch(SESSION_START, hook)
}
