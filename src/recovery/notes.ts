import { hasOwnSummary } from '../kernel/checkpoint.ts'
import type { Decision } from '../kernel/event.ts'
import type { LineReason } from '../kernel/injection.ts'
import type { SessionState } from '../kernel/ports/runtime.ts'
import { exactLines, lineCost, type FenceLine } from '../kernel/text/fence.ts'
import { leadingSentences } from '../kernel/text/text.ts'
import type { CarriedNote, RecoveryView } from './merge/merge-checkpoints.ts'

/** Origin of its lines in the ledger. */
const SESSION_STATE = 'SESSION-STATE.md'

function decisionText({ decision, rationale, alternatives = [] }: Decision): string {
  const because = rationale === undefined ? '' : ` because ${rationale}`
  return `${decision}${because}${alternatives.length === 0 ? '' : ` (instead of: ${alternatives.join(', ')})`}`
}

function optionalLines(label: string, text: string | undefined): readonly string[] {
  return text === undefined ? [] : exactLines(label, text)
}

const NOTED_BY = {
  agent: 'Noted by the agent',
  user: 'Noted by the user',
  command: 'Written by digest.command',
} as const

function noteLabel({ author = 'agent', isOvertaken }: CarriedNote): string {
  return `${NOTED_BY[author]}${isOvertaken ? ', before the last request' : ''}`
}

/** A note byte for byte; what the agent wrote is claimed, not observed. */
export function renderNote(note: CarriedNote): readonly string[] {
  const { summary, nextAction, waitingFor, decisions, blockers, isOvertaken } = note
  return [
    ...(hasOwnSummary(note) ? exactLines(noteLabel(note), summary) : []),
    ...optionalLines(isOvertaken ? 'Next, as it was then' : 'Next', nextAction),
    ...optionalLines('Waiting for', waitingFor),
    ...decisions.flatMap((decision) => exactLines('Decided', decisionText(decision))),
    ...blockers.flatMap((blocker) => exactLines('Blocked by', blocker)),
  ]
}

export function renderSessionState({ text, isEarlier = false }: SessionState): readonly string[] {
  return exactLines(isEarlier ? `${SESSION_STATE}, of the session before` : SESSION_STATE, text)
}

interface NoteSource {
  readonly at: string
  readonly lines: readonly string[]
  readonly lead: string
  readonly origin: string
  readonly isOld: boolean
  readonly note?: CarriedNote
}

/** The notes that are rendered, and what they cost. */
export interface NoteBlock {
  readonly lines: readonly FenceLine[]
  readonly cost: number
  readonly reasons: readonly LineReason[]
  /** A note did not fit whole. */
  readonly isShort: boolean
  /** The agent's or the user's note, if it is whole. */
  readonly note?: CarriedNote
}

/** Maximum share of the room for a note that is older than the last request, and for the beginning of one that is too long. */
const OVERTAKEN_SHARE = 0.5
const LEAD_SHARE = 0.3
const REASON = 'written for this purpose'

function listSources({ written, sessionState }: Pick<RecoveryView, 'written' | 'sessionState'>): readonly NoteSource[] {
  const note: readonly NoteSource[] =
    written === undefined
      ? []
      : [
          {
            at: written.at,
            lines: renderNote(written),
            lead: `${noteLabel(written)}: ${written.summary}`,
            origin: 'written',
            isOld: written.isOvertaken,
            note: written,
          },
        ]
  const state: readonly NoteSource[] =
    sessionState === undefined
      ? []
      : [
          {
            at: sessionState.modifiedAt,
            lines: renderSessionState(sessionState),
            lead: `${SESSION_STATE} begins: ${sessionState.text}`,
            origin: SESSION_STATE,
            isOld: sessionState.isEarlier === true,
          },
        ]
  return [...note, ...state].toSorted((a, b) => (a.at < b.at ? 1 : -1))
}

/** The notes that fit whole, the newest first; the beginning of one that does not. */
export function renderNotes(
  view: Pick<RecoveryView, 'written' | 'sessionState'>,
  room: number,
  redact: (text: string) => string,
): NoteBlock {
  const lines: FenceLine[] = []
  const reasons: LineReason[] = []
  let cost = 0
  let isShort = false
  let whole: CarriedNote | undefined
  for (const { lines: own, lead, origin, isOld, note } of listSources(view)) {
    const exact: readonly FenceLine[] = own.map((line) => ({ exact: redact(line) }))
    const all = exact.reduce((sum, line) => sum + lineCost(line), 0)
    const isWhole = cost + all <= (isOld ? room * OVERTAKEN_SHARE : room)
    const rendered = isWhole ? exact : [redact(leadingSentences(lead, room * LEAD_SHARE))]
    const own2 = isWhole ? all : rendered.reduce((sum, line) => sum + lineCost(line), 0)
    isShort ||= !isWhole
    if (cost + own2 > room) continue
    cost += own2
    lines.push(...rendered)
    if (isWhole) whole ??= note
    for (const line of rendered)
      reasons.push({ line: typeof line === 'string' ? line : line.exact, section: 'note', origin, reason: REASON })
  }
  return { lines, cost, reasons, isShort, ...(whole === undefined ? {} : { note: whole }) }
}
