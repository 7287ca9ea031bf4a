import { AT_START, BEFORE_COMMAND, type LineReason, type Injection, type StoredInjection } from '../kernel/injection.ts'
import type { Session } from '../kernel/session.ts'
import type { LineUse, StartOutcome } from '../kernel/start-outcome.ts'

const CHARS_PER_TOKEN = 4

export interface LedgerLine extends LineReason {
  /** Absent until tool calls followed it. */
  readonly use?: LineUse
}

/** One injected text: when, why, its size, and which lines were used. */
export interface LedgerEntry extends Omit<StoredInjection, 'reasons'> {
  readonly sessionKey: Session['key']
  readonly harness: string
  readonly worktree?: string
  /** Nothing was injected; `why` says by which rule. */
  readonly isSkipped: boolean
  /** Four characters per token. */
  readonly estimatedTokens: number
  /** Why it was injected. */
  readonly why: string
  readonly lines: readonly LedgerLine[]
  /** Lines whose use can be observed, and how many were used. */
  readonly lineCount: number
  readonly usedCount: number
}

export interface LedgerTotals {
  readonly injections: number
  readonly chars: number
  readonly estimatedTokens: number
  readonly lineCount: number
  readonly usedCount: number
}

export interface Ledger {
  /** Newest first. */
  readonly entries: readonly LedgerEntry[]
  /** Of these entries. */
  readonly totals: LedgerTotals
  /** `beforeSeq` of the next page; absent on the last one. */
  readonly next?: number
}

const WHY: Readonly<Record<string, string>> = {
  lineage: 'this session continues that one',
  'same-worktree-and-branch': 'the latest work in this worktree, on this branch',
  'same-worktree': 'the latest work in this worktree',
}

function explainInjection({ kind, reasons }: Injection): string {
  const selection = reasons.find(({ origin }) => origin === 'selection')?.reason
  if (selection !== undefined) return WHY[selection] ?? selection
  if (reasons.some(({ section }) => section === AT_START)) return 'rules and memories that every start gets'
  const isForPrompt = kind === 'memories' && !reasons.some(({ section }) => section === BEFORE_COMMAND)
  return isForPrompt ? 'memories that match the prompt' : (reasons[0]?.reason ?? kind)
}

function findUses(injection: Injection, outcomes: readonly StartOutcome[]): readonly LineUse[] {
  const outcome = outcomes.find(
    ({ sessionId, epoch }) => sessionId === injection.sessionId && epoch === injection.epoch,
  )
  const use = outcome?.uses.find(
    ({ at, kind, textHash }) => at === injection.at && kind === injection.kind && textHash === injection.textHash,
  )
  return use?.lines ?? []
}

export function createLedgerEntry(
  injection: StoredInjection,
  session: Session,
  outcomes: readonly StartOutcome[],
): LedgerEntry {
  const { reasons, ...rest } = injection
  const uses = findUses(injection, outcomes)
  const lines = reasons.flatMap((reason, index): readonly LedgerLine[] => {
    const use = uses[index]
    return reason.line === '' ? [] : [{ ...reason, ...(use === undefined ? {} : { use }) }]
  })
  return {
    ...rest,
    sessionKey: session.key,
    harness: session.harness,
    ...(session.place === undefined ? {} : { worktree: session.place.worktree }),
    isSkipped: injection.chars === 0,
    estimatedTokens: Math.ceil(injection.chars / CHARS_PER_TOKEN),
    why: explainInjection(injection),
    lines,
    lineCount: lines.filter(({ use }) => use !== undefined && use.status !== 'cannot-tell').length,
    usedCount: lines.filter(({ use }) => use?.status === 'used').length,
  }
}

export function sumTotals(entries: readonly LedgerEntry[]): LedgerTotals {
  const sum = (of: (entry: LedgerEntry) => number) => entries.reduce((total, entry) => total + of(entry), 0)
  return {
    injections: entries.filter(({ isSkipped }) => !isSkipped).length,
    chars: sum(({ chars }) => chars),
    estimatedTokens: sum(({ estimatedTokens }) => estimatedTokens),
    lineCount: sum(({ lineCount }) => lineCount),
    usedCount: sum(({ usedCount }) => usedCount),
  }
}
