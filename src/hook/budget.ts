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

/** Instead of the budget, while a daemon that was not running is starting: the session begins with its answer. */
const DAEMON_START_MS = 1_500

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

function parseOverride(override: string | undefined): number | undefined {
  return override !== undefined && /^(?:0|[1-9]\d{0,4})$/.test(override) ? Number(override) : undefined
}

/** `HOLDFAST_HOOK_BUDGET_MS` overrides the budget, for slow machines. */
export function findBudgetMs(hook: string, override?: string): number {
  return parseOverride(override) ?? HOOK_BUDGETS.find((budget) => isMatch(budget, hook))?.budgetMs ?? 300
}

/** The budget of a hook that waits for a daemon that is just starting. Undefined: it does not wait. */
export function findStartBudgetMs(hook: string, override?: string): number | undefined {
  return isMatch(SESSION_START, hook) ? (parseOverride(override) ?? DAEMON_START_MS) : undefined
}
