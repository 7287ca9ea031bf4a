import { isGateOf } from '../model/flow.ts'
import { gateLabel } from '../model/gate.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { refuseRegression } from '../checkpoints/enter-gate.ts'
import { viewOf } from './task-view.ts'
import { evidenceUpTo, fullContent } from '../checkpoints/gather.ts'
import { memorizeTask } from '../memory/memorize.ts'
import { checkpointsOf, getDefinition, getStatus, type OpenTask } from '../files/open-task.ts'
import { updateStatus } from '../files/task-files.ts'
import type { TaskWorld } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'

export interface Finish {
  readonly summary: string | undefined
  readonly lessons: readonly string[]
}

function refuseUnfinished(task: OpenTask): void {
  const { slug } = task.folder
  const { status, gates_open: open, active_session: active } = viewOf(task)
  // Being done is entering it.
  const wanting = open.filter((gate) => gate !== 'G10')
  const problems = [
    ...(status.status === 'complete' ? ['It is complete already.'] : []),
    ...(wanting.length > 0 ? [`${wanting.map(gateLabel).join(', ')} were not entered.`] : []),
    ...(active === null ? [] : [`${active.session_id} is under way: end it with \`holdfast session end\`.`]),
    ...status.blockers.map((blocker) => `It is blocked: ${blocker}.`),
  ]
  if (problems.length > 0) throw new HoldfastError('conflict', `The task ${slug} cannot be done. ${problems.join(' ')}`)
}

/** SUMMARY.md, the archive gate where the flow has one, the memory, and the status `complete`. */
export async function finishTask(world: TaskWorld, task: OpenTask, { summary, lessons }: Finish): Promise<void> {
  refuseRegression(task)
  refuseUnfinished(task)
  const { folder } = task
  const definition = getDefinition(folder)
  const text = summary?.trim() || `${definition.title}: done.`
  const decisions = checkpointsOf(folder).flatMap(({ state }) => state.decisions)
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
  const isArchived = getStatus(folder).current_gate === 'G10'
  if (!isArchived && isGateOf(definition.flow, 'G10'))
    await writeCheckpoint(world, task, {
      type: 'gate_transition',
      gate: 'G10',
      session: undefined,
      content: await fullContent(world, task, undefined, { summary: `${gateLabel('G10')}: ${text}`, nextSteps: [] }),
      evidence: evidenceUpTo(folder, 'G10'),
      missing: lessons.length === 0 ? ['lessons learned'] : [],
    })
  await updateStatus(folder, (status) => ({ ...status, status: 'complete', last_activity: world.clock.now() }))
  await memorizeTask(world, task, undefined)
}
