import { HoldfastError } from '../../kernel/errors.ts'
import { formatGate, GATE_INFO, getFirstGate, parseFlow } from '../model/gate.ts'
import { buildIndex } from '../chain/checkpoint-index.ts'
import { newRunManifest, newTaskStatus, type TaskDefinition } from '../model/task.ts'
import type { TaskRef } from '../tasks.ts'
import { collectEvidence } from '../checkpoints/checkpoint-content.ts'
import { readGovernance } from '../files/governance-config.ts'
import { locateTaskFolder, type OpenTask } from '../files/open-task.ts'
import { DEFINITION, INDEX, MANIFEST, MEMORY_IDS, STATUS } from '../files/task-files.ts'
import { type TaskPorts } from '../files/task-ports.ts'
import { writeCheckpoint } from '../checkpoints/write-checkpoint.ts'
import { sha256 } from '../../platform/base/crypto.ts'

/** The pages of a new task folder and their headings. */
const TASK_PAGES: Readonly<Record<string, string>> = {
  'context/research.md': 'Research',
  'context/requirements.md': 'Requirements',
  'context/design.md': 'Design',
  'plan/PLAN.md': 'Plan',
  'plan/risk-register.md': 'Risk register',
  'plan/tdd-plan.md': 'TDD plan',
  'work/implementation-log.md': 'Implementation log',
  'evidence/tests.md': 'Tests',
  'evidence/review-notes.md': 'Review notes',
  'ops/rollout-plan.md': 'Rollout plan',
  'ops/rollback-plan.md': 'Rollback plan',
  'ops/postmortem.md': 'Postmortem',
}

/** Git merges append-only files as a union, never converts checkpoints, and reports conflicts in files derived from checkpoints. */
const TASK_GIT_ATTRIBUTES = `json/events.ndjson merge=union
logs/incidents.ndjson merge=union
work/implementation-log.md merge=union
json/checkpoints/*.json -text
work/patches/*.patch -text
json/checkpoint-index.json -merge
json/task-status.json -merge
json/memory-ids.json -merge
json/run-manifest.json -merge
`

export interface NewTask extends TaskRef {
  readonly flow?: string
  readonly title?: string
  readonly criteria?: readonly string[]
}

/** Creates the folder and the first checkpoint of the chain. Refuses an existing slug. */
export async function createTask(ports: TaskPorts, input: NewTask): Promise<OpenTask> {
  const flow = parseFlow(input.flow ?? 'feature')
  const { folder, location } = await locateTaskFolder(ports, input)
  if (folder.exists())
    throw new HoldfastError('conflict', `The task ${input.slug} already exists.`, {
      hint: `See it with \`holdfast task show ${input.slug}\`.`,
    })
  const at = ports.clock.now()
  const gate = getFirstGate(flow)
  const definition: TaskDefinition = {
    schema_version: 1,
    task_slug: input.slug,
    title: input.title?.trim() || input.slug.replaceAll('-', ' '),
    flow,
    acceptance_criteria: input.criteria ?? [],
    created_at: at,
  }
  const task = { folder, location, governance: readGovernance(location.worktree) }
  await folder.locked(() => {
    for (const [path, heading] of Object.entries(TASK_PAGES))
      if (folder.bytes(path) === undefined) folder.writeText(path, `# ${heading}\n`)
    folder.writeText('.gitattributes', TASK_GIT_ATTRIBUTES)
    folder.writeJson('meta/tags.json', { tags: [flow] })
    folder.writeJson(MANIFEST, newRunManifest(input.slug))
    folder.writeJson(MEMORY_IDS, { primary: null })
    folder.writeJson(INDEX, buildIndex(input.slug, [], sha256))
    folder.writeJson(STATUS, newTaskStatus(input.slug, flow, gate, at))
    // Last: a folder that has it is a task.
    folder.writeJson(DEFINITION, definition)
  })
  await writeCheckpoint(ports, task, {
    type: 'gate_transition',
    gate,
    session: undefined,
    content: {
      summary: [
        `${formatGate(gate)}: ${definition.title}`,
        ...definition.acceptance_criteria.map((criterion) => `Criterion: ${criterion}`),
      ].join('\n'),
    },
    evidence: collectEvidence(folder, gate),
    missing: definition.acceptance_criteria.length === 0 ? [`acceptance criteria (${GATE_INFO[gate].content})`] : [],
  })
  return task
}
