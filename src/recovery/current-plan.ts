import type { WorkSummary } from '../kernel/checkpoint.ts'
import { isSubstantiveRequest } from '../kernel/text/text.ts'

/** "Continue with the next task of the story": the plan is still current. */
const GOES_ON =
  /^(?:(?:alright|also|and|fine|good|great|let's|looks|now|ok|okay|perfect|please|so|then|thanks|yes)[\s,.:;!]{1,3}){0,4}(?:carry on|continue|go ahead|go on|implement (?:it|that|the plan|this|your plan)|keep going|proceed|resume|start implementing|(?:do |the )?next (?:one|step|story|task))\b/i

/** The title of the current plan: valid until the user requests something else. */
export function findCurrentPlan({ plan, asks }: WorkSummary): string | undefined {
  if (plan === undefined) return undefined
  const isOvertaken = asks.some(
    ({ text, order }) => order > plan.lastOrder && isSubstantiveRequest(text) && !GOES_ON.test(text.trimStart()),
  )
  return isOvertaken ? undefined : plan.text
}
