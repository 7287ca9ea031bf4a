import { createHash } from 'node:crypto'
import type { DialogueMessage, WorkSummary } from '../../src/kernel/checkpoint.ts'
import { type ComposeOptions, composeRecovery } from '../../src/recovery/compose.ts'
import { mergeCheckpoints } from '../../src/recovery/merge/merge-checkpoints.ts'
import { toUncheckedView } from '../../src/recovery/revalidate/revalidate.ts'
import { aCheckpointOf } from './checkpoints.ts'

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The lines of the recovery of one checkpoint with this work, without heading, fence and header. */
export function compose(work: Partial<WorkSummary>, options: Partial<ComposeOptions> = {}): readonly string[] {
  const view = toUncheckedView(mergeCheckpoints([aCheckpointOf(work)]))
  const { text } = composeRecovery(view, { budgetChars: 2_000, sha256, ...options })
  return text.split('\n').slice(3, -1)
}

export const user = (text: string, order: number, more: Partial<DialogueMessage> = {}): DialogueMessage => ({
  speaker: 'user',
  kind: 'request',
  text,
  order,
  ...more,
})

export const agent = (text: string, order: number, kind: DialogueMessage['kind'] = 'message'): DialogueMessage => ({
  speaker: 'agent',
  kind,
  text,
  order,
})

export const find = (lines: readonly string[], label: string) =>
  lines.find((line) => line.startsWith(`| ${label}`)) ?? ''
