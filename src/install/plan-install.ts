import { sep } from 'node:path'
import { HoldfastError } from '../kernel/errors.ts'
import { addPort } from './edits/config-port.ts'
import {
  areEntriesAsWeLeftThem,
  type ChangePlan,
  entriesHash,
  type FileChange,
  hashOf,
  holdsNothing,
  isFileAsWeLeftIt,
  isSharedWith,
  type Notice,
} from './change-plan.ts'
import { findInstallation, isSameRecord, piecesOf } from './installation.ts'
import { type Installation, readManifest, type WrittenFile } from './manifest.ts'
import { type EntryPiece, type FilePiece, isSameEntries, type Piece, type PieceKind } from './contract/settings-edit.ts'
import { planDropped } from './plan-uninstall.ts'
import { missingFolders, readSettingsFile, realPathOf, type SettingsFile } from './edits/settings-file.ts'
import type { HarnessSetup, HttpWiring, Scope, SetupWorld } from './contract/setup.ts'
import { VERSION } from '../platform/base/version.ts'

/** What a user may do without; the rest is the connection itself. */
const OPTIONAL_KINDS = ['mcp', 'skills', 'commands', 'snippet'] as const satisfies readonly PieceKind[]
type OptionalKind = (typeof OPTIONAL_KINDS)[number]

export interface InstallOptions {
  readonly scope: Scope
  readonly http?: HttpWiring
  /** The port has to be written to our own configuration to stay the same. */
  readonly fixPort: boolean
  /** Whether to have each; what is not said is as it was at the last install, or wanted. */
  readonly wants?: Readonly<Partial<Record<OptionalKind, boolean>>>
}

interface Planned {
  readonly changes: readonly FileChange[]
  readonly notices: readonly Notice[]
  readonly records: readonly WrittenFile[]
}

function recordOf(piece: Piece, file: SettingsFile, previous: WrittenFile | undefined) {
  return {
    path: piece.path,
    role: piece.kind,
    piece: piece.id,
    shape: piece.shape,
    // Also where it had been there when we first came, and somebody deleted it since.
    isCreated: file.text === undefined || previous?.isCreated === true,
    createdFolders: [...new Set([...(previous?.createdFolders ?? []), ...missingFolders(piece.path)])],
  }
}

/** Absent where nothing of ours was there, or the same as is to be. */
function replacing(before: string | undefined, after: string): Pick<WrittenFile, 'replaced'> {
  return before === undefined || before === after ? {} : { replaced: before }
}

function planFilePiece(piece: FilePiece, previous: WrittenFile | undefined): Planned {
  const file = readSettingsFile(piece.path)
  const written: WrittenFile = {
    ...recordOf(piece, file, previous),
    // One that is there word for word is ours whoever forgot about it.
    isCreated: true,
    insertions: [{ offset: 0, text: piece.content }],
    created: [],
    hashBefore: hashOf(''),
    hashAfter: hashOf(piece.content),
  }
  if (file.text === piece.content) return { changes: [], notices: [], records: [written] }
  if (file.text !== undefined && !isFileAsWeLeftIt(file.text, previous)) {
    const why = previous === undefined ? 'was there before and is not ours' : 'was changed since we wrote it'
    const notice = { kind: piece.kind, path: piece.path, why: `${why}, so it stays as it is` }
    return { changes: [], notices: [notice], records: previous === undefined ? [] : [previous] }
  }
  const mode = piece.mode === undefined ? {} : { mode: piece.mode }
  const before = file.text === undefined ? undefined : hashOf(file.text)
  return {
    changes: [{ before: file, after: piece.content, removed: [], ...mode }],
    notices: [],
    records: [{ ...written, ...replacing(before, written.hashAfter) }],
  }
}

/** Why a piece cannot be put into this text; undefined when it can. */
function obstacleTo(piece: EntryPiece, text: string, previous: WrittenFile | undefined): string | undefined {
  const obstacle = piece.findObstacle?.(text)
  if (obstacle !== undefined) return `${obstacle}, so ours is not put there`
  if (piece.keepsEdits !== true) return undefined
  const found = piece.find(text)
  const isOurs = found.size === 0 || areEntriesAsWeLeftThem(found, previous) || isSameEntries(found, wantedOf(piece))
  return isOurs ? undefined : 'holds our block with changes of yours, so it stays as it is'
}

function wantedOf(piece: EntryPiece) {
  return piece.find(piece.add('').text)
}

interface KnownEntry {
  readonly piece: EntryPiece
  readonly previous: WrittenFile | undefined
}

function planEntries(path: string, entries: readonly KnownEntry[], dropped: readonly KnownEntry[]): Planned {
  const file = readSettingsFile(path)
  const current = file.text ?? ''
  const notices: Notice[] = []
  const kept: WrittenFile[] = []
  const active = entries.filter(({ piece, previous }) => {
    const why = obstacleTo(piece, current, previous)
    if (why === undefined) return true
    notices.push({ kind: piece.kind, path, why })
    if (previous !== undefined && piece.find(current).size > 0) kept.push(previous)
    return false
  })
  const isCurrent = active.every(
    ({ piece, previous }) => previous !== undefined && isSameEntries(piece.find(current), wantedOf(piece)),
  )
  if (isCurrent && dropped.length === 0) {
    const records = active.flatMap(({ piece, previous }) => (previous ? [{ ...previous, piece: piece.id }] : []))
    return { changes: [], notices, records: [...kept, ...records] }
  }
  // In the opposite order of writing, so that each finds the text as it left it.
  const base = [...active, ...dropped].reduceRight((text, { piece, previous }) => piece.remove(text, previous), current)
  let text = base
  const records = active.map(({ piece, previous }): WrittenFile => {
    const edit = piece.add(text)
    text = edit.text
    const found = piece.find(current)
    const hash = entriesHash(piece.find(edit.text))
    return {
      ...recordOf(piece, file, previous),
      insertions: [...edit.insertions],
      created: [...edit.created],
      hashBefore: hashOf(base),
      hashAfter: hashOf(edit.text),
      entriesHash: hash,
      ...replacing(found.size === 0 ? undefined : entriesHash(found), hash),
    }
  })
  const lockPath = [...active, ...dropped].find(({ piece }) => piece.lockPath !== undefined)?.piece.lockPath
  const isCreated = dropped.some(({ previous }) => previous?.isCreated === true)
  const change: FileChange = {
    before: file,
    after: isCreated && holdsNothing(text) ? undefined : text,
    removed: dropped.map(({ piece }) => piece),
    ...(lockPath === undefined ? {} : { lockPath }),
  }
  return { changes: text === file.text ? [] : [change], notices, records: [...kept, ...records] }
}

