import { sep } from 'node:path'
import { type ChangePlan, type FileChange, hashOf, isSharedWith } from './change-plan.ts'
import { isSameInstallation } from './installation.ts'
import { withHarnessLock } from './harness-lock.ts'
import { type Installation, readManifest, type WrittenFile, writeManifest } from './manifest.ts'
import {
  readSettingsFile,
  removeEmptyFolders,
  removeSettingsFile,
  replaceSettingsFile,
  type SettingsFile,
} from './settings-file.ts'
import type { SetupWorld } from './setup.ts'

function write({ before, after, mode, lockPath }: FileChange): void {
  withHarnessLock(lockPath, () => {
    if (after === undefined) removeSettingsFile(before)
    else replaceSettingsFile(before, after, mode)
  })
}

/** Gives back what was written before something failed. */
function undo(change: FileChange, folders: readonly string[]): void {
  const { before, after } = change
  const now: SettingsFile = { ...before, ...(after === undefined ? {} : { text: after }) }
  if (before.text !== undefined) {
    replaceSettingsFile(after === undefined ? { path: before.path } : now, before.text, before.mode)
    return
  }
  removeSettingsFile(now)
  removeEmptyFolders(folders)
}

function isSame(a: Installation, b: Installation | undefined): boolean {
  return b !== undefined && JSON.stringify(a) === JSON.stringify(b)
}

/** What another harness has together with this one is what this one wrote last. */
function refreshed(file: WrittenFile, fresh: readonly WrittenFile[]): WrittenFile {
  const same = fresh.find((known) => isSharedWith(known, file))
  return same === undefined ? file : { ...same, piece: file.piece }
}

/** The manifest goes first: should the machine stop in between, an uninstall still knows what may be there. */
export function applyInstall(plan: ChangePlan, world: SetupWorld): void {
  const { installation, previous } = plan
  if (installation === undefined || (plan.changes.length === 0 && isSame(installation, previous))) return
  const before = readManifest(world.home)
  const others = before
    .filter((known) => !isSame(known, previous))
    .map((known) => ({ ...known, files: known.files.map((file) => refreshed(file, installation.files)) }))
  writeManifest(world.home, [...others, installation])
  const done: FileChange[] = []
  try {
    for (const change of plan.changes) {
      write(change)
      done.push(change)
    }
    removeEmptyFolders(foldersOf(plan))
  } catch (thrown) {
    const folders = installation.files.flatMap((file) => file.createdFolders)
    for (const change of done.toReversed()) undo(change, innermostLast(folders))
    writeManifest(world.home, before)
    throw thrown
  }
}

function innermostLast(folders: readonly string[]): readonly string[] {
  return [...new Set(folders)].sort((a, b) => a.length - b.length)
}

/** Folders that we made, for files that go away. */
function foldersOf({ changes, previous }: ChangePlan): readonly string[] {
  if (!changes.some((change) => change.after === undefined)) return []
  return innermostLast(previous?.files.flatMap((file) => file.createdFolders) ?? [])
}

/** What goes away may have made the file or the folders that another installation is in: whoever goes last removes them. */
function inheriting(file: WrittenFile, gone: readonly WrittenFile[]): WrittenFile {
  const before = gone.filter(({ path }) => path === file.path)
  const folders = gone.flatMap(({ createdFolders }) => createdFolders)
  return {
    ...file,
    isCreated: file.isCreated || before.some(({ isCreated }) => isCreated),
    createdFolders: [
      ...innermostLast([...file.createdFolders, ...folders.filter((folder) => file.path.startsWith(folder + sep))]),
    ],
    created: [...new Set([...file.created, ...before.flatMap(({ created }) => created)])],
    hashBefore: before.find(({ hashAfter }) => hashAfter === file.hashBefore)?.hashBefore ?? file.hashBefore,
  }
}

export function applyUninstall(plan: ChangePlan, world: SetupWorld): void {
  for (const change of plan.changes) write(change)
  removeEmptyFolders(foldersOf(plan))
  const { previous } = plan
  if (previous === undefined) return
  const rest = readManifest(world.home)
    .filter((known) => !isSameInstallation(known, previous))
    .map((known) => ({ ...known, files: known.files.map((file) => inheriting(file, previous.files)) }))
  const port = previous.files.filter((file) => file.role === 'config')
  const isGone = plan.changes.some(({ before }) => port.some((file) => file.path === before.path))
  // Another harness still calls the port that this install fixed: the record of it moves there.
  writeManifest(
    world.home,
    rest.map((known, index) => (index === 0 && !isGone ? { ...known, files: [...known.files, ...port] } : known)),
  )
}

export interface UninstallProof {
  readonly path: string
  /** Exactly the bytes that were there before; ours taken out around later edits, or out of what nobody knows of any more; not there. */
  readonly outcome: 'restored' | 'removed-around-edits' | 'removed-by-shape' | 'gone'
}

/** What can be proven after an uninstall, file by file, against what the manifest said before it. Refuses when ours are still there. */
export function proveUninstalled({ changes, previous }: ChangePlan): readonly UninstallProof[] {
  return changes.map(({ before, removed }) => {
    const { text } = readSettingsFile(before.path)
    if (text === undefined) return { path: before.path, outcome: 'gone' }
    if (removed.some((piece) => piece.find(text).size > 0))
      throw new Error(`${before.path} still holds entries of ours.`)
    if (previous === undefined) return { path: before.path, outcome: 'removed-by-shape' }
    const isRestored = previous.files.some((file) => file.path === before.path && file.hashBefore === hashOf(text))
    return { path: before.path, outcome: isRestored ? 'restored' : 'removed-around-edits' }
  })
}
