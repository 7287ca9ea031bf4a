import type { StoredCheckpoint } from '../../kernel/checkpoint.ts'
import type { LineReason } from '../../kernel/injection.ts'
import { get } from './call.ts'
import { type CheckpointRow, type HandoffLineRow, type HandoffReply, type RecoveryReply, toRow } from './contract.ts'

const OVERFLOW_CHARS = 20_000

/** Text without list marks and spaces, to find the reason of a line. */
const toKey = (text: string): string =>
  text
    .replace(/^[\s\-*\d.]+/, '')
    .replace(/\s+/g, ' ')
    .trim()

function toLines(text: string, reasons: readonly LineReason[]): readonly HandoffLineRow[] {
  const open = reasons.map((reason) => ({ reason, key: toKey(reason.line) })).filter(({ key }) => key !== '')
  return text.split('\n').map((line): HandoffLineRow => {
    const key = toKey(line)
    if (key === '') return { text: line, role: 'frame' }
    const found =
      open.find((one) => one.key === key) ?? open.find((one) => key.includes(one.key) || one.key.includes(key))
    if (found !== undefined) return { text: line, role: 'line', reason: found.reason }
    return { text: line, role: /^(#|\*\*|[A-Z][^.]*:$)/.test(line.trim()) ? 'heading' : 'frame' }
  })
}

async function readSource(id: string, signal: AbortSignal): Promise<readonly CheckpointRow[]> {
  // A checkpoint that was deleted meanwhile is left out.
  const reply = await get<{ checkpoint: StoredCheckpoint }>('/api/checkpoint/:id', { id }, signal).catch(
    () => undefined,
  )
  return reply === undefined ? [] : [toRow(reply.checkpoint)]
}

/** What a session starting now in a folder would get, line by line, and what did not fit. */
export async function readHandoff(cwd: string, signal: AbortSignal): Promise<HandoffReply> {
  const { recovery } = await get<RecoveryReply>('/api/recovery', { cwd }, signal)
  const [sources, overflow] = await Promise.all([
    Promise.all(recovery.sources.map((id) => readSource(id, signal))),
    recovery.leftOut === undefined || recovery.leftOut === 0
      ? undefined
      : get<RecoveryReply>('/api/recovery', { cwd, restChars: OVERFLOW_CHARS }, signal),
  ])
  const lines = toLines(recovery.text, recovery.reasons)
  const used = new Set(lines.map(({ reason }) => reason))
  return {
    cwd,
    text: recovery.text,
    chars: recovery.text.length,
    lines,
    sources: sources.flat(),
    why: recovery.reasons.filter((reason) => !used.has(reason)),
    leftOutText: overflow?.recovery.text ?? '',
    leftOutCount: recovery.leftOut ?? 0,
    offered: recovery.offered,
  }
}
