import { createHash } from 'node:crypto'
import { VERSION } from '../platform/version.ts'
import { addPort, removePort } from './config-port.ts'
import { type Installation, readManifest, type WrittenFile, writeManifest } from './manifest.ts'
import {
  missingFolders,
  readSettingsFile,
  removeEmptyFolders,
  removeSettingsFile,
  replaceSettingsFile,
  type SettingsFile,
} from './settings-file.ts'
import type { SettingsEdit } from './settings-text.ts'
import type { HarnessSetup, HttpWiring, Scope, SetupWorld } from './setup.ts'

/** One file before and after; `after` is undefined where the file goes away. */
export interface FileChange {
  readonly role: WrittenFile['role']
  readonly before: SettingsFile
  readonly after: string | undefined
  /** What the manifest will say; absent when the file is being given back. */
  readonly written?: WrittenFile
}

/** What an install or uninstall would do. Nothing is written until it is applied. */
export interface ChangePlan {
  readonly harness: string
  readonly scope: Scope
  readonly settingsPath: string
  readonly changes: readonly FileChange[]
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

function recordOf(world: SetupWorld, harness: string, settingsPath: string): Installation | undefined {
  return readManifest(world.home).find(
    (known) => known.harness === harness && known.files.some((file) => file.path === settingsPath),
  )
}

function writtenFile(
  role: WrittenFile['role'],
  before: SettingsFile,
  base: string,
  edit: SettingsEdit,
  previous: WrittenFile | undefined,
): WrittenFile {
  return {
    path: before.path,
    role,
    isCreated: previous?.isCreated ?? before.text === undefined,
    createdFolders: [...(previous?.createdFolders ?? missingFolders(before.path))],
    insertions: [...edit.insertions],
    created: [...edit.created],
    hashBefore: hashOf(base),
    hashAfter: hashOf(edit.text),
  }
}

function isSameHooks(a: ReadonlyMap<string, readonly unknown[]>, b: ReadonlyMap<string, readonly unknown[]>): boolean {
  const flat = (hooks: ReadonlyMap<string, readonly unknown[]>) =>
    JSON.stringify([...hooks].sort(([x], [y]) => (x < y ? -1 : 1)))
  return flat(a) === flat(b)
}

export interface InstallOptions {
  readonly scope: Scope
  readonly http?: HttpWiring
  /** The port has to be written to our own configuration to stay the same. */
  readonly fixPort: boolean
}

/** Undefined `after` never occurs here; a file that needs no change is left out. */
export function planInstall(setup: HarnessSetup, world: SetupWorld, options: InstallOptions): ChangePlan {
  const file = readSettingsFile(setup.settingsPath(world, options.scope))
  const record = recordOf(world, setup.id, file.path)
  const previous = record?.files.find((written) => written.path === file.path)
  const current = file.text ?? ''
  const wanted = setup.find(setup.add('', world, options.http, file.path).text, file.path)
  const changes: FileChange[] = []
  if (!isSameHooks(setup.find(current, file.path), wanted) || previous === undefined) {
    const base = setup.remove(current, previous, file.path)
    const edit = setup.add(base, world, options.http, file.path)
    const written = writtenFile('settings', file, base, edit, previous)
    changes.push({ role: 'settings', before: file, after: edit.text, written })
  }
  if (options.http !== undefined && options.fixPort) {
    const config = readSettingsFile(world.home.configFile)
    const edit = addPort(config.text ?? '', options.http.port, config.path)
    const written = writtenFile('config', config, config.text ?? '', edit, undefined)
    changes.push({ role: 'config', before: config, after: edit.text, written })
  }
  return { harness: setup.id, scope: options.scope, settingsPath: file.path, changes }
}

/** The manifest goes first: should the machine stop in between, an uninstall still knows what may be there. */
export function applyInstall(plan: ChangePlan, world: SetupWorld): void {
  if (plan.changes.length === 0) return
  const before = readManifest(world.home)
  const own = recordOf(world, plan.harness, plan.settingsPath)
  const written = plan.changes.flatMap((change) => change.written ?? [])
  const kept = (own?.files ?? []).filter((file) => !written.some((fresh) => fresh.path === file.path))
  const installation: Installation = {
    harness: plan.harness,
    scope: plan.scope,
    version: VERSION,
    files: [...kept, ...written],
  }
  writeManifest(world.home, [...before.filter((known) => known !== own && !isSameRecord(known, own)), installation])
  try {
    for (const change of plan.changes) if (change.after !== undefined) replaceSettingsFile(change.before, change.after)
  } catch (thrown) {
    writeManifest(world.home, before)
    throw thrown
  }
}

function isSameRecord(a: Installation, b: Installation | undefined): boolean {
  return b !== undefined && JSON.stringify(a) === JSON.stringify(b)
}

/** Comments count as something added. */
function holdsNothing(text: string): boolean {
  const visible = text.replace(/^\uFEFF/, '').replace(/\s+/g, '')
  return visible === '' || visible === '{}'
}

function giveBack(file: SettingsFile, written: WrittenFile | undefined, without: string): FileChange[] {
  if (file.text === undefined || file.text === without) return []
  const role = written?.role ?? 'settings'
  const isOursAlone = written?.isCreated === true && holdsNothing(without)
  return [{ role, before: file, after: isOursAlone ? undefined : without }]
}

/** Without `path`, the file that this scope has here; the manifest may know of one elsewhere. */
export function planUninstall(setup: HarnessSetup, world: SetupWorld, scope: Scope, path?: string): ChangePlan {
  const file = readSettingsFile(path ?? setup.settingsPath(world, scope))
  const record = recordOf(world, setup.id, file.path)
  const written = record?.files.find((known) => known.path === file.path)
  const changes = file.text === undefined ? [] : giveBack(file, written, setup.remove(file.text, written, file.path))
  const config = record?.files.find((known) => known.role === 'config')
  const others = readManifest(world.home).filter((known) => !isSameRecord(known, record))
  if (config !== undefined && others.length === 0) {
    const current = readSettingsFile(config.path)
    if (current.text !== undefined) changes.push(...giveBack(current, config, removePort(current.text, config)))
  }
  return { harness: setup.id, scope, settingsPath: file.path, changes }
}

export function applyUninstall(plan: ChangePlan, world: SetupWorld): void {
  const manifest = readManifest(world.home)
  const record = recordOf(world, plan.harness, plan.settingsPath)
  for (const change of plan.changes) {
    if (change.after !== undefined) replaceSettingsFile(change.before, change.after)
    else removeSettingsFile(change.before.path)
    const folders = record?.files.find((file) => file.path === change.before.path)?.createdFolders ?? []
    if (change.after === undefined) removeEmptyFolders(folders)
  }
  if (record === undefined) return
  const rest = manifest.filter((known) => !isSameRecord(known, record))
  const config = record.files.filter((file) => file.role === 'config')
  // Another harness still calls the port that this install fixed: the record of it moves there.
  writeManifest(
    world.home,
    rest.map((known, index) => (index === 0 ? { ...known, files: [...known.files, ...config] } : known)),
  )
}

export interface UninstallProof {
  readonly path: string
  /** Exactly the bytes that were there before, or ours taken out around later edits. */
  readonly outcome: 'restored' | 'removed-around-edits' | 'gone'
}

/** What can be proven after an uninstall, file by file, against what the manifest said before it. Refuses when ours are still there. */
export function proveUninstalled(
  setup: HarnessSetup,
  plan: ChangePlan,
  record: Installation | undefined,
): readonly UninstallProof[] {
  return plan.changes.map(({ before, role }) => {
    const now = readSettingsFile(before.path)
    if (now.text === undefined) return { path: before.path, outcome: 'gone' }
    const left = role === 'settings' ? setup.find(now.text, before.path).size : 0
    if (left > 0) throw new Error(`${before.path} still holds entries of ours.`)
    const written = record?.files.find((file) => file.path === before.path)
    return {
      path: before.path,
      outcome: written?.hashBefore === hashOf(now.text) ? 'restored' : 'removed-around-edits',
    }
  })
}

export function findInstallation(world: SetupWorld, harness: string, settingsPath: string): Installation | undefined {
  return recordOf(world, harness, readSettingsFile(settingsPath).path)
}
