import { BEFORE_COMMAND, type Injection, type LineReason } from '../kernel/injection.ts'
import type { Session } from '../kernel/session.ts'
import type { LineUse, Receipt } from '../kernel/start-outcome.ts'

const CHARS_PER_TOKEN = 4

export interface LedgerLine extends LineReason {
  /** Absent while nothing has been seen after it. */
  readonly use?: LineUse
}

/** One thing that was put before an agent: when, why, at what cost, and what became of it. */
export interface LedgerEntry extends Omit<Injection, 'reasons'> {
  readonly sessionKey: Session['key']
  readonly harness: string
  readonly worktree?: string
  /** At four characters each. */
  readonly estimatedTokens: number
  /** Why it was told at all. */
  readonly why: string
  readonly lines: readonly LedgerLine[]
  /** Lines of which it can be seen whether they are used, and how many were. */
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
}

const WHY: Readonly<Record<string, string>> = {
  lineage: 'this session goes on from that one',
  'same-worktree-and-branch': 'the latest work in this worktree, on this branch',
  'same-worktree': 'the latest work in this worktree',
}

function whyOf({ kind, reasons }: Injection): string {
  const selection = reasons.find(({ origin }) => origin === 'selection')?.reason
  if (selection !== undefined) return WHY[selection] ?? selection
  const isForPrompt = kind === 'memories' && !reasons.some(({ section }) => section === BEFORE_COMMAND)
  return isForPrompt ? 'memories that have to do with the prompt' : (reasons[0]?.reason ?? kind)
}

/** The use of an injection, from the receipt of the start that it belongs to. */
function usesOf(injection: Injection, receipts: readonly Receipt[]): readonly LineUse[] {
  const receipt = receipts.find(
    ({ sessionId, epoch }) => sessionId === injection.sessionId && epoch === injection.epoch,
  )
  const use = receipt?.uses.find(
    ({ at, kind, textHash }) => at === injection.at && kind === injection.kind && textHash === injection.textHash,
  )
  return use?.lines ?? []
}

export function ledgerEntry(injection: Injection, session: Session, receipts: readonly Receipt[]): LedgerEntry {
  const { reasons, ...told } = injection
  const uses = usesOf(injection, receipts)
  const lines = reasons.flatMap((reason, index): readonly LedgerLine[] => {
    const use = uses[index]
    return reason.line === '' ? [] : [{ ...reason, ...(use === undefined ? {} : { use }) }]
  })
  return {
    ...told,
    sessionKey: session.key,
    harness: session.harness,
    ...(session.place === undefined ? {} : { worktree: session.place.worktree }),
    estimatedTokens: Math.ceil(injection.chars / CHARS_PER_TOKEN),
    why: whyOf(injection),
    lines,
    lineCount: lines.filter(({ use }) => use !== undefined && use.status !== 'cannot-tell').length,
    usedCount: lines.filter(({ use }) => use?.status === 'used').length,
  }
}

export function totalsOf(entries: readonly LedgerEntry[]): LedgerTotals {
  const sum = (of: (entry: LedgerEntry) => number) => entries.reduce((total, entry) => total + of(entry), 0)
  return {
    injections: entries.length,
    chars: sum(({ chars }) => chars),
    estimatedTokens: sum(({ estimatedTokens }) => estimatedTokens),
    lineCount: sum(({ lineCount }) => lineCount),
    usedCount: sum(({ usedCount }) => usedCount),
  }
}
