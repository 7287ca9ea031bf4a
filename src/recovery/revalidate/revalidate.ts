import type { FileWork } from '../../kernel/checkpoint.ts'
import type { Verdict } from '../../kernel/injection.ts'
import type { Files, Git, Timers } from '../../kernel/ports/ports.ts'
import type { GitState } from '../../kernel/project.ts'
import { holdsMark } from '../../redaction/text/span.ts'
import { isScratch } from '../../kernel/paths/paths.ts'
import type { RecoveryView } from '../merge/merge-checkpoints.ts'
import { type Manifests, recheckNamed, seenIn, verdictOnCommand } from './check-named.ts'
import { findMoved } from './find-moved.ts'

/** What was found out about the code that tests ran on. */
interface CodeNow {
  readonly files: ReadonlyMap<string, Verdict>
  readonly git: GitState | undefined
  readonly head: Verdict
}

interface TestVerdicts {
  /** On the newest results. */
  readonly newest: Verdict
  /** On the results of each command that ran tests: a later run of another one says nothing about them. */
  readonly byCommand: ReadonlyMap<string, Verdict>
}

const DOCUMENT = /\.(?:md|mdx|txt|rst|adoc)$|(?:^|\/)docs\//i
/** As many as git's summary names: a longer list is not whole. */
const NAMED_PATHS = 20

/** Somebody changed code by other hands than those that were watched. */
function isChangedBesides({ origin, work }: RecoveryView, git: GitState | undefined): boolean {
  const [then, now] = [origin?.dirty?.paths, git?.dirty?.paths]
  if (then === undefined || now === undefined || then.length >= NAMED_PATHS) return false
  const known = new Set([...then, ...work.files.filter(({ edits }) => edits > 0).map(({ path }) => path)])
  return now.some((path) => !known.has(path) && !DOCUMENT.test(path))
}

/** Tests say as much about the code after a word in a document as before it. */
function editedCode({ work }: RecoveryView): RecoveryView['work']['files'] {
  return work.files.filter(({ edits, path }) => edits > 0 && !DOCUMENT.test(path))
}

/** What may be said of any run that came after the last edit. */
function verdictOnCode(view: RecoveryView, { files, git, head }: CodeNow): Verdict {
  const edited = editedCode(view)
  const verdicts = edited.map((file) => files.get(file.path) ?? 'cannot-tell')
  if (verdicts.some((verdict) => verdict === 'changed' || verdict === 'gone')) return 'changed'
  if (isChangedBesides(view, git)) return 'changed'
  // Another commit may be the same work, committed, or somebody else's.
  if (head === 'changed') return 'cannot-tell'
  return verdicts.every((verdict) => verdict === 'holds') ? 'holds' : 'cannot-tell'
}

function verdictsOnTests(view: RecoveryView, now: CodeNow): TestVerdicts {
  const { tests } = view.work
  const edits = editedCode(view).map((file) => file.lastEditOrder ?? file.lastOrder)
  const lastEdit = Math.max(Number.NEGATIVE_INFINITY, ...edits)
  const onCode = verdictOnCode(view, now)
  const lastRuns = new Map<string, number>()
  for (const { command, lastOrder } of tests)
    lastRuns.set(command, Math.max(lastRuns.get(command) ?? lastOrder, lastOrder))
  const verdictOn = (lastRun: number): Verdict => (lastRun < lastEdit ? 'changed' : onCode)
  return {
    newest: lastRuns.size === 0 ? 'cannot-tell' : verdictOn(Math.max(...lastRuns.values())),
    byCommand: new Map([...lastRuns].map(([command, lastRun]) => [command, verdictOn(lastRun)])),
  }
}

export interface RecheckPorts {
  readonly files: Pick<Files, 'contentHash' | 'facts' | 'readText' | 'isDirectory'>
  readonly git: Pick<Git, 'state'> & Partial<Pick<Git, 'hasCommit' | 'isInHistory' | 'renames'>>
  readonly worktree: string
  /** Absent: as long as it takes, which the number of looks bounds. */
  readonly deadline?: Deadline
}

