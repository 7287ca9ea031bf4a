import { isReadOnly } from '../../core/context/sandbox.ts'
import type { ToolCall } from '../../core/event.ts'
import { openTaskFolder } from '../task-folder.ts'
import type { TaskLink } from '../write-seen.ts'
import type { TaskWorld } from '../world.ts'
import { readSafety } from './safety-record.ts'

/** Why a tool of a session that works for a task may not run; undefined when it may. */
export async function refusalOfTool(world: TaskWorld, link: TaskLink, tool: ToolCall): Promise<string | undefined> {
  if (isReadOnly(tool)) return undefined
  const redactor = await world.redactors.forWorktree(link.root)
  const folder = openTaskFolder({ root: link.root, slug: link.slug, redactor })
  const { sandbox } = readSafety(folder, link.taskSession)
  if (sandbox === null) return undefined
  return `Sandbox: this session was degraded to reading at ${sandbox.since} (${sandbox.reason}). Only read-only tools pass. Tell the user; a person ends it with \`holdfast session sandbox --task ${link.slug} --leave --reason "…"\`.`
}
