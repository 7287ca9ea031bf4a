import { HoldfastError } from '../kernel/errors.ts'
import {
  areEntriesAsWeLeftThem,
  type ChangePlan,
  type FileChange,
  holdsNothing,
  isFileAsWeLeftIt,
  isSharedWith,
  type Notice,
} from './change-plan.ts'
import { removePort } from './edits/config-port.ts'
import { findInstallation, isSameInstallation, piecesOf, worldOf } from './installation.ts'
import { type Installation, readManifest, type WrittenFile } from './manifest.ts'
import { type EntryPiece, isSameEntries, type Piece } from './contract/settings-edit.ts'
import { readSettingsFile, type SettingsFile } from './edits/settings-file.ts'
import type { HarnessSetup, Scope, SetupWorld } from './contract/setup.ts'

interface Planned {
  readonly changes: readonly FileChange[]
  readonly notices: readonly Notice[]
}

const NOTHING: Planned = { changes: [], notices: [] }

/** A whole file of ours that is no longer wanted. */
export function planDropped(file: WrittenFile, others: readonly Installation[]): Planned {
  if (others.some((known) => known.files.some((other) => isSharedWith(file, other)))) return NOTHING
  const before = readSettingsFile(file.path)
  if (before.text === undefined) return NOTHING
  if (isFileAsWeLeftIt(before.text, file)) return { changes: [{ before, after: undefined, removed: [] }], notices: [] }
  if (file.role === 'config') return NOTHING
  return {
    changes: [],
    notices: [{ kind: file.role, path: file.path, why: 'was changed since we wrote it, so it stays' }],
  }
}

interface KnownEntry {
  readonly piece: EntryPiece
  readonly written: WrittenFile | undefined
}

function isAltered({ piece, written }: KnownEntry, text: string): boolean {
  if (piece.keepsEdits !== true) return false
  const found = piece.find(text)
  if (found.size === 0 || areEntriesAsWeLeftThem(found, written)) return false
  return !isSameEntries(found, piece.find(piece.add('').text))
}

function planEntries(path: string, entries: readonly KnownEntry[]): Planned {
  const before = readSettingsFile(path)
  const { text } = before
  if (text === undefined) return NOTHING
  const altered = entries.filter((entry) => isAltered(entry, text))
  const notices = altered.map(({ piece }) => ({
    kind: piece.kind,
    path,
    why: 'holds our block with changes of yours, so it stays: delete it by hand',
  }))
  const ours = entries.filter((entry) => !altered.includes(entry))
  const without = ours.reduceRight((rest, { piece, written }) => piece.remove(rest, written), text)
  if (without === text) return { changes: [], notices }
  const isCreated = entries.some(({ written }) => written?.isCreated === true)
  const lockPath = ours.find(({ piece }) => piece.lockPath !== undefined)?.piece.lockPath
  const change: FileChange = {
    before,
    after: isCreated && holdsNothing(without) ? undefined : without,
    removed: ours.map(({ piece }) => piece),
    ...(lockPath === undefined ? {} : { lockPath }),
  }
  return { changes: [change], notices }
}

function planPort(record: Installation | undefined, others: readonly Installation[]): Planned {
  const written = record?.files.find((known) => known.role === 'config')
  // Another harness still calls the port that this install fixed.
  if (written === undefined || others.length > 0) return NOTHING
  const before = readOwnConfig(written.path)
  const text = before === undefined ? undefined : (before.text ?? '')
  const without = text === undefined ? undefined : removePort(text, written)
  if (before === undefined || without === undefined) {
    const why = 'cannot be read, so daemon.port stays if it is still there'
    return { changes: [], notices: [{ kind: 'config', path: written.path, why }] }
  }
  if (without === text) return NOTHING
  const after = written.isCreated && holdsNothing(without) ? undefined : without
  return { changes: [{ before, after, removed: [] }], notices: [] }
}

/** Undefined for one that nobody can read: it is our own, and no reason to leave somebody else's files as they are. */
function readOwnConfig(path: string): SettingsFile | undefined {
  try {
    return readSettingsFile(path)
  } catch (thrown) {
    if (thrown instanceof HoldfastError) return undefined
    throw thrown
  }
}

/** By what the manifest says; where it says nothing, by what is found. */
function entriesToRemove(
  pieces: readonly Piece[],
  record: Installation | undefined,
  others: readonly Installation[],
): readonly KnownEntry[] {
  const own = pieces.filter((piece) => piece.shape === 'entry')
  if (record === undefined) return own.map((piece) => ({ piece, written: undefined }))
  const isElsewhere = (file: WrittenFile) =>
    others.some((known) => known.files.some((other) => isSharedWith(file, other)))
  return own.flatMap((piece) =>
    record.files
      .filter((file) => file.piece === piece.id && file.shape === 'entry' && !isElsewhere(file))
      .map((written) => ({ piece: { ...piece, path: written.path }, written })),
  )
}

export interface UninstallOptions {
  readonly scope: Scope
  /** What the manifest knows of it; looked up where it is absent. */
  readonly record?: Installation
}

export function planUninstall(setup: HarnessSetup, world: SetupWorld, options: UninstallOptions): ChangePlan {
  const { scope } = options
  const known = readManifest(world.home)
  const given = options.record ?? findInstallation(setup, world, scope)
  const isIt = (one: Installation) => given !== undefined && isSameInstallation(one, given)
  // As the manifest has it now: taking out another may have left it something to remember.
  const record = known.find(isIt) ?? given
  const pieces = piecesOf(setup, worldOf(world, record), { scope })
  const others = known.filter((one) => !isIt(one))
  const entries = entriesToRemove(pieces, record, others)
  const paths = [...new Set(entries.map(({ piece }) => piece.path))]
  const files = record?.files.filter((file) => file.shape === 'file') ?? []
  const lost = record === undefined ? pieces.filter((piece) => piece.shape === 'file') : []
  const planned = [
    ...paths.map((path) =>
      planEntries(
        path,
        entries.filter(({ piece }) => piece.path === path),
      ),
    ),
    ...files.map((file) => planDropped(file, others)),
    ...lost.flatMap((piece): readonly Planned[] => {
      const before = readSettingsFile(piece.path)
      return before.text === piece.content
        ? [{ changes: [{ before, after: undefined, removed: [] }], notices: [] }]
        : []
    }),
    planPort(record, others),
  ]
  return {
    harness: setup.id,
    scope,
    mainPath: record?.files[0]?.path ?? pieces[0]?.path ?? world.cwd,
    changes: planned.flatMap((plan) => plan.changes),
    notices: planned.flatMap((plan) => plan.notices),
    installation: undefined,
    previous: record,
  }
}
