import * as z from 'zod'
import { HoldfastError } from '../../kernel/errors.ts'
import type { TaskFolder } from '../files/task-folder.ts'
import { isStopped, STOP_FILE } from '../files/stop-file.ts'

const FILE = 'json/emergency-checkpoint.json'

const EmergencyCheckpoint = z.looseObject({
  timestamp: z.string(),
  trigger: z.string(),
  recovery: z.looseObject({ manual_review_required: z.boolean() }),
})

/** Nothing goes on after an emergency until a person has looked at what it left, and says so. */
export function reviewEmergency(
  folder: TaskFolder,
  given: { readonly isReviewed: boolean; readonly at: string },
): void {
  if (isStopped(folder.root))
    throw new HoldfastError('conflict', `The stop file ${STOP_FILE} is there: nothing is begun.`, {
      hint: 'Remove it when the reason for it is gone.',
    })
  const found = folder.json(FILE, EmergencyCheckpoint)
  if (found?.recovery.manual_review_required !== true) return
  if (!given.isReviewed)
    throw new HoldfastError(
      'conflict',
      `The task ${folder.slug} was stopped in an emergency at ${found.timestamp} (${found.trigger}), and nobody has reviewed it.`,
      { hint: `Read ${folder.pathOf(FILE)} and the patch beside it, then run again with --reviewed.` },
    )
  folder.writeJson(FILE, {
    ...found,
    recovery: { ...found.recovery, manual_review_required: false, reviewed_at: given.at },
  })
}
