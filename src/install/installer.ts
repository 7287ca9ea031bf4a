import { sep, dirname } from 'node:path'
import { type ChangePlan, type FileChange, hashOf, isSharedWith } from './change-plan.ts'
import { withHarnessLock } from './harness-lock.ts'
import { isSameInstallation, isSameRecord } from './installation.ts'
import { type Installation, readManifest, type WrittenFile, writeManifest } from './manifest.ts'
import {
  readSettingsFile,
  removeEmptyFolders,
  removeSettingsFile,
  replaceSettingsFile,
  type SettingsFile,
} from './edits/settings-file.ts'
import type { SetupWorld } from './contract/setup.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { ensurePrivateDir } from '../platform/files/atomic-file.ts'
import { sleepSync } from '../platform/base/clock.ts'
import type { Home } from '../platform/base/home.ts'
import { takeProcessLock } from '../platform/process/process-lock.ts'
import { systemProcesses } from '../platform/process/processes.ts'

const WAIT_MS = 50
const PATIENCE_MS = 10_000

/** Does it while no other process changes the manifest: what one adds must not be lost in what another writes. */
export function withManifestLock(
  home: Pick<Home, 'manifestFile' | 'root'>,
  work: () => void,
  patienceMs = PATIENCE_MS,
): void {
  ensurePrivateDir(dirname(home.manifestFile), home.root)
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += WAIT_MS) {
    using lock = takeProcessLock(`${home.manifestFile}.lock`, { pid: process.pid, processes: systemProcesses })
    if (lock !== undefined) return work()
    sleepSync(WAIT_MS)
  }
  throw new HoldfastError('conflict', 'Another `holdfast init` or `holdfast uninstall` is at work.', {
    hint: 'Run the command again once it has ended.',
  })
}

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

/** What another harness has together with this one is what this one wrote last. */
function refreshed(file: WrittenFile, fresh: readonly WrittenFile[]): WrittenFile {
  const same = fresh.find((known) => isSharedWith(known, file))
  return same === undefined ? file : { ...same, piece: file.piece }
}

/** One durable write, and the way back. */
interface Step {
  run(): void
  undo(): void
}

function stepOf(change: FileChange, folders: readonly string[]): Step {
  return { run: () => write(change), undo: () => undo(change, folders) }
}

const irrevocable = (run: () => void): Step => ({ run, undo: () => undefined })

/**
 * What an install writes, one after the other. The manifest goes first, and forgets what is taken out only at the end: should
 * the machine stop between any two, an uninstall still knows what may be there. Empty where everything is as it should be.
 */
export function installSteps(plan: ChangePlan, world: SetupWorld): readonly Step[] {
  const { installation, previous, changes } = plan
  if (installation === undefined || (changes.length === 0 && isSameRecord(installation, previous))) return []
  const { files } = installation
  const before = readManifest(world.home)
  const others = before
    .filter((known) => !isSameRecord(known, previous))
    .map((known) => ({ ...known, files: known.files.map((file) => refreshed(file, files)) }))
  const isKept = ({ piece, path }: WrittenFile) => files.some((file) => file.piece === piece && file.path === path)
  const leaving = previous?.files.filter((file) => !isKept(file)) ?? []
  const note = (known: Installation) => writeManifest(world.home, [...others, known])
  const folders = innermostLast(files.flatMap((file) => file.createdFolders))
  return [
    {
      run: () => note({ ...installation, files: [...files, ...leaving] }),
      undo: () => writeManifest(world.home, before),
    },
    ...changes.map((change) => stepOf(change, folders)),
    irrevocable(() => removeEmptyFolders(foldersOf(plan))),
    ...(leaving.length === 0 ? [] : [irrevocable(() => note(installation))]),
  ]
}

/** All of it or, where something fails, nothing. */
export function applyInstall(plan: ChangePlan, world: SetupWorld): void {
  if (installSteps(plan, world).length === 0) return
  withManifestLock(world.home, () => {
    const done: Step[] = []
    try {
      for (const step of installSteps(plan, world)) {
        step.run()
        done.push(step)
      }
    } catch (thrown) {
      for (const step of done.toReversed()) step.undo()
      throw thrown
    }
  })
}

function innermostLast(folders: readonly string[]): readonly string[] {
  return [...new Set(folders)].sort((a, b) => a.length - b.length)
}

/** Folders that we made, for files that go away now, or went when an uninstall was killed. */
function foldersOf({ changes, previous, installation }: ChangePlan): readonly string[] {
  if (installation !== undefined && !changes.some((change) => change.after === undefined)) return []
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

/** The manifest goes last: should the machine stop in between, another uninstall goes on where this one was. */
export function applyUninstall(plan: ChangePlan, world: SetupWorld): void {
  const { previous } = plan
  const takeOut = () => {
    for (const change of plan.changes) write(change)
    removeEmptyFolders(foldersOf(plan))
  }
  if (previous === undefined) return takeOut()
  withManifestLock(world.home, () => {
    takeOut()
    forget(previous, plan, world)
  })
}

function forget(gone: Installation, { changes }: ChangePlan, world: SetupWorld): void {
  const rest = readManifest(world.home)
    .filter((known) => !isSameInstallation(known, gone))
    .map((known) => ({ ...known, files: known.files.map((file) => inheriting(file, gone.files)) }))
  const port = gone.files.filter((file) => file.role === 'config')
  const isPortGone = changes.some(({ before }) => port.some((file) => file.path === before.path))
  // Another harness still calls the port that this install fixed: the record of it moves there.
  writeManifest(
    world.home,
    rest.map((known, index) => (index === 0 && !isPortGone ? { ...known, files: [...known.files, ...port] } : known)),
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
