import { HoldfastError } from '../../kernel/errors.ts'
import type { CliContext } from './command.ts'

/** Spaces for the machines of one person; the others carry what is shared with a team. */
const PERSONAL_KINDS: ReadonlySet<string> = new Set(['folder', 'ssh'])

/** What keeps something that was shared on this machine; undefined when an exchange sends it. */
export async function findSharingObstacle(context: CliContext): Promise<string | undefined> {
  try {
    const { spaces } = await (await context.sync()).syncStatus()
    const places = spaces.filter(({ kind }) => !PERSONAL_KINDS.has(kind))
    if (places.some(({ mayShare }) => mayShare)) return undefined
    return places.length > 0
      ? 'Your role in the team only reads: it stays on this machine.'
      : 'No team is connected, so it stays on this machine until `holdfast team join` or `holdfast sync add <git remote>`.'
  } catch (thrown) {
    // Whether it is sent is unknown, and it is stored.
    if (thrown instanceof HoldfastError) return undefined
    throw thrown
  }
}
