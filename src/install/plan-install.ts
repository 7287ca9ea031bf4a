import { sep } from 'node:path'
import { HoldfastError } from '../kernel/errors.ts'
import { addPort } from './edits/config-port.ts'
import {
  areEntriesAsWeLeftThem,
  type ChangePlan,
  hashEntries,
  type SettingsFileChange,
  holdsNothing,
  isFileAsWeLeftIt,
  isSharedWith,
  type Notice,
} from './change-plan.ts'
import { findInstallation, isLeftOut, isSameRecord, listEdits } from './installation.ts'
import { type Installation, readManifest, type WrittenFile } from './manifest.ts'
import {
  type EntryEdit,
  type FileEdit,
  areSameEntries,
  type SettingsEdit,
  type EditKind,
} from './contract/settings-edit.ts'
import { planDropped } from './plan-uninstall.ts'
import { missingFolders, readSettingsFile, resolveRealPath, type SettingsFile } from './edits/settings-file.ts'
import type { HarnessSetup, HttpWiring, Scope, SetupPorts } from './contract/setup.ts'
import { VERSION } from '../platform/base/version.ts'
import { sha256 } from '../platform/base/crypto.ts'

/** The kinds that are installed unless the user leaves them out. */
const USUAL_KINDS: readonly EditKind[] = ['hooks', 'plugin', 'mcp']
const OPTIONAL_KINDS = [
  'hooks',
  'plugin',
  'mcp',
  'skills',
  'commands',
  'snippet',
  'bootstrap',
] as const satisfies readonly EditKind[]
type OptionalKind = (typeof OPTIONAL_KINDS)[number]

export interface InstallOptions {
  readonly scope: Scope
  readonly http?: HttpWiring
  /** The port must be written to our own configuration to stay the same. */
  readonly fixPort: boolean
  /** Whether to install each kind. Where absent: as at the last install, and at the first the usual ones. */
  readonly wants?: Readonly<Partial<Record<OptionalKind, boolean>>>
}

interface InstallChanges {
  readonly changes: readonly SettingsFileChange[]
  readonly notices: readonly Notice[]
  readonly records: readonly WrittenFile[]
}

function createRecord(edit: SettingsEdit, file: SettingsFile, previous: WrittenFile | undefined) {
  return {
    path: edit.path,
    role: edit.kind,
    piece: edit.id,
    shape: edit.shape,
    // Also where it existed when we first came, and was deleted since.
    isCreated: file.text === undefined || previous?.isCreated === true,
    createdFolders: [...new Set([...(previous?.createdFolders ?? []), ...missingFolders(edit.path)])],
  }
}

/** Absent where nothing of ours was there, or the same. */
function recordReplaced(before: string | undefined, after: string): Pick<WrittenFile, 'replaced'> {
  return before === undefined || before === after ? {} : { replaced: before }
}

function planFile(edit: FileEdit, previous: WrittenFile | undefined): InstallChanges {
  const file = readSettingsFile(edit.path)
  const written: WrittenFile = {
    ...createRecord(edit, file, previous),
    // A file with the same content is ours even without a record.
    isCreated: true,
    insertions: [{ offset: 0, text: edit.content }],
    created: [],
    hashBefore: sha256(''),
    hashAfter: sha256(edit.content),
  }
  if (file.text === edit.content) return { changes: [], notices: [], records: [written] }
  if (file.text !== undefined && !isFileAsWeLeftIt(file.text, previous)) {
    const why = previous === undefined ? 'was there before Holdfast' : 'was changed since Holdfast wrote it'
    const notice = { kind: edit.kind, path: edit.path, why: `${why}, so it stays as it is` }
    return { changes: [], notices: [notice], records: previous === undefined ? [] : [previous] }
  }
  const mode = edit.mode === undefined ? {} : { mode: edit.mode }
  const before = file.text === undefined ? undefined : sha256(file.text)
  return {
    changes: [{ before: file, after: edit.content, removed: [], ...mode }],
    notices: [],
    records: [{ ...written, ...recordReplaced(before, written.hashAfter) }],
  }
}

