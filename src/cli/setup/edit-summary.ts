import type { PieceReport, PieceState } from '../../install/inspect.ts'
import { PIECE_KINDS, type PieceKind } from '../../install/contract/settings-edit.ts'

/** All pieces of one kind that stand alike. */
export interface PieceGroup {
  readonly kind: PieceKind
  readonly state: PieceState
  readonly paths: readonly string[]
  readonly lacks?: readonly string[]
  readonly detail?: string
}

export function groupPieces(reports: readonly PieceReport[]): readonly PieceGroup[] {
  const groups = new Map<string, PieceReport[]>()
  for (const report of reports) {
    const key = `${report.kind} ${report.state}`
    groups.set(key, [...(groups.get(key) ?? []), report])
  }
  return [...groups.values()]
    .flatMap((same) => {
      const [first] = same
      if (first === undefined) return []
      const { id: _id, path: _path, ...facts } = first
      return [{ ...facts, paths: same.map(({ path }) => path) }]
    })
    .sort((a, b) => PIECE_KINDS.indexOf(a.kind) - PIECE_KINDS.indexOf(b.kind))
}

const SAID: Readonly<Record<PieceState, string>> = {
  installed: 'as this version writes it',
  outdated: 'from an earlier version',
  altered: 'changed since we wrote it',
  missing: 'gone since we wrote it',
  'not-installed': 'not installed yet: the version that connected did not have it',
  'not-ours': "in place of ours there is something of the user's own",
  'left-out': 'left out, as asked for',
  unreadable: 'cannot be read',
}

/** How they stand, in a few words. */
export function tell({ state, lacks, detail }: PieceGroup): string {
  return detail ?? `${SAID[state]}${lacks === undefined ? '' : `, without ${lacks.join(', ')}`}`
}
