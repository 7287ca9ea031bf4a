import type { StoredCheckpoint } from '../../kernel/checkpoint.ts'
import type { LineReason } from '../../kernel/injection.ts'
import { get } from './call.ts'
import { type CheckpointRow, type HandoffLineRow, type HandoffReply, type RecoveryReply, toRow } from './contract.ts'

const OVERFLOW_CHARS = 20_000

/** Text without marks of lists, quotes and needless spaces, to find the line that a reason is about. */
const toKey = (text: string): string =>
  text
    .replace(/^[\s|\-*]+/, '')
    .replace(/["`]/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** Whether a line holds a part: its text, or the end of a path, because the folders that files share are left out. */
function holdsPart(key: string, part: string): boolean {
  if (key.includes(part)) return true
  if (part.includes(' ') || !part.includes('/')) return false
  const segments = part.split('/').filter((segment) => segment !== '')
  const end = segments.slice(-2).join('/')
  return key.includes(end) || (part.endsWith('/') && key.includes(`${segments.at(-1)}/`))
}

/** Parts of one section are in one line, and the sections have the order of the lines. */
function toLines(text: string, reasons: readonly LineReason[]): readonly HandoffLineRow[] {
  const lines = text.split('\n')
  const keys = lines.map(toKey)
  const found = new Map<number, LineReason[]>()
  const homes = new Map<string, number>()
  let last = 0
  for (const reason of reasons) {
    const part = toKey(reason.line)
    if (part === '') continue
    const home = homes.get(reason.section ?? '')
    const candidates = [...(home === undefined ? [] : [home]), ...keys.keys()]
    const holds = (at: number) => holdsPart(keys[at] ?? '', part)
    // A section that begins here has a line of its own, if there is one.
    const own = home === undefined && found.size > 0 ? candidates.find((at) => at > last && holds(at)) : undefined
    const later = own ?? candidates.find((at) => at >= last && holds(at))
    const at = later ?? candidates.find(holds) ?? home
    if (at === undefined) continue
    if (later !== undefined) last = later
    if (reason.section !== undefined) homes.set(reason.section, at)
    found.set(at, [...(found.get(at) ?? []), reason])
  }
  return lines.map((line, at): HandoffLineRow => {
    const own = found.get(at) ?? []
    if (own.length > 0) return { text: line, role: 'line', reasons: own }
    return { text: line, role: line.startsWith('#') ? 'heading' : 'frame', reasons: [] }
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
  const used = new Set(lines.flatMap(({ reasons }) => reasons))
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