/** Why an edit cannot be made in this text; undefined when it can. */
function findObstacle(edit: EntryEdit, text: string, previous: WrittenFile | undefined): string | undefined {
  const obstacle = edit.findObstacle?.(text)
  if (obstacle !== undefined) return `${obstacle}, so that of Holdfast was not added`
  if (edit.keepsEdits !== true) return undefined
  const found = edit.find(text)
  const isOurs = found.size === 0 || areEntriesAsWeLeftThem(found, previous) || areSameEntries(found, findWanted(edit))
  return isOurs ? undefined : 'contains the Holdfast block with your changes, so it stays as it is'
}

function findWanted(edit: EntryEdit) {
  return edit.find(edit.add('').text)
}

interface InstallEntry {
  readonly edit: EntryEdit
  readonly previous: WrittenFile | undefined
}

function planEntries(path: string, entries: readonly InstallEntry[], dropped: readonly InstallEntry[]): InstallChanges {
  const file = readSettingsFile(path)
  const current = file.text ?? ''
  const notices: Notice[] = []
  const unchanged: WrittenFile[] = []
  const active = entries.filter(({ edit, previous }) => {
    const why = findObstacle(edit, current, previous)
    if (why === undefined) return true
    notices.push({ kind: edit.kind, path, why })
    if (previous !== undefined && edit.find(current).size > 0) unchanged.push(previous)
    return false
  })
  const isCurrent = active.every(
    ({ edit, previous }) => previous !== undefined && areSameEntries(edit.find(current), findWanted(edit)),
  )
  if (isCurrent && dropped.length === 0) {
    const records = active.flatMap(({ edit, previous }) => (previous ? [{ ...previous, piece: edit.id }] : []))
    return { changes: [], notices, records: [...unchanged, ...records] }
  }
  // In the reverse order of writing, so that each finds the text as it left it.
  const base = [...active, ...dropped].reduceRight((text, { edit, previous }) => edit.remove(text, previous), current)
  let text = base
  const records = active.map(({ edit, previous }): WrittenFile => {
    const textEdit = edit.add(text)
    text = textEdit.text
    const found = edit.find(current)
    const hash = hashEntries(edit.find(textEdit.text))
    return {
      ...createRecord(edit, file, previous),
      insertions: [...textEdit.insertions],
      created: [...textEdit.created],
      hashBefore: sha256(base),
      hashAfter: sha256(textEdit.text),
      entriesHash: hash,
      ...recordReplaced(found.size === 0 ? undefined : hashEntries(found), hash),
    }
  })
  const lockPath = [...active, ...dropped].find(({ edit }) => edit.lockPath !== undefined)?.edit.lockPath
  const isCreated = dropped.some(({ previous }) => previous?.isCreated === true)
  const change: SettingsFileChange = {
    before: file,
    after: isCreated && holdsNothing(text) ? undefined : text,
    removed: dropped.map(({ edit }) => edit),
    ...(lockPath === undefined ? {} : { lockPath }),
  }
  return { changes: text === file.text ? [] : [change], notices, records: [...unchanged, ...records] }
}

function planPort(
  ports: SetupPorts,
  { http, fixPort }: InstallOptions,
  previous: Installation | undefined,
): InstallChanges {
  const known = previous?.files.filter((file) => file.role === 'config') ?? []
  if (http === undefined || !fixPort) return { changes: [], notices: [], records: known }
  const config = readSettingsFile(ports.home.configFile)
  const textEdit = addPort(config.text ?? '', http.port, config.path)
  const written: WrittenFile = {
    path: config.path,
    role: 'config',
    piece: 'config',
    shape: 'entry',
    isCreated: config.text === undefined,
    createdFolders: [...missingFolders(config.path)],
    insertions: [...textEdit.insertions],
    created: [...textEdit.created],
    hashBefore: sha256(config.text ?? ''),
    hashAfter: sha256(textEdit.text),
  }
  return { changes: [{ before: config, after: textEdit.text, removed: [] }], notices: [], records: [written] }
}

