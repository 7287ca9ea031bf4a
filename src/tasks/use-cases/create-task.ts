import { HoldfastError } from '../../kernel/errors.ts'
import { parseFlow, firstGate } from '../model/flow.ts'
import { GATE_FACTS, gateLabel } from '../model/gate.ts'
import { TASK_GIT_ATTRIBUTES, TASK_PAGES } from '../model/scaffold.ts'
import { buildIndex } from '../chain/checkpoint-index.ts'
import { newRunManifest, newTaskStatus, type TaskDefinition } from '../model/task-status.ts'
import type { TaskAt } from '../tasks.ts'
import { evidenceUpTo } from '../checkpoints/gather.ts'
import { readGovernance } from '../files/governance-config.ts'
import { folderAt, type OpenTask } from '../files/open-task.ts'
import { DEFINITION, INDEX, MANIFEST, MEMORY_IDS, STATUS } from '../files/task-files.ts'
import { hashOf, type TaskWorld } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'

export interface NewTask extends TaskAt {
  readonly flow?: string
  readonly title?: string
  readonly criteria?: readonly string[]
}

/** Lays the folder out and writes the first checkpoint, with which the chain begins. Refuses a slug that is taken. */
export async function createTask(world: TaskWorld, input: NewTask): Promise<OpenTask> {
  const flow = parseFlow(input.flow ?? 'feature')
  const { folder, place } = await folderAt(world, input)
  if (folder.exists())
    throw new HoldfastError('conflict', `There is a task ${input.slug} already.`, {
      hint: `See it with \`holdfast task show ${input.slug}\`.`,
    })
  const at = world.clock.now()
  const gate = firstGate(flow)
  const definition: TaskDefinition = {
    schema_version: 1,
    task_slug: input.slug,
    title: input.title?.trim() || input.slug.replaceAll('-', ' '),
    flow,
    acceptance_criteria: input.criteria ?? [],
    created_at: at,
  }
  const task = { folder, place, governance: readGovernance(place.worktree) }
  await folder.locked(() => {
    for (const [path, heading] of Object.entries(TASK_PAGES))
      if (folder.bytes(path) === undefined) folder.writeText(path, `# ${heading}\n`)
    folder.writeText('.gitattributes', TASK_GIT_ATTRIBUTES)
    folder.writeJson('meta/tags.json', { tags: [flow] })
    folder.writeJson(MANIFEST, newRunManifest(input.slug))
    folder.writeJson(MEMORY_IDS, { primary: null })
    folder.writeJson(INDEX, buildIndex(input.slug, [], hashOf))
    folder.writeJson(STATUS, newTaskStatus(input.slug, flow, gate, at))
    // Last: a folder with it is a task.
    folder.writeJson(DEFINITION, definition)
  })
  await writeCheckpoint(world, task, {
    type: 'gate_transition',
    gate,
    session: undefined,
    content: { summary: `${gateLabel(gate)}: ${definition.title}` },
    evidence: evidenceUpTo(folder, gate),
    missing: definition.acceptance_criteria.length === 0 ? [`acceptance criteria (${GATE_FACTS[gate].content})`] : [],
  })
  return task
}
