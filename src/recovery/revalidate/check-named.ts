import type { Verdict } from '../../kernel/injection.ts'
import { bareOf, folderOf, purposeOf } from '../../kernel/shell/command.ts'
import { isScratch, pathsIn } from '../../kernel/paths/paths.ts'
import type { RecoveryView } from '../merge/merge-checkpoints.ts'
import { namedThingsIn } from './named-things.ts'
import type { RecheckPorts } from './revalidate.ts'
import { type ScriptName, scriptNameOf } from './script-name.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'

const MAX_PATHS = 40
const MAX_COMMITS = 6
const MAX_LINES_BYTES = 400_000
const MAX_MANIFEST_BYTES = 200_000

const WORST: readonly Verdict[] = ['gone', 'changed', 'cannot-tell', 'holds']

/** What became of the things that sentences name, by the thing; `path:line` where a line was named. */
export type NamedVerdicts = Map<string, Verdict>

/** What the agent said last, as far as it may be told. */
export function lastWordsOf({ statements }: Pick<RecoveryView['work'], 'statements'>): readonly string[] {
  return statements.slice(-2).map(({ text }) => text.slice(0, WEIGHTS.room.lastWordsChars))
}

/** Sentences whose truth may hang on a file, a command or a commit. */
function sentencesOf({ written, nextAction, waitingFor, work }: RecoveryView): readonly string[] {
  return [
    ...(written === undefined
      ? []
      : [written.summary, ...(written.nextAction === undefined ? [] : [written.nextAction])]),
    ...(nextAction === undefined ? [] : [nextAction]),
    ...(waitingFor === undefined ? [] : [waitingFor]),
    ...work.todos.filter(({ status }) => status !== 'completed').map(({ text }) => text),
    ...work.decisions.map(({ decision, rationale }) => `${decision} ${rationale ?? ''}`),
    ...work.blockers,
    ...work.errors.map(({ text }) => text),
    ...lastWordsOf(work),
  ]
}

/** Gone only where it was seen there before: a file that nobody saw may be one that is still to be made. */
async function verdictOnPlace(
  { path, line }: { readonly path: string; readonly line?: number },
  known: ReadonlyMap<string, Verdict>,
  wasThere: boolean,
  { files, worktree }: RecheckPorts,
): Promise<Verdict> {
  const before = known.get(path)
  const facts = before === 'gone' ? undefined : await files.facts(`${worktree}/${path}`)
  if (facts === undefined) return before === 'gone' || wasThere ? 'gone' : 'cannot-tell'
  if (line === undefined) return before ?? 'holds'
  if (before === 'holds' || before === 'changed') return before
  const text = facts.size > MAX_LINES_BYTES ? undefined : await files.readText(`${worktree}/${path}`, MAX_LINES_BYTES)
  if (text === undefined) return 'cannot-tell'
  // Whether it is the same line nobody can tell without what it held then; that it cannot be there, a count tells.
  return text.split('\n').length < line ? 'changed' : 'cannot-tell'
}

/** What is read of manifests, each of them once. */
export type Manifests = Map<string, Promise<string | undefined>>

/** Whether the manifest that would define a command still does; undefined where none would. */
async function verdictOnScript(
  script: ScriptName,
  manifests: Manifests,
  { files, worktree }: RecheckPorts,
): Promise<Verdict> {
  for (const name of script.manifests) {
    const path = `${worktree}/${name}`
    const reading = manifests.get(path) ?? files.readText(path, MAX_MANIFEST_BYTES)
    manifests.set(path, reading)
    const text = await reading
    if (text !== undefined) return script.verdictIn(text)
    if ((await files.facts(path)) !== undefined) return 'cannot-tell'
  }
  if (script.isFile === true) return 'gone'
  // Outside a repository the manifest may stand above the folder that work is done in.
  const git = `${worktree}/.git`
  const isRepository = (await files.isDirectory(git)) || (await files.facts(git)) !== undefined
  return isRepository ? 'gone' : 'cannot-tell'
}