function listLeftOut(wants: InstallOptions['wants'], previous: Installation | undefined): readonly OptionalKind[] {
  const isDefault = (kind: OptionalKind) =>
    previous === undefined ? USUAL_KINDS.includes(kind) : !isLeftOut(previous, kind)
  return OPTIONAL_KINDS.filter((kind) => !(wants?.[kind] ?? isDefault(kind)))
}

/** A link in a repository may lead to any file of the user. */
function refuseOutsideLinks(setup: HarnessSetup, ports: SetupPorts, scope: Scope): void {
  if (scope === 'user') return
  const root = resolveRealPath(ports.cwd)
  for (const { path } of setup.edits(ports, scope, undefined)) {
    const real = resolveRealPath(path)
    if (!isInside(path, ports.cwd) || isInside(real, root)) continue
    throw new HoldfastError('forbidden', `${path} leads out of the project through a link, to ${real}.`, {
      hint: 'Put a file of the project in its place, or connect with `--scope user`.',
    })
  }
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Files that need no change are left out; what must stay unchanged becomes a notice. */
export function planInstall(setup: HarnessSetup, ports: SetupPorts, options: InstallOptions): ChangePlan {
  const { scope } = options
  refuseOutsideLinks(setup, ports, scope)
  const all = listEdits(setup, ports, options)
  const previous = findInstallation(setup, ports, scope)
  const leftOut: readonly EditKind[] = listLeftOut(options.wants, previous)
  const edits = all.filter(({ kind }) => !leftOut.includes(kind))
  const others = readManifest(ports.home).filter((known) => !isSameRecord(known, previous))
  const findRecord = (edit: SettingsEdit) => {
    const file = { path: edit.path, role: edit.kind, shape: edit.shape }
    return (
      previous?.files.find((known) => known.piece === edit.id && known.path === edit.path) ??
      others.flatMap((known) => known.files).find((known) => isSharedWith(file, known))
    )
  }
  const entries = edits.flatMap((edit) => (edit.shape === 'entry' ? [{ edit, previous: findRecord(edit) }] : []))
  const isWanted = (file: WrittenFile) => edits.some(({ id, path }) => id === file.piece && path === file.path)
  const dropped = (previous?.files ?? []).filter((file) => file.role !== 'config' && !isWanted(file))
  const droppedEntries = all.flatMap((edit) =>
    edit.shape === 'entry'
      ? dropped
          .filter((file) => file.piece === edit.id && file.path === edit.path)
          .map((file) => ({ edit, previous: file }))
      : [],
  )
  const paths = [...new Set([...entries, ...droppedEntries].map(({ edit }) => edit.path))]
  const planned = [
    ...paths.map((path) =>
      planEntries(
        path,
        entries.filter(({ edit }) => edit.path === path),
        droppedEntries.filter(({ edit }) => edit.path === path),
      ),
    ),
    ...edits.flatMap((edit) => (edit.shape === 'file' ? [planFile(edit, findRecord(edit))] : [])),
    ...dropped.flatMap((file) => (file.shape === 'file' ? [{ ...planDropped(file, others), records: [] }] : [])),
    planPort(ports, options, previous),
  ]
  const records = planned.flatMap((plan) => plan.records)
  return {
    harness: setup.id,
    scope,
    mainPath: edits[0]?.path ?? ports.cwd,
    changes: planned.flatMap((plan) => plan.changes),
    notices: planned.flatMap((plan) => plan.notices),
    installation: {
      harness: setup.id,
      scope,
      version: VERSION,
      ...(scope === 'user' ? {} : { cwd: ports.cwd }),
      leftOut: [...leftOut],
      ...(leftOut.includes('bootstrap') ? {} : { asked: ['bootstrap'] }),
      ...(options.http === undefined ? {} : { http: true }),
      files: records,
      ...(ports.descriptor === undefined ? {} : { page: ports.descriptor }),
    },
    previous,
  }
}
