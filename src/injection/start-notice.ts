import { findPhase, listCurrentItems } from '../agent-api/briefing/current-task.ts'
import type { AgentApiPorts } from '../agent-api/ports.ts'
import type { ParsedChecklistItem } from '../kernel/checklist.ts'
import { getErrorMessage } from '../kernel/errors.ts'
import { createInjection, type InjectionText } from '../kernel/injection.ts'
import type { Session } from '../kernel/session.ts'
import { fence } from '../kernel/text/fence.ts'
import { clip, formatAge } from '../kernel/text/text.ts'

const BUDGET_CHARS = 900
const LINE_CHARS = 300
const MAX_OFFERS = 3
const DAY_MS = 86_400_000
const SAVED =
  '## Saved checkpoints\nIf the user wants to continue one of these: checkpoint_resume with its name, then ask before you act on it.'
const CODING =
  '## Current task (CHECKLIST.md, phase CODE)\nContinue this task. Do not explore the project or call session_briefing again for it.'

/** `given` is the text that the session gets beside it. */
export type StartNotice = (session: Session, given: string, maxChars: number) => Promise<InjectionText | undefined>

export interface StartNoticeParts {
  readonly listItems: (worktree: string) => readonly ParsedChecklistItem[]
  readonly listNamed: (worktree: string) => Promise<readonly NamedOffer[]>
}

interface NamedOffer {
  readonly name: string
  readonly savedAt: string
  readonly task: string
}

interface RenderedNotice {
  readonly heading: string
  readonly lines: readonly string[]
  readonly origin: string
  readonly reason: string
}

type Ports = Pick<AgentApiPorts, 'clock' | 'sha256' | 'redactors' | 'store' | 'log' | 'configFor'>

/**
 * Beside the recovery. After a compaction: in the CODE phase the checklist item in progress, in MAP, ARCHITECT and PLAN the advice to
 * load the briefing again, nothing while the phase is unknown. At another start: the named checkpoints of the worktree.
 */
export function createStartNotice(ports: Ports, { listItems, listNamed }: StartNoticeParts): StartNotice {
  async function renderPhase(session: Session, worktree: string): Promise<RenderedNotice | undefined> {
    const phase = await findPhase(ports, session.key)
    if (phase === undefined) return undefined
    const origin = 'CHECKLIST.md'
    const reason = 'the context was compacted, and the phase of the session says what it needs'
    if (phase !== 'CODE') {
      const line = `- The context was compacted in the phase ${phase}: call session_briefing, which returns the index, the checklist, the entities and the summaries.`
      return { heading: '## Phase', lines: [line], origin, reason }
    }
    const lines = listCurrentItems(listItems(worktree)).flatMap(({ text, status, section, line, body }) => [
      `- ${status}: ${text} [${section}, line ${line}]`,
      ...(body ?? '').split('\n').flatMap((detail) => (detail.trim() === '' ? [] : [`  ${detail.trim()}`])),
    ])
    return { heading: CODING, lines, origin, reason }
  }

  async function renderNamed(worktree: string, given: string): Promise<RenderedNotice | undefined> {
    const now = ports.clock.now()
    const { continuity } = await ports.configFor(worktree)
    const oldestMs = Date.parse(now) - continuity.recoveryWindowDays * DAY_MS
    const offers = (await listNamed(worktree))
      .filter(({ name, savedAt }) => !given.includes(`checkpoint "${name}"`) && Date.parse(savedAt) >= oldestMs)
      .toSorted((a, b) => Date.parse(b.savedAt) - Date.parse(a.savedAt))
    if (offers.length === 0) return undefined
    const lines = offers
      .slice(0, MAX_OFFERS)
      .map(({ name, savedAt, task }) => `- ${name}, ${formatAge(savedAt, now)}: ${task || 'no task stated'}`)
    if (offers.length > MAX_OFFERS) lines.push(`- ${offers.length - MAX_OFFERS} more: checkpoint_list`)
    return { heading: SAVED, lines, origin: 'memory/checkpoints', reason: 'a checkpoint was saved under a name here' }
  }

  async function render(session: Session, given: string): Promise<RenderedNotice | undefined> {
    const worktree = session.place?.worktree
    if (worktree === undefined) return undefined
    const rendered = session.source === 'compact' ? renderPhase(session, worktree) : renderNamed(worktree, given)
    return rendered.catch((error: unknown) => {
      // The recovery itself must not depend on a readable checklist or folder.
      ports.log.warn('start notice not rendered', { session: session.id, error: getErrorMessage(error) })
      return undefined
    })
  }

  return async (session, given, maxChars) => {
    const rendered = await render(session, given)
    if (rendered === undefined) return undefined
    const { heading, origin, reason } = rendered
    const redactor = await ports.redactors.forWorktree(session.place?.worktree)
    const lines = redactor.redactAll(rendered.lines.map((line) => clip(line, LINE_CHARS)))
    const budgetChars = Math.min(BUDGET_CHARS, maxChars)
    const { text, lineCount } = fence({ heading, lines, budgetChars, sha256: ports.sha256 })
    if (lineCount === 0) return undefined
    return createInjection(ports, session, 'notice', {
      text,
      sources: [`${origin} ${session.epoch}`],
      reasons: lines.slice(0, lineCount).map((line) => ({ line, origin, reason })),
    })
  }
}
