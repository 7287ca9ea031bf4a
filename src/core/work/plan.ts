import { type Here, withMentions } from './fold-paths.ts'
import { pathsIn, relativePath } from './paths.ts'
import { LIMITS, type WorkState } from './state.ts'

/** A text this long is a plan to be carried out, not a remark: what it names stays in play until the next one that names files. */
const PLAN_CHARS = 600

/** The state with what a text lays out as the work to do. A short one adds to the plan there is. */
export function withPlan(state: WorkState, text: string, here: Here): WorkState {
  const named = pathsIn(text, LIMITS.plannedPaths).flatMap((path) => relativePath(path.replace(/^@/, ''), here) ?? [])
  if (named.length === 0) return state
  const before = text.length < PLAN_CHARS ? (state.plan?.paths ?? []) : []
  const paths = [...new Set([...before, ...named])].slice(0, LIMITS.plannedPaths)
  return { ...state, plan: { paths } }
}

/** A plan that the agent wrote is as good as asked for: its user saw it. */
export function withWrittenPlan(state: WorkState, text: string, here: Here): WorkState {
  return withMentions(withPlan(state, text, here), text, { here, by: 'asked' })
}

export function isPlan(prompt: string): boolean {
  return prompt.length >= PLAN_CHARS
}
