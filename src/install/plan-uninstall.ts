import { HoldfastError } from '../kernel/errors.ts'
import {
  areEntriesAsWeLeftThem,
  type ChangePlan,
  type SettingsFileChange,
  holdsNothing,
  isFileAsWeLeftIt,
  isSharedWith,
  type Notice,
} from './change-plan.ts'
import { removePort } from './edits/config-port.ts'
import { findInstallation, isSameInstallation, listEdits, restorePorts } from './installation.ts'
import { type Installation, readManifest, type WrittenFile } from './manifest.ts'
import { type EntryEdit, areSameEntries, type SettingsEdit } from './contract/settings-edit.ts'
import { readSettingsFile, type SettingsFile } from './edits/settings-file.ts'
import type { HarnessSetup, Scope, SetupPorts } from './contract/setup.ts'

interface UninstallChanges {
  readonly changes: readonly SettingsFileChange[]
  readonly notices: readonly Notice[]
}

const NOTHING: UninstallChanges = { changes: [], notices: [] }

/** A whole file of ours that is no longer wanted. */
export function planDropped(file: WrittenFile, others: readonly Installation[]): UninstallChanges {
  if (others.some((known) => known.files.some((other) => isSharedWith(file, other)))) return NOTHING
  const before = readSettingsFile(file.path)
  if (before.text === undefined) return NOTHING
  if (isFileAsWeLeftIt(before.text, file)) return { changes: [{ before, after: undefined, removed: [] }], notices: [] }
  if (file.role === 'config') return NOTHING
  return {
    changes: [],
    notices: [{ kind: file.role, path: file.path, why: 'was changed since Holdfast wrote it, so it stays' }],
  }
}

interface UninstallEntry {
  readonly edit: EntryEdit
  readonly written: WrittenFile | undefined
}

function isAltered({ edit, written }: UninstallEntry, text: string): boolean {
  if (edit.keepsEdits !== true) return false
  const found = edit.find(text)
  if (found.size === 0 || areEntriesAsWeLeftThem(found, written)) return false
  return !areSameEntries(found, edit.find(edit.add('').text))
}

function planEntries(path: string, entries: readonly UninstallEntry[]): UninstallChanges {
  const before = readSettingsFile(path)
  const { text } = before
  if (text === undefined) return NOTHING
  const altered = entries.filter((entry) => isAltered(entry, text))
  const notices = altered.map(({ edit }) => ({
    kind: edit.kind,
    path,
    why: 'contains the Holdfast block with your changes, so it stays: delete it by hand',
  }))
  const ours = entries.filter((entry) => !altered.includes(entry))
  const without = ours.reduceRight((rest, { edit, written }) => edit.remove(rest, written), text)
  if (without === text) return { changes: [], notices }
  const isCreated = entries.some(({ written }) => written?.isCreated === true)
  const lockPath = ours.find(({ edit }) => edit.lockPath !== undefined)?.edit.lockPath
  const change: SettingsFileChange = {
    before,
    after: isCreated && holdsNothing(without) ? undefined : without,
    removed: ours.map(({ edit }) => edit),
    ...(lockPath === undefined ? {} : { lockPath }),
  }
  return { changes: [change], notices }
}

function planPort(record: Installation | undefined, others: readonly Installation[]): UninstallChanges {
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

/** Undefined when it cannot be read: that must not keep us from restoring other files. */
function readOwnConfig(path: string): SettingsFile | undefined {
  try {
    return readSettingsFile(path)
  } catch (thrown) {
    if (thrown instanceof HoldfastError) return undefined
    throw thrown
  }
}

/** By the manifest's record; without one, by what is found. */
function entriesToRemove(
  edits: readonly SettingsEdit[],
  record: Installation | undefined,
  others: readonly Installation[],
): readonly UninstallEntry[] {
  const own = edits.filter((edit) => edit.shape === 'entry')
  if (record === undefined) return own.map((edit) => ({ edit, written: undefined }))
  const isElsewhere = (file: WrittenFile) =>
    others.some((known) => known.files.some((other) => isSharedWith(file, other)))
  return own.flatMap((edit) =>
    record.files
      .filter((file) => file.piece === edit.id && file.shape === 'entry' && !isElsewhere(file))
      .map((written) => ({ edit: { ...edit, path: written.path }, written })),
  )
}

export interface UninstallOptions {
  readonly scope: Scope
  /** The manifest's record; looked up where absent. */
  readonly record?: Installation
}

export function planUninstall(setup: HarnessSetup, ports: SetupPorts, options: UninstallOptions): ChangePlan {
  const { scope } = options
  const known = readManifest(ports.home)
  const given = options.record ?? findInstallation(setup, ports, scope)
  const isIt = (one: Installation) => given !== undefined && isSameInstallation(one, given)
  // The current record: removing another installation may have changed it.
  const record = known.find(isIt) ?? given
  const edits = listEdits(setup, restorePorts(ports, record), { scope })
  const others = known.filter((one) => !isIt(one))
  const entries = entriesToRemove(edits, record, others)
  const paths = [...new Set(entries.map(({ edit }) => edit.path))]
  const files = record?.files.filter((file) => file.shape === 'file') ?? []
  const lost = record === undefined ? edits.filter((edit) => edit.shape === 'file') : []
  const planned = [
    ...paths.map((path) =>
      planEntries(
        path,
        entries.filter(({ edit }) => edit.path === path),
      ),
    ),
    ...files.map((file) => planDropped(file, others)),
    ...lost.flatMap((edit): readonly UninstallChanges[] => {
      const before = readSettingsFile(edit.path)
      return before.text === edit.content ? [{ changes: [{ before, after: undefined, removed: [] }], notices: [] }] : []
    }),
    planPort(record, others),
  ]
  return {
    harness: setup.id,
    scope,
    mainPath: record?.files[0]?.path ?? edits[0]?.path ?? ports.cwd,
    changes: planned.flatMap((plan) => plan.changes),
    notices: planned.flatMap((plan) => plan.notices),
    installation: undefined,
    previous: record,
  }
}
