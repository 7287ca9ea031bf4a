import type { IntentConflict } from '../kernel/agent-records.ts'
import type { AgentUseCases } from '../agent-api/use-cases.ts'
import { type InjectionRequest, type InjectionText, createInjection } from '../kernel/injection.ts'
import { sessionIdOfEvent } from '../kernel/event.ts'
import type { Store } from '../kernel/ports/ports.ts'
import { fence } from '../kernel/text/fence.ts'
import { clip } from '../kernel/text/text.ts'
import { ageOf } from '../kernel/text/age.ts'
import type { AgentDoorDeps } from '../agent-api/deps.ts'

const LEDGER_LOOKBACK = 200
const BUDGET_CHARS = 1_200
const HEADING =
  '## Another session means to edit this\nIt said so before you, and it is still at work: agree with the user who goes first before you edit.'

type Deps = Pick<AgentDoorDeps, 'clock' | 'sha256' | 'configFor' | 'redactors'> & {
  readonly store: Pick<Store, 'findSession' | 'listInjections'>
}

/** What a warning was about: told once for each intent and file, not at every edit. */
function sourceOf(conflict: IntentConflict, path: string): string {
  return `${conflict.intent.id} ${path}`
}

function lineOf({ intent, files, isSameWorktree }: IntentConflict, now: string): string {
  const where = isSameWorktree ? '' : ', in another checkout'
  return clip(
    `- ${intent.sessionLabel} (${ageOf(intent.startedAt, now)}${where}): ${intent.intent} [${files.join(', ')}]`,
    300,
  )
}

/** A word before an edit that meets the intent of another live session. Never a refusal: the user decides. */
export function createEditWarning(deps: Deps, door: Pick<AgentUseCases, 'findConflicts'>) {
  return async ({ event, maxChars }: InjectionRequest): Promise<InjectionText | undefined> => {
    if (event.kind !== 'tool-started' || event.tool.kind !== 'edit' || event.cwd === undefined) return undefined
    const paths = event.tool.files.map(({ path }) => path)
    const conflicts = await door.findConflicts({ cwd: event.cwd, files: paths, sessionLabel: event.sessionKey })
    const live = conflicts.filter(({ intent }) => intent.standing === 'live')
    const session = live.length === 0 ? undefined : await deps.store.findSession(sessionIdOfEvent(event))
    if (session === undefined) return undefined
    const { continuity } = await deps.configFor(session.place?.worktree)
    if (!continuity.enabled) return undefined
    const past = await deps.store.listInjections({ sessionId: session.id, kind: 'notice', limit: LEDGER_LOOKBACK })
    const told = new Set(past.flatMap(({ sources }) => sources))
    const file = paths.join(' ')
    const fresh = live.filter((conflict) => !told.has(sourceOf(conflict, file)))
    const redactor = await deps.redactors.forWorktree(session.place?.worktree)
    const now = deps.clock.now()
    const lines = fresh.map((conflict) => redactor.redact(lineOf(conflict, now)))
    const { text, lineCount } = fence({
      heading: HEADING,
      lines,
      budgetChars: Math.min(BUDGET_CHARS, maxChars),
      sha256: deps.sha256,
    })
    if (lineCount === 0) return undefined
    const shown = fresh.slice(0, lineCount)
    return createInjection(deps, session, 'notice', {
      text,
      sources: shown.map((conflict) => sourceOf(conflict, file)),
      reasons: shown.map(({ intent }, index) => ({
        line: lines[index] ?? '',
        origin: intent.id,
        reason: 'a live session recorded its intent on this file',
      })),
    })
  }
}