export interface Deadline {
  readonly timers: Timers
  readonly withinMs: number
}

/** A view and what this disk and this repository say about it, now. */
export interface CheckedView {
  readonly view: RecoveryView
  /** False when the worktree is not here: then every verdict is `cannot-tell`. */
  readonly isChecked: boolean
  readonly files: ReadonlyMap<string, Verdict>
  /** Where files went that are gone, as far as it was found. */
  readonly moved: ReadonlyMap<string, string>
  readonly commands: ReadonlyMap<string, Verdict>
  /** What sentences name, by the thing: a file, `path:line`, a command between backticks, a commit. */
  readonly named: ReadonlyMap<string, Verdict>
  /** What git calls changed and no tool was seen to touch, as far as it was looked at. */
  readonly uncommitted: ReadonlyMap<string, Verdict>
  /** Whether the newest test results still speak about the code as it is. */
  readonly tests: Verdict
  /** The same of the results of each command that ran tests. */
  readonly testRuns: ReadonlyMap<string, Verdict>
  readonly git: GitState | undefined
  /** Whether branch and commit are where the checkpoint left them. */
  readonly head: Verdict
}

/** As many as a session keeps, and twice as many as there is room to tell. */
const MAX_FILES = 160
const MAX_UNCOMMITTED = 20
const MAX_FILE_BYTES = 2_000_000
const AT_ONCE = 8

async function verdictOnFile(file: FileWork, view: RecoveryView, { files, worktree }: RecheckPorts): Promise<Verdict> {
  // A name that a secret was taken out of names nothing on the disk.
  if (isScratch(file.path) || holdsMark(file.path)) return 'cannot-tell'
  const path = `${worktree}/${file.path}`
  const facts = await files.facts(path)
  if (file.action === 'deleted') return facts === undefined ? 'holds' : 'changed'
  if (facts === undefined) return 'gone'
  if (file.contentHash === undefined) {
    // Nobody took its fingerprint then. Not written since is as good; written since may still be the same content.
    const then = view.origin?.trueAt
    return then !== undefined && facts.modifiedAt <= then ? 'holds' : 'cannot-tell'
  }
  const now = await files.contentHash(path, MAX_FILE_BYTES)
  if (now === undefined) return 'cannot-tell'
  return now === file.contentHash ? 'holds' : 'changed'
}

/** What has been found out so far; what is missing was not reached. */
export interface Findings {
  readonly files: Map<string, Verdict>
  readonly moved: Map<string, string>
  readonly commands: Map<string, Verdict>
  readonly named: Map<string, Verdict>
  readonly uncommitted: Map<string, Verdict>
  git: GitState | undefined
}

/** The likeliest to be told first: time may run out. */
function likeliestFirst(a: FileWork, b: FileWork): number {
  const chance = ({ chance: known }: FileWork) => (known === undefined ? 0 : known.opened + known.edited)
  return chance(b) - chance(a) || b.lastOrder - a.lastOrder
}

async function lookAtFiles(view: RecoveryView, ports: RecheckPorts, found: Findings): Promise<void> {
  const files = view.work.files.toSorted(likeliestFirst).slice(0, MAX_FILES)
  for (let start = 0; start < files.length; start += AT_ONCE) {
    const slice = files.slice(start, start + AT_ONCE)
    await Promise.all(
      slice.map(async (file) => void found.files.set(file.path, await verdictOnFile(file, view, ports))),
    )
  }
}

/** No tool was seen to touch it, so nobody took its fingerprint: what tells is whether it was in that list then, and its time. */
async function verdictOnUncommitted(path: string, { origin }: RecoveryView, { files, worktree }: RecheckPorts) {
  const wasChanged = origin?.dirty?.paths.includes(path)
  const facts = await files.facts(`${worktree}/${path}`)
  if (facts !== undefined && origin !== undefined && facts.modifiedAt <= origin.trueAt) return 'holds'
  if (facts === undefined && !(await files.isDirectory(`${worktree}/${path}`))) return 'gone'
  return wasChanged === false ? 'changed' : 'cannot-tell'
}

