import { getErrorMessage } from '../kernel/errors.ts'
import { areEntriesAsWeLeftThem, isFileAsWeLeftIt } from './change-plan.ts'
import { isLeftOut, listEdits, restorePorts } from './installation.ts'
import type { Installation, WrittenFile } from './manifest.ts'
import { findRecordedNode } from './missing-programs.ts'
import { areSameEntries, type SettingsEdit, type EditKind } from './contract/settings-edit.ts'
import { readSettingsFile } from './edits/settings-file.ts'
import type { HarnessSetup, HttpWiring, Scope, SetupPorts } from './contract/setup.ts'

/** A setting that keeps all our hooks from running. */
export interface DisablingSetting {
  readonly path: string
  readonly setting: string
}

/** Searches every file that the harness reads. Unreadable files are skipped: they may be the administrator's. */
export function findDisablingSettings(setup: HarnessSetup, ports: SetupPorts): readonly DisablingSetting[] {
  return [...new Set(setup.settingsFiles(ports))].flatMap((path) => {
    try {
      const { text } = readSettingsFile(path)
      const setting = text === undefined ? undefined : setup.findDisablingSetting(text, path)
      return setting === undefined ? [] : [{ path, setting }]
    } catch {
      return []
    }
  })
}

/** A harness that ignores the whole file names no setting of it. */
const isSetting = ({ setting }: DisablingSetting) => /^[\w.]+$/.test(setting)

export function describeDisabling(setup: Pick<HarnessSetup, 'name'>, found: DisablingSetting): string {
  const { path, setting } = found
  return isSetting(found) ? `${path} has \`${setting}\`` : `${setup.name} ignores ${path} because of ${setting}`
}

export function describeRemedy(found: DisablingSetting): string {
  const { path, setting } = found
  if (!isSetting(found)) return 'Correct it, then run `holdfast doctor`.'
  return `Remove \`${setting}\` from ${path}; if it is not yours, ask the administrator of this machine.`
}

/**
 * `installed`: as this version writes it. `outdated`: as an earlier version wrote it. `altered`: changed
 * since, not by Holdfast. `missing`: was installed and no longer exists. `not-installed`: new in this version. `not-ours`: something of the
 * user's has its place. `left-out`: the user did not want it.
 */
export type EditState =
  | 'installed'
  | 'outdated'
  | 'altered'
  | 'missing'
  | 'not-installed'
  | 'not-ours'
  | 'left-out'
  | 'unreadable'

export interface EditReport {
  readonly id: string
  readonly kind: EditKind
  readonly path: string
  readonly state: EditState
  /** Entries that are missing while others exist. */
  readonly lacks?: readonly string[]
  /** Why a file cannot be read. */
  readonly detail?: string
}

function detectState(edit: SettingsEdit, written: WrittenFile | undefined, text: string | undefined): EditState {
  const absent = written === undefined ? 'not-installed' : 'missing'
  if (edit.shape === 'file') {
    if (text === undefined) return absent
    if (text === edit.content) return 'installed'
    if (written === undefined) return 'not-ours'
    return isFileAsWeLeftIt(text, written) ? 'outdated' : 'altered'
  }
  if (edit.findObstacle?.(text ?? '') !== undefined) return 'not-ours'
  const found = edit.find(text ?? '')
  if (found.size === 0) return absent
  if (areSameEntries(found, edit.find(edit.add('').text))) return 'installed'
  return written?.entriesHash === undefined || areEntriesAsWeLeftThem(found, written) ? 'outdated' : 'altered'
}

function listMissing(edit: SettingsEdit, text: string | undefined): readonly string[] {
  if (edit.shape === 'file') return []
  const found = edit.find(text ?? '')
  return found.size === 0 ? [] : [...edit.find(edit.add('').text).keys()].filter((name) => !found.has(name))
}

function inspectEdit(edit: SettingsEdit, record: Installation | undefined): EditReport {
  const written = record?.files.find((file) => file.piece === edit.id)
  const { id, kind } = edit
  const path = written?.path ?? edit.path
  try {
    const { text } = readSettingsFile(path)
    const state = detectState(edit, written, text)
    const isAbsent = state === 'not-installed' || (state === 'not-ours' && written === undefined)
    const isUnwanted = isAbsent && record !== undefined && isLeftOut(record, kind)
    const lacks = listMissing(edit, text)
    return { id, kind, path, state: isUnwanted ? 'left-out' : state, ...(lacks.length > 0 && { lacks }) }
  } catch (thrown) {
    return { id, kind, path, state: 'unreadable', detail: getErrorMessage(thrown) }
  }
}

/** HTTP hooks are compared as HTTP hooks where the user asked for them; where an older version chose them they are outdated. */
function findWiring(edits: readonly SettingsEdit[], record: Installation | undefined): HttpWiring | undefined {
  if (record?.http !== true) return undefined
  for (const edit of edits) {
    const path = record?.files.find((file) => file.piece === edit.id)?.path ?? edit.path
    try {
      const { text } = readSettingsFile(path)
      const http = text === undefined ? undefined : edit.reach?.findHttp(text)
      if (http !== undefined) return http
    } catch {
      // Reported with the edit itself.
      continue
    }
  }
  return undefined
}

/** Every edit that this version would make, and its state. */
export function inspect(
  setup: HarnessSetup,
  ports: SetupPorts,
  options: { readonly scope: Scope; readonly record?: Installation | undefined },
): readonly EditReport[] {
  const { scope, record } = options
  const nodePath = record === undefined ? undefined : findRecordedNode(record)
  const there = { ...restorePorts(ports, record), ...(nodePath !== undefined && { nodePath }) }
  const http = findWiring(listEdits(setup, there, { scope }), record)
  return listEdits(setup, there, { scope, ...(http === undefined ? {} : { http }) }).map((edit) =>
    inspectEdit(edit, record),
  )
}

/** Whether `holdfast init` would change something. */
export function needsInit(reports: readonly EditReport[]): boolean {
  return reports.some(({ state, kind }) => {
    if (state === 'altered') return kind === 'hooks' || kind === 'mcp' || kind === 'plugin'
    return state === 'not-installed' || state === 'outdated' || state === 'missing'
  })
}
