import type { StoredCheckpoint } from '../core/checkpoint.ts'
import { HoldfastError } from '../core/errors.ts'
import { directoryOf } from './arguments.ts'
import type { ToolContext } from './tool.ts'

/** The store knows no query for "any name": this many of the newest are looked through. */
const LOOKED_THROUGH = 1_000
const SUGGESTED = 5

interface Where {
  readonly project_name?: string | undefined
}

/** Named checkpoints of the project, newest first. */
export async function listNamed(where: Where, context: ToolContext): Promise<readonly StoredCheckpoint[]> {
  const { projectId } = await context.continuity.locate(await directoryOf(where, context))
  const newest = await context.continuity.listCheckpoints({ projectId, limit: LOOKED_THROUGH })
  return newest.filter(({ checkpoint }) => checkpoint.name !== undefined)
}

/** Every checkpoint saved under that name here, newest first; refuses a name that nobody used. */
export async function getNamed(name: string, where: Where, context: ToolContext) {
  const { projectId } = await context.continuity.locate(await directoryOf(where, context))
  const [newest, ...older] = await context.continuity.listCheckpoints({ projectId, name, limit: LOOKED_THROUGH })
  if (newest !== undefined) return { newest, older }
  const names = [...new Set((await listNamed(where, context)).map(({ checkpoint }) => checkpoint.name))]
  throw new HoldfastError('not-found', `There is no checkpoint named "${name}" in this project.`, {
    hint:
      names.length === 0
        ? 'None was saved here yet: checkpoint_save makes one.'
        : `Saved here: ${names.slice(0, SUGGESTED).join(', ')}. checkpoint_list shows all.`,
  })
}
