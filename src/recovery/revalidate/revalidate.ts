import type { FileWork, InFlightWork } from '../../kernel/checkpoint.ts'
import type { Verdict } from '../../kernel/injection.ts'
import type { Files, Git, Timers } from '../../kernel/ports/ports.ts'
import type { GitState } from '../../kernel/location.ts'
import { holdsMark } from '../../redaction/text/span.ts'
import { isScratch, baseName } from '../../kernel/paths/paths.ts'
import type { RecoveryView } from '../merge/merge-checkpoints.ts'
import { checkInFlight, type InFlightPorts, type InFlightVerdict } from './check-in-flight.ts'
import {
  emptyNamedVerdicts,
  type Manifests,
  type NamedVerdicts,
  checkNamedThings,
  createWasPresent,
  judgeCommand,
} from './check-named.ts'

const MAX_LOOKS = 40

/** SHA-256 of an empty file, which many files have. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

function getFolder(path: string): string {
  return path.slice(0, path.length - baseName(path).length)
}

/** An untracked file with the same content, and the same name or folder. */
async function findCopy(
  file: FileWork,
  untracked: readonly string[],
  { files, worktree }: RevalidatePorts,
): Promise<string | undefined> {
  const name = baseName(file.path)
  for (const path of untracked) {
    const candidate = path.endsWith('/') ? `${path}${name}` : path
    if (baseName(candidate) !== name && getFolder(candidate) !== getFolder(file.path)) continue
    const hash = await files.contentHash(`${worktree}/${candidate}`, MAX_FILE_BYTES)
    if (hash !== undefined && hash === file.contentHash) return candidate
  }
  return undefined
}

/** Where files went that are gone. Nothing is asked while none is. */
async function findMoved(view: RecoveryView, ports: RevalidatePorts, found: Findings): Promise<void> {
  const gone = view.work.files.filter(({ path }) => found.files.get(path) === 'gone')
  if (gone.length === 0) return
  const head = view.origin?.head
  const renames = head === undefined ? undefined : await ports.git.renames?.(ports.worktree, head)
  const known = new Set(view.work.files.map(({ path }) => path))
  const others = found.git?.dirty?.paths.filter((path) => !known.has(path)) ?? []
  let looks = MAX_LOOKS
  for (const file of gone) {
    const renamed = renames?.get(file.path)
    if (renamed !== undefined) found.moved.set(file.path, renamed)
    else if (file.contentHash !== undefined && file.contentHash !== EMPTY && looks > 0) {
      looks -= others.length
      const copy = await findCopy(file, others, ports)
      if (copy !== undefined) found.moved.set(file.path, copy)
    }
  }
}

/** What was found out about the code that tests ran on. */
interface CodeNow {
  readonly files: ReadonlyMap<string, Verdict>
  readonly git: GitState | undefined
  readonly head: Verdict
}

const DOCUMENT = /\.(?:md|mdx|txt|rst|adoc)$|(?:^|\/)docs\//i
/** As many as git's summary names: a longer list is not whole. */
const NAMED_PATHS = 20

/** Code was changed outside of the calls that were observed. */
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
function judgeCode(view: RecoveryView, { files, git, head }: CodeNow): Verdict {
  const edited = editedCode(view)
  const verdicts = edited.map((file) => files.get(file.path) ?? 'cannot-tell')
  if (verdicts.some((verdict) => verdict === 'changed' || verdict === 'gone')) return 'changed'
  if (isChangedBesides(view, git)) return 'changed'
  // Another commit may be the same work, committed, or work of others.
  if (head === 'changed') return 'cannot-tell'
  return verdicts.every((verdict) => verdict === 'holds') ? 'holds' : 'cannot-tell'
}

/** Whether the newest results of tests speak about the code as it is. */
function judgeTests(view: RecoveryView, now: CodeNow): Verdict {
  const { tests } = view.work
  if (tests.length === 0) return 'cannot-tell'
  const edits = editedCode(view).map((file) => file.lastEditOrder ?? file.lastOrder)
  const lastRun = Math.max(...tests.map(({ lastOrder }) => lastOrder))
  return edits.some((edit) => edit > lastRun) ? 'changed' : judgeCode(view, now)
}

export interface RevalidatePorts extends InFlightPorts {
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
  readonly named: NamedVerdicts
  /** What git calls changed and no tool was seen to touch, as far as it was looked at. */
  readonly uncommitted: ReadonlyMap<string, Verdict>
  /** Whether the newest test results still speak about the code as it is. */
  readonly tests: Verdict
  readonly git: GitState | undefined
  /** Whether branch and commit are where the checkpoint left them. */
  readonly head: Verdict
  /** Whether what was started is there now; absent where it was not looked at. */
  readonly inFlight: ReadonlyMap<InFlightWork, InFlightVerdict>
}

/** As many as a session stores. */
const MAX_FILES = 160
const MAX_UNCOMMITTED = 20
const MAX_FILE_BYTES = 2_000_000
const AT_ONCE = 8

async function judgeFile(file: FileWork, view: RecoveryView, { files, worktree }: RevalidatePorts): Promise<Verdict> {
  // A redacted path does not exist on the disk.
  if (isScratch(file.path) || holdsMark(file.path)) return 'cannot-tell'
  const path = `${worktree}/${file.path}`
  const facts = await files.facts(path)
  if (file.action === 'deleted') return facts === undefined ? 'holds' : 'changed'
  if (facts === undefined) return 'gone'
  if (file.contentHash === undefined) {
    // Without a hash: an unmodified file holds; a modified one may still have the same content.
    const then = view.origin?.trueAt
    return then !== undefined && facts.modifiedAt <= then ? 'holds' : 'cannot-tell'
  }
  const now = await files.contentHash(path, MAX_FILE_BYTES)
  if (now === undefined) return 'cannot-tell'
  return now === file.contentHash ? 'holds' : 'changed'
}

