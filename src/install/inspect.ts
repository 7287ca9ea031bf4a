import { messageOf } from '../kernel/errors.ts'
import { areEntriesAsWeLeftThem, isFileAsWeLeftIt } from './change-plan.ts'
import { piecesOf, worldOf } from './installation.ts'
import type { Installation, WrittenFile } from './manifest.ts'
import { isSameEntries, type Piece, type PieceKind } from './contract/settings-edit.ts'
import { readSettingsFile } from './edits/settings-file.ts'
import type { HarnessSetup, HttpWiring, Scope, SetupWorld } from './contract/setup.ts'

/**
 * How a piece stands now. `installed`: as this version writes it. `outdated`: as an earlier version wrote it. `altered`:
 * somebody changed it since. `missing`: it was there and is gone. `not-installed`: this version has it, the one that
 * connected did not. `not-ours`: something of the user's own has its place. `left-out`: the user did not want it.
 */
export type PieceState =
  | 'installed'
  | 'outdated'
  | 'altered'
  | 'missing'
  | 'not-installed'
  | 'not-ours'
  | 'left-out'
  | 'unreadable'

export interface PieceReport {
  readonly id: string
  readonly kind: PieceKind
  readonly path: string
  readonly state: PieceState
  /** Names of ours that are not there while others are. */
  readonly lacks?: readonly string[]
  /** Why a file cannot be read. */
  readonly detail?: string
}

function stateOf(piece: Piece, written: WrittenFile | undefined, text: string | undefined): PieceState {
  const absent = written === undefined ? 'not-installed' : 'missing'
  if (piece.shape === 'file') {
    if (text === undefined) return absent
    if (text === piece.content) return 'installed'
    if (written === undefined) return 'not-ours'
    return isFileAsWeLeftIt(text, written) ? 'outdated' : 'altered'
  }
  if (piece.findObstacle?.(text ?? '') !== undefined) return 'not-ours'
  const found = piece.find(text ?? '')
  if (found.size === 0) return absent
  if (isSameEntries(found, piece.find(piece.add('').text))) return 'installed'
  return written?.entriesHash === undefined || areEntriesAsWeLeftThem(found, written) ? 'outdated' : 'altered'
}

function lackedBy(piece: Piece, text: string | undefined): readonly string[] {
  if (piece.shape === 'file') return []
  const found = piece.find(text ?? '')
  return found.size === 0 ? [] : [...piece.find(piece.add('').text).keys()].filter((name) => !found.has(name))
}

function report(piece: Piece, record: Installation | undefined): PieceReport {
  const written = record?.files.find((file) => file.piece === piece.id)
  const { id, kind } = piece
  const path = written?.path ?? piece.path
  try {
    const { text } = readSettingsFile(path)
    const state = stateOf(piece, written, text)
    const isUnwanted = state === 'not-installed' && record?.leftOut.includes(kind) === true
    const lacks = lackedBy(piece, text)
    return { id, kind, path, state: isUnwanted ? 'left-out' : state, ...(lacks.length > 0 && { lacks }) }
  } catch (thrown) {
    return { id, kind, path, state: 'unreadable', detail: messageOf(thrown) }
  }
}

/** Hooks that call the daemon by HTTP are no difference where the user asked for them; where an older version chose them they are outdated. */
function wiringNow(pieces: readonly Piece[], record: Installation | undefined): HttpWiring | undefined {
  if (record?.http !== true) return undefined
  for (const piece of pieces) {
    const path = record?.files.find((file) => file.piece === piece.id)?.path ?? piece.path
    try {
      const { text } = readSettingsFile(path)
      const http = text === undefined ? undefined : piece.reach?.findHttp(text)
      if (http !== undefined) return http
    } catch {
      // Reported with the piece itself.
      continue
    }
  }
  return undefined
}

/** Every piece that this version would install, and how it stands. */
export function inspect(
  setup: HarnessSetup,
  world: SetupWorld,
  options: { readonly scope: Scope; readonly record?: Installation | undefined },
): readonly PieceReport[] {
  const { scope, record } = options
  const there = worldOf(world, record)
  const http = wiringNow(piecesOf(setup, there, { scope }), record)
  return piecesOf(setup, there, { scope, ...(http === undefined ? {} : { http }) }).map((piece) =>
    report(piece, record),
  )
}

/** What `holdfast init` would put right. */
export function needsInit(reports: readonly PieceReport[]): boolean {
  return reports.some(({ state, kind }) => {
    if (state === 'altered') return kind === 'hooks' || kind === 'mcp' || kind === 'plugin'
    return state === 'not-installed' || state === 'outdated' || state === 'missing'
  })
}