async function lookAtGit(view: RecoveryView, ports: RecheckPorts, found: Findings): Promise<void> {
  found.git = await ports.git.state(ports.worktree, 'now')
  const touched = new Set(view.work.files.map(({ path }) => path))
  const paths = found.git?.dirty?.paths.filter((path) => !touched.has(path)) ?? []
  for (const path of paths.slice(0, MAX_UNCOMMITTED))
    found.uncommitted.set(path, await verdictOnUncommitted(path, view, ports))
}

/** Files first, because sentences about them go by the same verdicts. */
async function look(view: RecoveryView, ports: RecheckPorts, found: Findings): Promise<void> {
  const manifests: Manifests = new Map()
  const lookAtCommands = async () => {
    const wasThere = seenIn(view)
    for (const { command } of view.work.commands) {
      const verdict = await verdictOnCommand(command, { manifests, wasThere }, ports)
      if (verdict !== undefined) found.commands.set(command, verdict)
    }
  }
  await Promise.all([lookAtFiles(view, ports, found), lookAtCommands(), lookAtGit(view, ports, found)])
  await findMoved(view, ports, found)
  await recheckNamed(view, ports, { files: found.files, manifests, verdicts: found.named })
}

/** Resolves when the work is done or the time is up. What it finds after that is nobody's any more. */
async function doneInTime(work: Promise<void>, deadline: Deadline | undefined): Promise<void> {
  if (deadline === undefined) return work
  let cancel: () => void = () => undefined
  const timeIsUp = new Promise<void>((resolve) => {
    cancel = deadline.timers.after(deadline.withinMs, resolve)
  })
  try {
    await Promise.race([work, timeIsUp])
  } finally {
    cancel()
  }
}

function verdictOnHead(view: RecoveryView, now: GitState | undefined): Verdict {
  const then = view.origin
  if (then?.branch !== undefined && now !== undefined && then.branch !== now.branch) return 'changed'
  if (then?.head === undefined || now?.head === undefined) return 'cannot-tell'
  return then.head === now.head && then.branch === now.branch ? 'holds' : 'changed'
}

/** Bounded: by how many files, named things and manifests are looked at, and by the time that is given. */
export async function recheck(view: RecoveryView, ports: RecheckPorts): Promise<CheckedView> {
  const found: Findings = {
    files: new Map(),
    moved: new Map(),
    commands: new Map(),
    named: new Map(),
    uncommitted: new Map(),
    git: undefined,
  }
  let isHere = true
  const looking = async () => {
    isHere = await ports.files.isDirectory(ports.worktree)
    if (isHere) await look(view, ports, found)
  }
  await doneInTime(looking(), ports.deadline)
  if (!isHere) return unchecked(view)
  // Copies: a look that comes back late must not change what is being said.
  const files = new Map<string, Verdict>(
    view.work.files.map(({ path }) => [path, found.files.get(path) ?? 'cannot-tell'] as const),
  )
  const { git } = found
  const head = verdictOnHead(view, git)
  const tests = verdictsOnTests(view, { files, git, head })
  return {
    view,
    isChecked: true,
    files,
    moved: new Map(found.moved),
    commands: new Map(found.commands),
    named: new Map(found.named),
    uncommitted: new Map(found.uncommitted),
    tests: tests.newest,
    testRuns: tests.byCommand,
    git,
    head,
  }
}

/** The view of a session whose worktree is not on this disk. */
export function unchecked(view: RecoveryView): CheckedView {
  return {
    view,
    isChecked: false,
    files: new Map(),
    moved: new Map(),
    commands: new Map(),
    named: new Map(),
    uncommitted: new Map(),
    tests: 'cannot-tell',
    testRuns: new Map(),
    git: undefined,
    head: 'cannot-tell',
  }
}
