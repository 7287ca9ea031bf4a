import type { IntentConflict, ObservedEdit } from '../kernel/agent-records.ts'
import type { AgentUseCases } from '../agent-api/use-cases.ts'
import { createInjection } from '../kernel/injection.ts'
import { relativePath } from '../kernel/paths/paths.ts'
import type { InjectionSource } from './injection-policy.ts'
import type { Store } from '../kernel/ports/ports.ts'
import { fence } from '../kernel/text/fence.ts'
import { clip, formatAge } from '../kernel/text/text.ts'
import type { AgentApiPorts } from '../agent-api/ports.ts'

const LEDGER_LOOKBACK = 200
const BUDGET_CHARS = 1_200
const INTENT_HEADING =
  '## Another session means to edit this\nIt said so before you, and it is still at work: agree with the user who goes first before you edit.'
const EDIT_HEADING =
  '## Another session has changed this file\nIt is still at work: read the file again before you edit it, keep what the other session wrote, and tell the user.'

type EditWarningPorts = Pick<AgentApiPorts, 'clock' | 'sha256' | 'configFor' | 'redactors'> & {
  readonly store: Pick<Store, 'listInjections'>
}

interface EditWarning {
  /** A warning is injected once for each intent, or session, and file; not at every edit. */
  readonly source: string
  readonly origin: string
  readonly text: string
  readonly reason: string
}

function toIntentWarning({ intent, files, isSameWorktree }: IntentConflict, path: string, now: string): EditWarning {
  const where = isSameWorktree ? '' : ', in another checkout'
  return {
    source: `${intent.id} ${path}`,
    origin: intent.id,
    text: `- ${intent.sessionLabel} (${formatAge(intent.startedAt, now)}${where}): ${intent.intent} [${files.join(', ')}]`,
    reason: 'a live session recorded its intent on this file',
  }
}

function toObservedWarning(edit: ObservedEdit, worktree: string | undefined, now: string): EditWarning {
  const name = edit.title === undefined ? '' : ` "${edit.title}"`
  const branch = edit.branch === undefined ? '' : `, branch ${edit.branch}`
  const where = edit.worktree === worktree ? '' : `, in another checkout: ${edit.worktree}`
  return {
    source: `${edit.sessionId} ${edit.file}`,
    origin: edit.sessionId,
    text: `- ${edit.harness} session ${edit.sessionKey.slice(0, 8)}${name} edited ${edit.file} ${formatAge(edit.lastEditAt, now)}${branch}${where}`,
    reason: 'a live session was seen to edit this file',
  }
}

/**
 * Warns before an edit of a file that another live session was seen to edit, or recorded its intent on. Never a refusal: the user
 * decides.
 */
export function createEditWarning(
  ports: EditWarningPorts,
  agentApi: Pick<AgentUseCases, 'findConflicts' | 'listObservedEdits'>,
): InjectionSource {
  return async ({ event, session, maxChars }) => {
    if (event.kind !== 'tool-started' || event.cwd === undefined) return undefined
    const { cwd, sessionKey } = event
    const paths = event.tool.files.flatMap(({ path, action }) => (action === 'read' ? [] : [path]))
    if (paths.length === 0) return undefined
    const worktree = session.place?.worktree
    const conflicts = await agentApi.findConflicts({ cwd, files: paths, sessionLabel: sessionKey })
    const from = { cwd: event.tool.cwd ?? cwd, ...(worktree !== undefined && { worktree }) }
    const files = new Set(paths.map((path) => relativePath(path, from)))
    const observed = (await agentApi.listObservedEdits({ cwd })).filter(
      ({ sessionId, file }) => sessionId !== session.id && files.has(file),
    )
    const live = conflicts.filter(({ intent }) => intent.standing === 'live')
    if (live.length === 0 && observed.length === 0) return undefined
    if (!(await ports.configFor(worktree)).continuity.enabled) return undefined
    const now = ports.clock.now()
    const past = await ports.store.listInjections({ sessionId: session.id, kind: 'notice', limit: LEDGER_LOOKBACK })
    const warned = new Set(past.flatMap(({ sources }) => sources))
    const fresh = [
      ...observed.map((edit) => toObservedWarning(edit, worktree, now)),
      ...live.map((conflict) => toIntentWarning(conflict, paths.join(' '), now)),
    ].filter(({ source }) => !warned.has(source))
    const redactor = await ports.redactors.forWorktree(worktree)
    const lines = fresh.map(({ text }) => redactor.redact(clip(text, 300)))
    const hasObserved = fresh.some(({ origin }) => observed.some(({ sessionId }) => sessionId === origin))
    const { text, lineCount } = fence({
      heading: hasObserved ? EDIT_HEADING : INTENT_HEADING,
      lines,
      budgetChars: Math.min(BUDGET_CHARS, maxChars),
      sha256: ports.sha256,
    })
    if (lineCount === 0) return undefined
    const shown = fresh.slice(0, lineCount)
    return createInjection(ports, session, 'notice', {
      text,
      sources: shown.map(({ source }) => source),
      reasons: shown.map(({ origin, reason }, index) => ({ line: lines[index] ?? '', origin, reason })),
    })
  }
}
