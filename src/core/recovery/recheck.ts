import type { FileWork } from '../checkpoint.ts'
import type { Verdict } from '../injection.ts'
import type { Files, Git } from '../ports.ts'
import type { GitState } from '../project.ts'
import { isScratch } from '../work/paths.ts'
import type { RecoveryView } from './fold.ts'
import { scriptNameOf } from './script-name.ts'

export interface RecheckPorts {
  readonly files: Pick<Files, 'contentHash' | 'facts' | 'readText' | 'isDirectory'>
  readonly git: Pick<Git, 'state'>
  readonly worktree: string
}

/** A view and what this disk and this repository say about it, now. */
export interface CheckedView {
  readonly view: RecoveryView
  /** False when the worktree is not here: then every verdict is `cannot-tell`. */
  readonly isChecked: boolean
  readonly files: ReadonlyMap<string, Verdict>
  readonly commands: ReadonlyMap<string, Verdict>
  /** Whether the newest test results still speak about the code as it is. */
  readonly tests: Verdict
  readonly git: GitState | undefined
  /** Whether branch and commit are where the checkpoint left them. */
  readonly head: Verdict
}

const MAX_FILES = 40
const MAX_FILE_BYTES = 2_000_000
const MAX_MANIFEST_BYTES = 200_000
const AT_ONCE = 8

async function verdictOnFile(file: FileWork, view: RecoveryView, { files, worktree }: RecheckPorts): Promise<Verdict> {
  if (isScratch(file.path)) return 'cannot-tell'
  const path = `${worktree}/${file.path}`
  const facts = await files.facts(path)
  if (file.action === 'deleted') return facts === undefined ? 'holds' : 'changed'
  if (facts === undefined) return 'gone'
  if (file.contentHash === undefined) {
    // Nobody took its fingerprint then. Not written since is as good; written since may still be the same content.
    const then = view.origin?.createdAt
    return then !== undefined && facts.modifiedAt <= then ? 'holds' : 'cannot-tell'
  }
  const now = await files.contentHash(path, MAX_FILE_BYTES)
  if (now === undefined) return 'cannot-tell'
  return now === file.contentHash ? 'holds' : 'changed'
}

async function verdictsOnFiles(view: RecoveryView, ports: RecheckPorts): Promise<ReadonlyMap<string, Verdict>> {
  const newest = view.work.files.toSorted((a, b) => b.lastOrder - a.lastOrder).slice(0, MAX_FILES)
  const verdicts = new Map<string, Verdict>()
  for (let start = 0; start < newest.length; start += AT_ONCE) {
    const slice = newest.slice(start, start + AT_ONCE)
    const found = await Promise.all(slice.map((file) => verdictOnFile(file, view, ports)))
    slice.forEach((file, index) => verdicts.set(file.path, found[index] ?? 'cannot-tell'))
  }
  return verdicts
}

/** Whether a script or target is still defined; everything else a command needs cannot be told cheaply. */
async function verdictsOnCommands(view: RecoveryView, ports: RecheckPorts): Promise<ReadonlyMap<string, Verdict>> {
  const verdicts = new Map<string, Verdict>()
  const manifests = new Map<string, string | undefined>()
  for (const { command } of view.work.commands) {
    const script = scriptNameOf(command)
    if (script === undefined) continue
    if (!manifests.has(script.manifest)) {
      manifests.set(
        script.manifest,
        await ports.files.readText(`${ports.worktree}/${script.manifest}`, MAX_MANIFEST_BYTES),
      )
    }
    const manifest = manifests.get(script.manifest)
    if (manifest === undefined) continue
    verdicts.set(command, script.isDefinedIn(manifest) ? 'holds' : 'gone')
  }
  return verdicts
}

function verdictOnTests(view: RecoveryView, files: ReadonlyMap<string, Verdict>): Verdict {
  const edited = view.work.files.filter((file) => file.edits > 0)
  const lastEdit = Math.max(0, ...edited.map((file) => file.lastOrder))
  const lastRun = Math.max(0, ...view.work.tests.map((test) => test.lastOrder))
  if (lastRun === 0) return 'cannot-tell'
  if (lastRun < lastEdit) return 'changed'
  const verdicts = edited.map((file) => files.get(file.path) ?? 'cannot-tell')
  if (verdicts.some((verdict) => verdict === 'changed' || verdict === 'gone')) return 'changed'
  return verdicts.every((verdict) => verdict === 'holds') ? 'holds' : 'cannot-tell'
}

function verdictOnHead(view: RecoveryView, now: GitState | undefined): Verdict {
  const then = view.origin
  if (then?.branch !== undefined && now !== undefined && then.branch !== now.branch) return 'changed'
  if (then?.head === undefined || now?.head === undefined) return 'cannot-tell'
  return then.head === now.head && then.branch === now.branch ? 'holds' : 'changed'
}

/** Bounded: at most forty files are looked at, eight at a time, and one read per manifest. */
export async function recheck(view: RecoveryView, ports: RecheckPorts): Promise<CheckedView> {
  if (!(await ports.files.isDirectory(ports.worktree))) return unchecked(view)
  const [files, commands, git] = await Promise.all([
    verdictsOnFiles(view, ports),
    verdictsOnCommands(view, ports),
    ports.git.state(ports.worktree),
  ])
  return {
    view,
    isChecked: true,
    files,
    commands,
    tests: verdictOnTests(view, files),
    git,
    head: verdictOnHead(view, git),
  }
}

/** The view of a session whose worktree is not on this disk. */
export function unchecked(view: RecoveryView): CheckedView {
  return {
    view,
    isChecked: false,
    files: new Map(),
    commands: new Map(),
    tests: 'cannot-tell',
    git: undefined,
    head: 'cannot-tell',
  }
}
