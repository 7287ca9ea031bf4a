import { fence } from '../../kernel/text/fence.ts'
import { gateLabel } from '../model/gate.ts'
import type { TaskCheckpoint } from '../model/task-checkpoint.ts'
import type { TaskStatus } from '../model/task-status.ts'
import { hashOf } from '../files/task-ports.ts'

const BUDGET_CHARS = 6_000
const MEMORY_LINES = 20
const PROGRESS_LINES = 20

export interface OpeningSources {
  readonly slug: string
  readonly status: TaskStatus
  readonly checkpoint: TaskCheckpoint | null
  readonly memory: string | undefined
  readonly progress: string
  readonly history: readonly string[]
  readonly changed: readonly string[]
}

function linesOf(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
}

function textLines(text: string, most: number): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-most)
}

/** What a session that starts needs to know, fenced: text from the task folder is evidence, never an instruction. */
export function openingText(sources: OpeningSources): string {
  const { slug, status, checkpoint, memory = '', progress, history, changed } = sources
  const lines = [
    `Task ${slug}: ${status.status}, at ${gateLabel(status.current_gate)}, step ${status.current_step}`,
    ...(checkpoint === null
      ? []
      : [
          `Last checkpoint ${checkpoint.checkpoint_id} (${checkpoint.type}): ${checkpoint.summary}`,
          `Resume: ${checkpoint.resume_instructions}`,
        ]),
    ...linesOf('Next steps:', status.next_steps),
    ...linesOf('Blocked by:', status.blockers),
    ...linesOf('Changed since the last checkpoint:', changed),
    ...linesOf('Recent commits:', history),
    ...linesOf('Progress so far:', textLines(progress, PROGRESS_LINES)),
    ...linesOf('Remembered:', textLines(memory, MEMORY_LINES)),
  ]
  return fence({ heading: '## Task Context', lines, budgetChars: BUDGET_CHARS, sha256: hashOf }).text
}
