import type { ChecklistEvidence, ParsedChecklistItem, MarkStatus, VerificationRun } from '../../../kernel/checklist.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import type { Clock } from '../../../kernel/ports/ports.ts'
import { getChecklist, markInFile } from './checklist-file.ts'
import { getItem } from '../mark.ts'
import type { ParsedItem } from '../parse.ts'
import { runProgram } from '../../../platform/process/run-program.ts'

export interface VerificationRequest {
  /** Written or confirmed by the user; passed to the shell as it is. */
  readonly command: string
  readonly expect?: string
  readonly cwd: string
  readonly timeoutMs: number
  readonly clock: Clock
}

/** Output searched for the expected text; only its end is stored. */
const SEARCHED_CHARS = 1_000_000
const STORED_CHARS = 1_500

/** Runs the command in a shell. Never throws: a command that cannot start has failed. */
export async function runVerification(request: VerificationRequest): Promise<VerificationRun> {
  const { command, expect, cwd, timeoutMs, clock } = request
  const at = clock.now()
  const startedMs = clock.monotonicMs()
  const { output, ...ending } = await runProgram({ command, cwd, timeoutMs, keptChars: SEARCHED_CHARS })
  const isMatched = expect === undefined ? undefined : output.includes(expect)
  return {
    command,
    ok: ending.exitStatus === 0 && isMatched !== false,
    ...ending,
    ...(expect !== undefined && { expect }),
    ...(isMatched !== undefined && { isMatched }),
    output: output.slice(-STORED_CHARS),
    at,
    durationMs: Math.round(clock.monotonicMs() - startedMs),
  }
}

export interface MarkRequest {
  readonly root: string
  readonly file?: string
  /** Id, text, or a part of the text that no other item has. */
  readonly wanted: string
  readonly status: MarkStatus
  readonly note?: string
  /** A session id, or the entry point. */
  readonly by: string
  /** Given by the caller. A command that the checklist states is shown and never run by itself. */
  readonly verification?: { readonly command: string; readonly expect?: string; readonly timeoutMs: number }
}

export interface MarkOutcome {
  /** After the change. */
  readonly item: ParsedChecklistItem
  readonly isChanged: boolean
  readonly run?: VerificationRun
  /** The verification failed, so the item is unchanged. */
  readonly isRefused: boolean
}

/** Does not mention a command that the checklist states: the repository is not trusted. */
function refuseWithoutCommand(): never {
  throw new HoldfastError('invalid-input', 'Marking an item verified needs a command, and none was given.', {
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

/** Edits the checklist and stores author, note and evidence. `verified` needs a command that ran and matched. */
export async function markChecklistItem(request: MarkRequest, { evidence, clock }: MarkPorts): Promise<MarkOutcome> {
  const { root, file, status, note, by } = request
  const found = getItem(getChecklist(root, file).items, request.wanted)
  if (status === 'verified' && request.verification === undefined) refuseWithoutCommand()
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
