import type { LineReason } from '../../kernel/injection.ts'
import { clip } from '../../kernel/text/text.ts'
import { type FenceLine, lineCost } from '../../kernel/text/fence.ts'
import type { RecoveryView, WrittenNote } from '../merge-checkpoints.ts'
import type { Item } from './item.ts'
import { SESSION_STATE, sessionStateLines, writtenLines } from './note-lines.ts'

/** What comes back byte for byte, and what need not be said a second time for that. */
export interface Verbatim {
  readonly lines: readonly FenceLine[]
  readonly cost: number
  readonly reasons: readonly LineReason[]
  /** Something was written that did not fit. */
  readonly isShort: boolean
  isTold(item: Item): boolean
}

/** Of what the user has asked for something else since: it must not crowd out what is true now. */
const OVERTAKEN_SHARE = 0.5

/** The same thing as a candidate of the composer, which is cut to its own lengths. */
function repeats(
  { nextAction, waitingFor, decisions, blockers }: WrittenNote,
  { section, text, origin }: Item,
): boolean {
  if (section === 'written') return origin !== SESSION_STATE
  if (section === 'next') return nextAction !== undefined && text === clip(clip(nextAction, 400), 300)
  if (section === 'waiting') return waitingFor !== undefined && text === clip(clip(waitingFor, 400), 220)
  if (section === 'decisions') return decisions.some(({ decision }) => text.startsWith(clip(clip(decision, 400), 130)))
  return section === 'blockers' && blockers.some((blocker) => text === clip(clip(blocker, 240), 140))
}

/** As much of what was written as fits whole, the newest first. */
export function verbatimOf(
  { written, sessionState }: Pick<RecoveryView, 'written' | 'sessionState'>,
  room: number,
  redact: (text: string) => string,
): Verbatim {
  const note = written === undefined ? [] : [{ at: written.at, lines: writtenLines(written), note: written }]
  const state =
    sessionState === undefined ? [] : [{ at: sessionState.modifiedAt, lines: sessionStateLines(sessionState) }]
  const sources: readonly { at: string; lines: readonly string[]; note?: WrittenNote }[] = [...note, ...state].toSorted(
    (a, b) => (a.at < b.at ? 1 : -1),
  )
  const lines: FenceLine[] = []
  const reasons: LineReason[] = []
  const told: WrittenNote[] = []
  let cost = 0
  let isShort = false
  let isStateTold = false
  for (const source of sources) {
    const exact = source.lines.map((line) => ({ exact: redact(line) }))
    const own = exact.reduce((sum, line) => sum + lineCost(line), 0)
    const isOld = source.note === undefined ? sessionState?.isEarlier === true : source.note.isOvertaken
    const most = isOld ? room * OVERTAKEN_SHARE : room
    if (cost + own > most) {
      isShort = true
      continue
    }
    cost += own
    lines.push(...exact)
    const origin = source.note === undefined ? SESSION_STATE : 'written'
    reasons.push(
      ...exact.map(({ exact: line }) => ({ line, section: 'written', origin, reason: 'written for this purpose' })),
    )
    if (source.note === undefined) isStateTold = true
    else told.push(source.note)
  }
  const isTold = (item: Item) =>
    (isStateTold && item.origin === SESSION_STATE) || told.some((one) => repeats(one, item))
  return { lines, cost, reasons, isShort, isTold }
}
