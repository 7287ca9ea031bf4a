import type { ChecklistEvidence, ChecklistItem, MarkStatus, VerificationRun } from '../../../kernel/checklist.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import type { Clock } from '../../../kernel/ports/ports.ts'
import { getChecklist, markInFile } from './checklist-file.ts'
import { getItem } from '../mark.ts'
import type { ParsedItem } from '../parse.ts'
import { runVerification } from './run-verification.ts'

export interface MarkRequest {
  readonly root: string
  readonly file?: string
  /** Id, text, or a part of the text that no other item has. */
  readonly wanted: string
  readonly status: MarkStatus
  readonly note?: string
  /** Who: a session id, or the door it came through. */
  readonly by: string
  /** What the caller themselves wrote. What the list states is shown to them, and never run because it stands there. */
  readonly verification?: { readonly command: string; readonly expect?: string; readonly timeoutMs: number }
}

export interface MarkOutcome {
  /** As it stands now. */
  readonly item: ChecklistItem
  readonly isChanged: boolean
  readonly run?: VerificationRun
  /** The verification failed, so the item was left as it was. */
  readonly isRefused: boolean
}

/** Says nothing of a command that the list states: whoever wrote the repository wrote it, and a hint reads as advice. */
function refuseUnproven(): never {
  throw new HoldfastError('invalid-input', 'An item is verified by a command that ran, and none was given.', {
    hint: 'In a shell: `holdfast checklist mark <item> verified --run "npm test"` and, where the output matters, `--expect "12 passed"`; or mark it `done`.',
  })
}

async function verify(item: ParsedItem, request: MarkRequest, clock: Clock): Promise<VerificationRun | undefined> {
  if (request.verification === undefined) return undefined
  const { command, timeoutMs, expect } = request.verification
  const stated = item.verification?.command === command ? item.verification.expect : undefined
  const wanted = expect ?? stated
  return await runVerification({
    command,
    cwd: request.root,
    timeoutMs,
    clock,
    ...(wanted !== undefined && { expect: wanted }),
  })
}

export interface MarkPorts {
  readonly evidence: ChecklistEvidence
  readonly clock: Clock
}

/** Edits the list itself and keeps who, why and the evidence beside it. `verified` needs a command that ran and matched. */
export async function markChecklistItem(request: MarkRequest, { evidence, clock }: MarkPorts): Promise<MarkOutcome> {
  const { root, file, status, note, by } = request
  const found = getItem(getChecklist(root, file).items, request.wanted)
  if (status === 'verified' && request.verification === undefined) refuseUnproven()
  const run = await verify(found, request, clock)
  const isRefused = run !== undefined && !run.ok
  const marked = isRefused
    ? { isChanged: false, item: found }
    : await markInFile({ root, wanted: found.id, status, ...(file !== undefined && { file }) })
  const { id, section, text, line, status: now } = marked.item
  await evidence.record({
    itemId: id,
    section,
    text,
    status: now,
    by,
    at: clock.now(),
    ...(note !== undefined && { note }),
    ...(run !== undefined && { run }),
  })
  return {
    item: { id, section, text, status: now, line },
    isChanged: marked.isChanged,
    isRefused,
    ...(run !== undefined && { run }),
  }
}