function planPort(world: SetupWorld, { http, fixPort }: InstallOptions, previous: Installation | undefined): Planned {
  const known = previous?.files.filter((file) => file.role === 'config') ?? []
  if (http === undefined || !fixPort) return { changes: [], notices: [], records: known }
  const config = readSettingsFile(world.home.configFile)
  const edit = addPort(config.text ?? '', http.port, config.path)
  const written: WrittenFile = {
    path: config.path,
    role: 'config',
    piece: 'config',
    shape: 'entry',
    isCreated: config.text === undefined,
    createdFolders: [...missingFolders(config.path)],
    insertions: [...edit.insertions],
    created: [...edit.created],
    hashBefore: hashOf(config.text ?? ''),
    hashAfter: hashOf(edit.text),
  }
  return { changes: [{ before: config, after: edit.text, removed: [] }], notices: [], records: [written] }
}

function leftOutBy(wants: InstallOptions['wants'], previous: Installation | undefined): readonly OptionalKind[] {
  return OPTIONAL_KINDS.filter((kind) => !(wants?.[kind] ?? !(previous?.leftOut.includes(kind) ?? false)))
}

/** What a repository holds comes from whoever wrote it: a link in it may lead to anything of the user's. */
function refuseLeadingOut(setup: HarnessSetup, world: SetupWorld, scope: Scope): void {
  if (scope === 'user') return
  const root = realPathOf(world.cwd)
  for (const { path } of setup.pieces(world, scope, undefined)) {
    const real = realPathOf(path)
    if (!isInside(path, world.cwd) || isInside(real, root)) continue
    throw new HoldfastError('forbidden', `${path} leads out of the project by a link, to ${real}.`, {
      hint: 'Put a file of the project in its place, or connect with `--scope user`.',
    })
  }
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** A file that needs no change is left out; what must stay as it is comes as a notice. */
export function planInstall(setup: HarnessSetup, world: SetupWorld, options: InstallOptions): ChangePlan {
  const { scope } = options
  refuseLeadingOut(setup, world, scope)
  const all = piecesOf(setup, world, options)
  const previous = findInstallation(setup, world, scope)
  const leftOut: readonly PieceKind[] = leftOutBy(options.wants, previous)
  const pieces = all.filter(({ kind }) => !leftOut.includes(kind))
  const others = readManifest(world.home).filter((known) => !isSameRecord(known, previous))
  const knownOf = (piece: Piece) => {
    const file = { path: piece.path, role: piece.kind, shape: piece.shape }
    return (
      previous?.files.find((known) => known.piece === piece.id && known.path === piece.path) ??
      others.flatMap((known) => known.files).find((known) => isSharedWith(file, known))
    )
  }
  const entries = pieces.flatMap((piece) => (piece.shape === 'entry' ? [{ piece, previous: knownOf(piece) }] : []))
  const isWanted = (file: WrittenFile) => pieces.some(({ id, path }) => id === file.piece && path === file.path)
  const dropped = (previous?.files ?? []).filter((file) => file.role !== 'config' && !isWanted(file))
  const droppedEntries = all.flatMap((piece) =>
    piece.shape === 'entry'
      ? dropped
          .filter((file) => file.piece === piece.id && file.path === piece.path)
          .map((file) => ({ piece, previous: file }))
      : [],
  )
  const paths = [...new Set([...entries, ...droppedEntries].map(({ piece }) => piece.path))]
  const planned = [
    ...paths.map((path) =>
      planEntries(
        path,
        entries.filter(({ piece }) => piece.path === path),
        droppedEntries.filter(({ piece }) => piece.path === path),
      ),
    ),
    ...pieces.flatMap((piece) => (piece.shape === 'file' ? [planFilePiece(piece, knownOf(piece))] : [])),
    ...dropped.flatMap((file) => (file.shape === 'file' ? [{ ...planDropped(file, others), records: [] }] : [])),
    planPort(world, options, previous),
  ]
  const records = planned.flatMap((plan) => plan.records)
  return {
    harness: setup.id,
    scope,
    mainPath: pieces[0]?.path ?? world.cwd,
    changes: planned.flatMap((plan) => plan.changes),
    notices: planned.flatMap((plan) => plan.notices),
    installation: {
      harness: setup.id,
      scope,
      version: VERSION,
      ...(scope === 'user' ? {} : { cwd: world.cwd }),
      leftOut: [...leftOut],
      ...(options.http === undefined ? {} : { http: true }),
      files: records,
      ...(world.page === undefined ? {} : { page: world.page }),
    },
    previous,
  }
}
