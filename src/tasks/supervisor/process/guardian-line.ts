import type { KnownProcess } from './run-processes.ts'

export interface GuardianLine extends KnownProcess {
  readonly kind: 'leader' | 'known'
}

export function writeGuardianLine({ kind, pid, startedAt }: GuardianLine): string {
  return `${kind} ${pid} ${startedAt}\n`
}

/** Whole lines, and what is left of one that has not arrived yet. Lines that say nothing are passed over. */
export function readGuardianLines(text: string): { readonly lines: readonly GuardianLine[]; readonly rest: string } {
  const parts = text.split('\n')
  const rest = parts.pop() ?? ''
  const lines = parts.flatMap((line): GuardianLine[] => {
    const match = /^(leader|known) (\d{1,10}) (.+)$/.exec(line)
    if (match === null) return []
    const [, kind, pid, startedAt = ''] = match
    return [{ kind: kind === 'leader' ? 'leader' : 'known', pid: Number(pid), startedAt }]
  })
  return { lines, rest }
}
