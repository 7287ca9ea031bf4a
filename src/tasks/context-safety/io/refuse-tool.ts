import { isReadOnly } from '../sandbox.ts'
import type { ToolCall } from '../../../kernel/event.ts'
import { openTaskFolder } from '../../files/task-folder.ts'
import type { TaskLink } from '../../files/find-links.ts'
import type { TaskWorld } from '../../files/task-ports.ts'
import { readSafety } from './safety-record.ts'

type Sandbox = NonNullable<ReturnType<typeof readSafety>['sandbox']>

async function findSandbox(world: Pick<TaskWorld, 'redactors'>, link: TaskLink): Promise<Sandbox | undefined> {
  const redactor = await world.redactors.forWorktree(link.root)
  const folder = openTaskFolder({ root: link.root, slug: link.slug, redactor })
  return readSafety(folder, link.taskSession).sandbox ?? undefined
}

/** Of sessions that work for a task, the first one that is degraded to reading. */
export async function findDegraded(
  world: Pick<TaskWorld, 'redactors'>,
  links: readonly TaskLink[],
): Promise<TaskLink | undefined> {
  for (const link of links) if ((await findSandbox(world, link)) !== undefined) return link
  return undefined
}

/** Why a tool of a session that works for a task may not run; undefined when it may. */
export async function refusalOfTool(world: TaskWorld, link: TaskLink, tool: ToolCall): Promise<string | undefined> {
  if (isReadOnly(tool)) return undefined
  const sandbox = await findSandbox(world, link)
  if (sandbox === undefined) return undefined
  return `Sandbox: this session was degraded to reading at ${sandbox.since} (${sandbox.reason}). Only read-only tools pass. Tell the user; a person ends it with \`holdfast session sandbox --task ${link.slug} --leave --reason "…"\`.`
}
