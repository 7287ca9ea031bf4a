import type { WorkSummary } from '../checkpoint.ts'
import { saysWhatFor } from '../work/text.ts'

/** The title of the plan that is being carried out: it stands until the user asks for something else. */
export function currentPlan({ plan, asks }: WorkSummary): string | undefined {
  if (plan === undefined) return undefined
  const isOvertaken = asks.some((ask) => saysWhatFor(ask.text) && ask.order > plan.lastOrder)
  return isOvertaken ? undefined : plan.text
}
