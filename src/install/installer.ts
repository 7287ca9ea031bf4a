import { sep, dirname } from 'node:path'
import { type ChangePlan, type SettingsFileChange, isSharedWith } from './change-plan.ts'
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
import type { SetupPorts } from './contract/setup.ts'
import { HoldfastError } from '../kernel/errors.ts'
import { ensurePrivateDir } from '../platform/files/atomic-file.ts'
import { sleepSync } from '../platform/base/clock.ts'
import type { Home } from '../platform/base/home.ts'
import { takeProcessLock } from '../platform/process/process-lock.ts'
import { systemProcesses } from '../platform/process/processes.ts'
import { sha256 } from '../platform/base/crypto.ts'

const WAIT_MS = 50
const PATIENCE_MS = 10_000

/** Runs `work` while no other process changes the manifest. */
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
  throw new HoldfastError('conflict', 'Another `holdfast init` or `holdfast uninstall` is running.', {
    hint: 'Run the command again once it has ended.',
  })
}

function write({ before, after, mode, lockPath }: SettingsFileChange): void {
  withHarnessLock(lockPath, () => {
    if (after === undefined) removeSettingsFile(before)
    else replaceSettingsFile(before, after, mode)
  })
}

/** Restores what was written before something failed. */
function undo(change: SettingsFileChange, folders: readonly string[]): void {
  const { before, after } = change
  const now: SettingsFile = { ...before, ...(after === undefined ? {} : { text: after }) }
  if (before.text !== undefined) {
    replaceSettingsFile(after === undefined ? { path: before.path } : now, before.text, before.mode)
    return
  }
  removeSettingsFile(now)
  removeEmptyFolders(folders)
}

/** A file that another harness shares has the state that this one wrote last. */
function refreshShared(file: WrittenFile, fresh: readonly WrittenFile[]): WrittenFile {
  const same = fresh.find((known) => isSharedWith(known, file))
  return same === undefined ? file : { ...same, piece: file.piece }
}

/** One durable write, and how to undo it. */
interface InstallStep {
  run(): void
  undo(): void
}

function createStep(change: SettingsFileChange, folders: readonly string[]): InstallStep {
  return { run: () => write(change), undo: () => undo(change, folders) }
}

const createFinalStep = (run: () => void): InstallStep => ({ run, undo: () => undefined })

/**
 * The writes of an install, in order. The manifest is written first, and removed entries are deleted from it only at
 * the end: wherever the machine stops, an uninstall still knows what may exist. Empty where nothing has to change.
 */
export function installSteps(plan: ChangePlan, ports: SetupPorts): readonly InstallStep[] {
  const { installation, previous, changes } = plan
  if (installation === undefined || (changes.length === 0 && isSameRecord(installation, previous))) return []
  const { files } = installation
  const before = readManifest(ports.home)
  const others = before
    .filter((known) => !isSameRecord(known, previous))
    .map((known) => ({ ...known, files: known.files.map((file) => refreshShared(file, files)) }))
  const isKept = ({ piece, path }: WrittenFile) => files.some((file) => file.piece === piece && file.path === path)
  const leaving = previous?.files.filter((file) => !isKept(file)) ?? []
  const note = (known: Installation) => writeManifest(ports.home, [...others, known])
  const folders = sortInnermostLast(files.flatMap((file) => file.createdFolders))
  return [
    {
      run: () => note({ ...installation, files: [...files, ...leaving] }),
      undo: () => writeManifest(ports.home, before),
    },
    ...changes.map((change) => createStep(change, folders)),
    createFinalStep(() => removeEmptyFolders(listEmptiedFolders(plan))),
    ...(leaving.length === 0 ? [] : [createFinalStep(() => note(installation))]),
  ]
}

/** Writes everything or, where something fails, nothing. */
export function applyInstall(plan: ChangePlan, ports: SetupPorts): void {
  if (installSteps(plan, ports).length === 0) return
  withManifestLock(ports.home, () => {
    const done: InstallStep[] = []
    try {
      for (const step of installSteps(plan, ports)) {
        step.run()
        done.push(step)
      }
    } catch (thrown) {
      for (const step of done.toReversed()) step.undo()
      throw thrown
    }
  })
}

function sortInnermostLast(folders: readonly string[]): readonly string[] {
  return [...new Set(folders)].sort((a, b) => a.length - b.length)
}

/** Folders that we created for files that are deleted now, or were when an uninstall was killed. */
function listEmptiedFolders({ changes, previous, installation }: ChangePlan): readonly string[] {
  if (installation !== undefined && !changes.some((change) => change.after === undefined)) return []
  return sortInnermostLast(previous?.files.flatMap((file) => file.createdFolders) ?? [])
}

/** The removed installation may have created the file or folders of another one: the last one removes them. */
function inheritFrom(file: WrittenFile, gone: readonly WrittenFile[]): WrittenFile {
  const before = gone.filter(({ path }) => path === file.path)
  const folders = gone.flatMap(({ createdFolders }) => createdFolders)
  return {
    ...file,
    isCreated: file.isCreated || before.some(({ isCreated }) => isCreated),
    createdFolders: [
      ...sortInnermostLast([...file.createdFolders, ...folders.filter((folder) => file.path.startsWith(folder + sep))]),
    ],
    created: [...new Set([...file.created, ...before.flatMap(({ created }) => created)])],
    hashBefore: before.find(({ hashAfter }) => hashAfter === file.hashBefore)?.hashBefore ?? file.hashBefore,
  }
}

/** The manifest is written last: if the machine stops before, another uninstall continues. */
export function applyUninstall(plan: ChangePlan, ports: SetupPorts): void {
  const { previous } = plan
  const removeEdits = () => {
    for (const change of plan.changes) write(change)
    removeEmptyFolders(listEmptiedFolders(plan))
  }
  if (previous === undefined) return removeEdits()
  withManifestLock(ports.home, () => {
    removeEdits()
    removeRecord(previous, plan, ports)
  })
}

function removeRecord(gone: Installation, { changes }: ChangePlan, ports: SetupPorts): void {
  const rest = readManifest(ports.home)
    .filter((known) => !isSameInstallation(known, gone))
    .map((known) => ({ ...known, files: known.files.map((file) => inheritFrom(file, gone.files)) }))
  const port = gone.files.filter((file) => file.role === 'config')
  const isPortGone = changes.some(({ before }) => port.some((file) => file.path === before.path))
  // Another harness still calls the port that this install fixed: its record moves there.
  writeManifest(
    ports.home,
    rest.map((known, index) => (index === 0 && !isPortGone ? { ...known, files: [...known.files, ...port] } : known)),
  )
}

export interface UninstallProof {
  readonly path: string
  /** Whether the bytes are the original ones, were edited around, or removed by shape without a record, or the file is gone. */
  readonly outcome: 'restored' | 'removed-around-edits' | 'removed-by-shape' | 'gone'
}

/** Checks each file after an uninstall against the manifest's record before it. Throws when our entries are still there. */
export function proveUninstalled({ changes, previous }: ChangePlan): readonly UninstallProof[] {
  return changes.map(({ before, removed }) => {
    const { text } = readSettingsFile(before.path)
    if (text === undefined) return { path: before.path, outcome: 'gone' }
    if (removed.some((edit) => edit.find(text).size > 0))
      throw new Error(`${before.path} still contains entries of Holdfast.`)
    if (previous === undefined) return { path: before.path, outcome: 'removed-by-shape' }
    const isRestored = previous.files.some((file) => file.path === before.path && file.hashBefore === sha256(text))
    return { path: before.path, outcome: isRestored ? 'restored' : 'removed-around-edits' }
  })
}
