import { hasGate, formatGate } from '../model/gate.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { findMissingWork, refuseRegression } from '../checkpoints/enter-gate.ts'
import { readTaskView } from './task-view.ts'
import { collectEvidence, collectContent } from '../checkpoints/checkpoint-content.ts'
import { memorizeTask } from '../memory/task-memory.ts'
import { getCurrentGate, listCheckpoints, getDefinition, type OpenTask } from '../files/open-task.ts'
import { updateStatus } from '../files/task-files.ts'
import type { TaskPorts } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'

export interface FinishInput {
  readonly summary: string | undefined
  readonly lessons: readonly string[]
  readonly isForced: boolean
  readonly reason: string | undefined
}

function refuseUnfinished(task: OpenTask): void {
  const { slug } = task.folder
  const { status, gates_open: open, active_session: active } = readTaskView(task)
  // Finishing the task enters G10 itself.
  const missing = open.filter((gate) => gate !== 'G10')
  const problems = [
    ...(status.status === 'complete' ? ['It is already complete.'] : []),
    ...(missing.length > 0 ? [`${missing.map(formatGate).join(', ')} were not entered.`] : []),
    ...(active === null ? [] : [`${active.session_id} is active: end it with \`holdfast session end\`.`]),
    ...status.blockers.map((blocker) => `It is blocked: ${blocker}.`),
  ]
  if (problems.length > 0)
    throw new HoldfastError('conflict', `The task ${slug} cannot be finished. ${problems.join(' ')}`)
}

/** Writes SUMMARY.md, enters the archive gate if the flow has one, sets the status `complete` and memorizes the task. */
export async function finishTask(ports: TaskPorts, task: OpenTask, input: FinishInput): Promise<void> {
  refuseRegression(task)
  refuseUnfinished(task)
  const { folder } = task
  const { lessons } = input
  const definition = getDefinition(folder)
  const text = input.summary?.trim() || `${definition.title}: done.`
  const content = await collectContent(ports, task, undefined, {
    summary: `${formatGate('G10')}: ${text}`,
    nextSteps: [],
  })
  const missing = findMissingWork(task, content, input)
  const decisions = listCheckpoints(folder).flatMap(({ state }) => state.decisions)
  await folder.locked(() => {
    if (folder.bytes('SUMMARY.md') === undefined)
      folder.writeText(
        'SUMMARY.md',
        [
          `# ${definition.title}`,
          text,
          '## Decisions',
          ...[...new Set(decisions.map(({ decision, rationale }) => `- ${decision}: ${rationale}`))],
          '## Lessons',
          ...lessons.map((lesson) => `- ${lesson}`),
          '',
        ].join('\n\n'),
      )
  })
  const isArchived = getCurrentGate(folder) === 'G10'
  if (!isArchived && hasGate(definition.flow, 'G10'))
    await writeCheckpoint(ports, task, {
      type: 'gate_transition',
      gate: 'G10',
      session: undefined,
      content: {
        ...content,
        summary: [`${formatGate('G10')}: ${text}`, ...lessons.map((one) => `Lesson: ${one}`)].join('\n'),
      },
      evidence: collectEvidence(folder, 'G10'),
      missing,
      ...(missing.length > 0 && input.reason !== undefined && { overrideReason: input.reason.trim() }),
    })
  await updateStatus(folder, (status) => ({ ...status, status: 'complete', last_activity: ports.clock.now() }))
  await memorizeTask(ports, task, undefined)
}