export interface Findings {
  readonly files: Map<string, Verdict>
  readonly moved: Map<string, string>
  readonly commands: Map<string, Verdict>
  readonly named: NamedVerdicts
  readonly uncommitted: Map<string, Verdict>
  git: GitState | undefined
  inFlight: ReadonlyMap<InFlightWork, InFlightVerdict>
}

/** Edited files first, then the newest: time may run out. */
function likeliestFirst(a: FileWork, b: FileWork): number {
  return Number(b.edits > 0) - Number(a.edits > 0) || b.lastOrder - a.lastOrder
}

async function lookAtFiles(view: RecoveryView, ports: RevalidatePorts, found: Findings): Promise<void> {
  const files = view.work.files.toSorted(likeliestFirst).slice(0, MAX_FILES)
  for (let start = 0; start < files.length; start += AT_ONCE) {
    const slice = files.slice(start, start + AT_ONCE)
    await Promise.all(slice.map(async (file) => void found.files.set(file.path, await judgeFile(file, view, ports))))
  }
}

/** Without a hash: judged by its modification time and by whether it was uncommitted then. */
async function judgeUncommitted(path: string, { origin }: RecoveryView, { files, worktree }: RevalidatePorts) {
  const wasChanged = origin?.dirty?.paths.includes(path)
  const facts = await files.facts(`${worktree}/${path}`)
  if (facts !== undefined && origin !== undefined && facts.modifiedAt <= origin.trueAt) return 'holds'
  if (facts === undefined && !(await files.isDirectory(`${worktree}/${path}`))) return 'gone'
  return wasChanged === false ? 'changed' : 'cannot-tell'
}

async function lookAtGit(view: RecoveryView, ports: RevalidatePorts, found: Findings): Promise<void> {
  found.git = await ports.git.state(ports.worktree, 'now')
  const touched = new Set(view.work.files.map(({ path }) => path))
  const paths = found.git?.dirty?.paths.filter((path) => !touched.has(path)) ?? []
  for (const path of paths.slice(0, MAX_UNCOMMITTED))
    found.uncommitted.set(path, await judgeUncommitted(path, view, ports))
}

/** Files first: sentences about them use the same verdicts. */
async function look(view: RecoveryView, ports: RevalidatePorts, found: Findings): Promise<void> {
  const manifests: Manifests = new Map()
  const lookAtCommands = async () => {
    const wasThere = createWasPresent(view)
    for (const { command } of view.work.commands) {
      const verdict = await judgeCommand(command, { manifests, wasThere }, ports)
      if (verdict !== undefined) found.commands.set(command, verdict)
    }
  }
  const lookAtStarted = async () => {
    found.inFlight = await checkInFlight([...(view.earlierServers ?? []), ...(view.work.inFlight ?? [])], ports)
  }
  await Promise.all([lookAtFiles(view, ports, found), lookAtCommands(), lookAtGit(view, ports, found), lookAtStarted()])
  await findMoved(view, ports, found)
  await checkNamedThings(view, ports, { files: found.files, manifests, verdicts: found.named })
}

/** Resolves when the work is done or the time is up. */
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

function judgeHead(view: RecoveryView, now: GitState | undefined): Verdict {
  const then = view.origin
  if (then?.branch !== undefined && now !== undefined && then.branch !== now.branch) return 'changed'
  if (then?.head === undefined || now?.head === undefined) return 'cannot-tell'
  return then.head === now.head && then.branch === now.branch ? 'holds' : 'changed'
}

/** Bounded in files, named things, manifests and time. */
export async function revalidate(view: RecoveryView, ports: RevalidatePorts): Promise<CheckedView> {
  const found: Findings = {
    files: new Map(),
    moved: new Map(),
    commands: new Map(),
    named: emptyNamedVerdicts(),
    uncommitted: new Map(),
    git: undefined,
    inFlight: new Map(),
  }
  let isHere = true
  const looking = async () => {
    isHere = await ports.files.isDirectory(ports.worktree)
    if (isHere) await look(view, ports, found)
  }
  await doneInTime(looking(), ports.deadline)
  if (!isHere) return toUncheckedView(view)
  // Copies: a late result must not change the view.
  const files = new Map<string, Verdict>(
    view.work.files.map(({ path }) => [path, found.files.get(path) ?? 'cannot-tell'] as const),
  )
  const { git } = found
  const head = judgeHead(view, git)
  return {
    view,
    isChecked: true,
    files,
    moved: new Map(found.moved),
    commands: new Map(found.commands),
    named: {
      files: new Map(found.named.files),
      commands: new Map(found.named.commands),
      commits: new Map(found.named.commits),
    },
    uncommitted: new Map(found.uncommitted),
    tests: judgeTests(view, { files, git, head }),
    git,
    head,
    inFlight: found.inFlight,
  }
}

export function toUncheckedView(view: RecoveryView): CheckedView {
  return {
    view,
    isChecked: false,
    files: new Map(),
    moved: new Map(),
    commands: new Map(),
    named: emptyNamedVerdicts(),
    uncommitted: new Map(),
    tests: 'cannot-tell',
    git: undefined,
    head: 'cannot-tell',
    inFlight: new Map(),
  }
}