/** Files that a test run is about. A name without a folder may be a pattern. */
function testFilesOf(command: string): readonly string[] {
  if (purposeOf(command) !== 'test') return []
  const folder = folderOf(command)
  if (isScratch(folder)) return []
  const words = bareOf(command).split(' ')
  return words.flatMap((word, at) => {
    const [path] = words[at - 1]?.startsWith('-') === true ? [] : pathsIn(word, 1)
    if (path === undefined || !path.includes('/') || isScratch(path)) return []
    return [`${folder === '' ? '' : `${folder}/`}${path.replace(/^\.\//, '')}`]
  })
}

/** What a command hangs on: the script that a manifest defines, or the files that it tests. Undefined where neither can be seen. */
export async function verdictOnCommand(
  command: string,
  { manifests, wasThere }: { readonly manifests: Manifests; readonly wasThere: (path: string) => boolean },
  ports: RecheckPorts,
): Promise<Verdict | undefined> {
  const script = scriptNameOf(command)
  if (script !== undefined) return verdictOnScript(script, manifests, ports)
  const verdicts: Verdict[] = []
  for (const path of testFilesOf(command)) {
    const isThere = (await ports.files.facts(`${ports.worktree}/${path}`)) !== undefined
    // A runner may look for the file in another folder: only one that was seen there can be gone.
    verdicts.push(isThere ? 'holds' : wasThere(path) ? 'gone' : 'cannot-tell')
  }
  return WORST.find((verdict) => verdicts.includes(verdict))
}

/** Part of what is checked out; somewhere else in the repository; not here at all. */
async function verdictOnCommit(commit: string, { git, worktree }: RecheckPorts): Promise<Verdict> {
  const isInHistory = await git.isInHistory?.(worktree, commit)
  if (isInHistory !== undefined) return isInHistory ? 'holds' : 'changed'
  const isHere = await git.hasCommit?.(worktree, commit)
  return isHere === undefined ? 'cannot-tell' : isHere ? 'holds' : 'gone'
}

/** Whether a file was there when the work was kept. */
export function seenIn({ work }: RecoveryView): (path: string) => boolean {
  const seen = new Set(work.files.filter(({ contentHash }) => contentHash !== undefined).map(({ path }) => path))
  return (path) => seen.has(path)
}

/** Fills `verdicts` as it goes: whoever runs out of time keeps what was found until then. */
export async function recheckNamed(
  view: RecoveryView,
  ports: RecheckPorts,
  {
    files,
    manifests,
    verdicts,
  }: {
    readonly files: ReadonlyMap<string, Verdict>
    readonly manifests: Manifests
    readonly verdicts: NamedVerdicts
  },
): Promise<void> {
  const things = sentencesOf(view).map((text) => namedThingsIn(text, view.origin?.worktree))
  const touched = new Set(
    view.work.files
      .filter(({ action, reads, edits }) => action !== 'deleted' && reads + edits > 0)
      .map(({ path }) => path),
  )
  const deleted = new Set(view.work.files.filter(({ action }) => action === 'deleted').map(({ path }) => path))
  const places = things.flatMap((thing) => thing.places).filter(({ path }) => !deleted.has(path))
  for (const place of places.slice(0, MAX_PATHS)) {
    const key = place.line === undefined ? place.path : `${place.path}:${place.line}`
    if (!verdicts.has(key)) verdicts.set(key, await verdictOnPlace(place, files, touched.has(place.path), ports))
  }
  for (const command of new Set(things.flatMap((thing) => thing.commands))) {
    const verdict = await verdictOnCommand(command, { manifests, wasThere: seenIn(view) }, ports)
    if (verdict !== undefined) verdicts.set(`\`${command}\``, verdict)
  }
  for (const commit of [...new Set(things.flatMap((thing) => thing.commits))].slice(0, MAX_COMMITS))
    verdicts.set(commit, await verdictOnCommit(commit, ports))
}

/** What a sentence is worth now: as little as the worst of the things it names; undefined when nothing in it can be checked. */
export function verdictOnText(
  text: string,
  verdicts: ReadonlyMap<string, Verdict>,
  worktree?: string,
): Verdict | undefined {
  const { places, commands, commits } = namedThingsIn(text, worktree)
  const found = [
    ...places.map(({ path, line }) => verdicts.get(line === undefined ? path : `${path}:${line}`)),
    ...commands.map((command) => verdicts.get(`\`${command}\``)),
    ...commits.map((commit) => verdicts.get(commit)),
  ]
  return WORST.find((verdict) => found.includes(verdict))
}
