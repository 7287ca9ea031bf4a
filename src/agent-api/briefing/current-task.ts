import type { ChecklistItem, SessionPhase } from '../../kernel/agent-records.ts'
import { listNewestCheckpoints } from '../../kernel/ports/newest-first.ts'
import { clip } from '../../kernel/text/text.ts'
import { findSessionByLabel } from '../find-session.ts'
import type { AgentApiPorts } from '../ports.ts'

const LINE_CHARS = 300
const MAX_DETAIL_LINES = 60

/** The items in progress, else the first pending one. */
export function listCurrentItems<Item extends { readonly status: string }>(items: readonly Item[]): readonly Item[] {
  const started = items.filter((item) => item.status === 'in_progress')
  return started.length > 0 ? started : items.filter((item) => item.status === 'pending').slice(0, 1)
}

/** The lines under the item, up to the next box or heading. */
export function listDetailLines(item: Pick<ChecklistItem, 'line'>, fileLines: readonly string[]): readonly string[] {
  const rest = fileLines.slice(item.line)
  const end = rest.findIndex(
    (line) => /^#{1,6}\s/.test(line) || /^\s*(?:[-*+]|\d+[.)])\s+(?:\[.{1,2}\]\s|✅)/u.test(line),
  )
  return rest
    .slice(0, Math.min(MAX_DETAIL_LINES, end < 0 ? rest.length : end))
    .filter((line) => line.trim() !== '')
    .map((line) => clip(line, LINE_CHARS))
}

/** The phase that the session stated; else a session that edited code is coding. */
export async function findPhase(
  ports: Pick<AgentApiPorts, 'store'>,
  sessionLabel: string | undefined,
): Promise<SessionPhase | undefined> {
  if (sessionLabel === undefined) return undefined
  const stated = await ports.store.findPhase(sessionLabel)
  if (stated !== undefined) return stated
  const session = await findSessionByLabel(ports, sessionLabel)
  if (session === undefined) return undefined
  const [latest] = await listNewestCheckpoints(ports.store, { sessionId: session.id, limit: 1 })
  const hasEditedCode = latest?.checkpoint.work.files.some(
    ({ path, edits }) => edits > 0 && !/\.(?:md|txt|rst)$/i.test(path),
  )
  return hasEditedCode === true ? 'CODE' : undefined
}
