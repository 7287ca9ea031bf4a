import * as z from 'zod'
import type { Checkpoint } from '../../core/checkpoint.ts'
import type { Place } from '../../core/project.ts'
import { fence } from '../../core/recovery/fence.ts'
import { directoryOf, project, text } from '../arguments.ts'
import { getNamed } from '../named-checkpoints.ts'
import { defineTool } from '../tool.ts'

const BUDGET_CHARS = 8_000
const HOUR_MS = 3_600_000
const OLD_HOURS = 24

/** What is no longer as it was when the checkpoint was saved. */
function staleness(then: Checkpoint, here: Place, now: string): readonly string[] {
  const hours = Math.floor((Date.parse(now) - Date.parse(then.createdAt)) / HOUR_MS)
  const { branch, head, worktree } = then.place
  return [
    ...(hours >= OLD_HOURS ? [`It is ${Math.floor(hours / OLD_HOURS)} days old.`] : []),
    ...(worktree === here.worktree ? [] : [`It was saved in another checkout: ${JSON.stringify(worktree)}.`]),
    ...(branch === here.branch ? [] : [`The branch was ${branch ?? 'none'}; now it is ${here.branch ?? 'none'}.`]),
    ...(head === here.head ? [] : ['Commits were made since, or another one is checked out.']),
  ]
}

function linesOf(checkpoint: Checkpoint): readonly string[] {
  const { nextAction, waitingFor, nextSteps } = checkpoint
  return [
    `Name: ${checkpoint.name ?? checkpoint.id}`,
    ...(nextAction === undefined ? [] : [`Next action: ${nextAction}`]),
    ...(waitingFor === undefined ? [] : [`Waiting for: ${waitingFor}`]),
    ...checkpoint.digest.split('\n'),
    ...nextSteps.map((step) => `Then: ${step}`),
  ].filter((line) => line.trim() !== '')
}

export const checkpointResume = defineTool({
  name: 'checkpoint_resume',
  description: 'What a named checkpoint says, and what changed since. Check stale points before going on.',
  input: z.object({ ...project, name: text }),
  hints: { isReadOnly: true },
  async run(input, context) {
    const { newest } = await getNamed(input.name, input, context)
    const { checkpoint } = newest
    const here = await context.continuity.locate(await directoryOf(input, context))
    const stale = staleness(checkpoint, here, context.clock.now())
    const { text: fenced } = fence({
      heading: `## Checkpoint saved ${checkpoint.createdAt}`,
      lines: linesOf(checkpoint),
      budgetChars: BUDGET_CHARS,
      sha256: context.sha256,
    })
    const warnings =
      stale.length === 0 ? ['Branch and commit are as they were.'] : stale.map((line) => `Stale: ${line}`)
    return [fenced, ...warnings].join('\n')
  },
})
