import type { Verdict } from '../../kernel/injection.ts'
import type { GitState } from '../../kernel/project.ts'
import type { RecoveryView } from '../merge-checkpoints.ts'

/** What was found out about the code that tests ran on. */
export interface CodeNow {
  readonly files: ReadonlyMap<string, Verdict>
  readonly git: GitState | undefined
  readonly head: Verdict
}

export interface TestVerdicts {
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

export function verdictsOnTests(view: RecoveryView, now: CodeNow): TestVerdicts {
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
