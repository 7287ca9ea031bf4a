import type { IntentConflict } from '../kernel/agent-records.ts'
import type { AgentUseCases } from '../agent-api/use-cases.ts'
import { createInjection } from '../kernel/injection.ts'
import type { InjectionSource } from './injection-policy.ts'
import type { Store } from '../kernel/ports/ports.ts'
import { fence } from '../kernel/text/fence.ts'
import { clip, formatAge } from '../kernel/text/text.ts'
import type { AgentApiPorts } from '../agent-api/ports.ts'

const LEDGER_LOOKBACK = 200
const BUDGET_CHARS = 1_200
const HEADING =
  '## Another session means to edit this\nIt said so before you, and it is still at work: agree with the user who goes first before you edit.'

type EditWarningPorts = Pick<AgentApiPorts, 'clock' | 'sha256' | 'configFor' | 'redactors'> & {
  readonly store: Pick<Store, 'listInjections'>
}

/** A warning is injected once for each intent and file, not at every edit. */
function toSource(conflict: IntentConflict, path: string): string {
  return `${conflict.intent.id} ${path}`
}

function renderConflict({ intent, files, isSameWorktree }: IntentConflict, now: string): string {
  const where = isSameWorktree ? '' : ', in another checkout'
  return clip(
    `- ${intent.sessionLabel} (${formatAge(intent.startedAt, now)}${where}): ${intent.intent} [${files.join(', ')}]`,
    300,
  )
}

/** Warns before an edit that conflicts with the recorded intent of another live session. Never a refusal: the user decides. */
export function createEditWarning(
  ports: EditWarningPorts,
  agentApi: Pick<AgentUseCases, 'findConflicts'>,
): InjectionSource {
  return async ({ event, session, maxChars }) => {
    if (event.kind !== 'tool-started' || event.tool.kind !== 'edit' || event.cwd === undefined) return undefined
    const paths = event.tool.files.map(({ path }) => path)
    const conflicts = await agentApi.findConflicts({ cwd: event.cwd, files: paths, sessionLabel: event.sessionKey })
    const live = conflicts.filter(({ intent }) => intent.standing === 'live')
    if (live.length === 0) return undefined
    const { continuity } = await ports.configFor(session.place?.worktree)
    if (!continuity.enabled) return undefined
    const past = await ports.store.listInjections({ sessionId: session.id, kind: 'notice', limit: LEDGER_LOOKBACK })
    const warned = new Set(past.flatMap(({ sources }) => sources))
    const file = paths.join(' ')
    const fresh = live.filter((conflict) => !warned.has(toSource(conflict, file)))
    const redactor = await ports.redactors.forWorktree(session.place?.worktree)
    const now = ports.clock.now()
    const lines = fresh.map((conflict) => redactor.redact(renderConflict(conflict, now)))
    const { text, lineCount } = fence({
      heading: HEADING,
      lines,
      budgetChars: Math.min(BUDGET_CHARS, maxChars),
      sha256: ports.sha256,
    })
    if (lineCount === 0) return undefined
    const shown = fresh.slice(0, lineCount)
    return createInjection(ports, session, 'notice', {
      text,
      sources: shown.map((conflict) => toSource(conflict, file)),
      reasons: shown.map(({ intent }, index) => ({
        line: lines[index] ?? '',
        origin: intent.id,
        reason: 'a live session recorded its intent on this file',
      })),
    })
  }
}
