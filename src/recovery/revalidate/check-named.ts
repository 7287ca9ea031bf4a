import type { Verdict } from '../../kernel/injection.ts'
import { stripCommandFolder, getCommandFolder, classifyCommand } from '../../kernel/shell/command.ts'
import { isScratch, findPaths, toRelativeText, withOurSeparators } from '../../kernel/paths/paths.ts'
import type { RecoveryView } from '../merge/merge-checkpoints.ts'
import type { RevalidatePorts } from './revalidate.ts'
import { type ScriptName, findScriptName } from './script-name.ts'

/** Things in a text that can be checked against disk and git. */
export interface NamedThings {
  /** Relative to the worktree. */
  readonly paths: readonly string[]
  readonly commands: readonly string[]
  readonly commits: readonly string[]
}

const MAX_NAMED_PATHS = 8
const MAX_COMMANDS = 4
const MAX_NAMED_COMMITS = 4

const CODE = /`([^`\n]{2,200})`/g
/** A hexadecimal word is a commit only if the text says so. */
const COMMIT =
  /\b(?:commit(?:ted)?(?: (?:as|in|to))?|HEAD(?: (?:is|at))?|rebased on(?:to)?|based on)[ :(]*`?([0-9a-f]{7,40})\b/gi

/** A claim that the work is in a commit, which should then be an ancestor of HEAD. */
const CLAIMED_COMMIT = /\b(?:committed(?: (?:as|in|to))?|HEAD(?: (?:is|at))?)[ :(]*`?([0-9a-f]{7,40})\b/gi

export function findClaimedCommits(text: string): readonly string[] {
  return [...text.matchAll(CLAIMED_COMMIT)].map(([, commit = '']) => commit.toLowerCase())
}

export function normalizePath(path: string): string {
  return path.replace(/^\.\//, '')
}

export function findNamedThings(said: string, worktree = ''): NamedThings {
  const text = worktree !== '' && said.includes(worktree) ? toRelativeText(worktree, said) : said
  const slashed = withOurSeparators(text, worktree)
  const paths = findPaths(slashed, MAX_NAMED_PATHS).filter((path) => !path.startsWith('/') && !path.startsWith('~'))
  return {
    paths: paths.map(normalizePath),
    commands: [...text.matchAll(CODE)].map(([, code = '']) => code).slice(0, MAX_COMMANDS),
    commits: [...text.matchAll(COMMIT)].map(([, commit = '']) => commit.toLowerCase()).slice(0, MAX_NAMED_COMMITS),
  }
}

const MAX_COMMITS = 6
const MAX_MANIFEST_BYTES = 200_000

const WORST: readonly Verdict[] = ['gone', 'changed', 'cannot-tell', 'holds']

export interface NamedVerdicts {
  readonly files: Map<string, Verdict>
  readonly commands: Map<string, Verdict>
  readonly commits: Map<string, Verdict>
}

export function emptyNamedVerdicts(): NamedVerdicts {
  return { files: new Map(), commands: new Map(), commits: new Map() }
}

const LAST_WORDS_CHARS = 450

/** Statements for the next session that are looked up; each empty if there is none. */
export interface Statements {
  readonly note: string
  readonly next: string
  /** The beginning of the agent's last message. */
  readonly last: string
}

export function readStatements({ written, nextAction, work }: RecoveryView): Statements {
  return {
    note: written?.summary ?? '',
    next: written?.nextAction ?? nextAction ?? '',
    last: work.statements.at(-1)?.text.slice(0, LAST_WORDS_CHARS) ?? '',
  }
}

/** `gone` only if the file was seen before: otherwise it may not exist yet. */
async function judgeFile(
  path: string,
  known: ReadonlyMap<string, Verdict>,
  wasThere: boolean,
  { files, worktree }: RevalidatePorts,
): Promise<Verdict> {
  const before = known.get(path)
  if (before === 'gone') return 'gone'
  if ((await files.facts(`${worktree}/${path}`)) === undefined) return wasThere ? 'gone' : 'cannot-tell'
  return before ?? 'holds'
}

export type Manifests = Map<string, Promise<string | undefined>>

async function judgeScript(
  script: ScriptName,
  manifests: Manifests,
  { files, worktree }: RevalidatePorts,
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
  // Outside a repository the manifest may be in a parent folder.
  const git = `${worktree}/.git`
  const isRepository = (await files.isDirectory(git)) || (await files.facts(git)) !== undefined
  return isRepository ? 'gone' : 'cannot-tell'
}

/** The test files of a command. A name without a folder may be a pattern. */
function findTestFiles(command: string): readonly string[] {
  if (classifyCommand(command) !== 'test') return []
  const folder = getCommandFolder(command)
  if (isScratch(folder)) return []
  const words = stripCommandFolder(command).split(' ')
  return words.flatMap((word, at) => {
    const [path] = words[at - 1]?.startsWith('-') === true ? [] : findPaths(word, 1)
    if (path === undefined || !path.includes('/') || isScratch(path)) return []
    return [`${folder === '' ? '' : `${folder}/`}${path.replace(/^\.\//, '')}`]
  })
}

/** By the script that a manifest defines, or by the test files. Undefined if there is neither. */
export async function judgeCommand(
  command: string,
  { manifests, wasThere }: { readonly manifests: Manifests; readonly wasThere: (path: string) => boolean },
  ports: RevalidatePorts,
): Promise<Verdict | undefined> {
  const script = findScriptName(command)
  if (script !== undefined) return judgeScript(script, manifests, ports)
  const verdicts: Verdict[] = []
  for (const path of findTestFiles(command)) {
    const isThere = (await ports.files.facts(`${ports.worktree}/${path}`)) !== undefined
    // A runner may look for the file in another folder: only a file that was seen can be gone.
    verdicts.push(isThere ? 'holds' : wasThere(path) ? 'gone' : 'cannot-tell')
  }
  return WORST.find((verdict) => verdicts.includes(verdict))
}

/** holds: ancestor of HEAD. changed: elsewhere in the repository. gone: not here. */
async function judgeCommit(commit: string, { git, worktree }: RevalidatePorts): Promise<Verdict> {
  const isInHistory = await git.isInHistory?.(worktree, commit)
  if (isInHistory !== undefined) return isInHistory ? 'holds' : 'changed'
  const isHere = await git.hasCommit?.(worktree, commit)
  return isHere === undefined ? 'cannot-tell' : isHere ? 'holds' : 'gone'
}

/** Whether a file existed when the checkpoint was taken. */
export function createWasPresent({ work }: RecoveryView): (path: string) => boolean {
  const seen = new Set(work.files.filter(({ contentHash }) => contentHash !== undefined).map(({ path }) => path))
  return (path) => seen.has(path)
}

/** Fills `verdicts` step by step, so that a timeout keeps what was found. */
export async function checkNamedThings(
  view: RecoveryView,
  ports: RevalidatePorts,
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
  const { note, next, last } = readStatements(view)
  const things = [note, next, last].map((text) => findNamedThings(text, view.origin?.worktree))
  const touched = new Set(
    view.work.files
      .filter(({ action, reads, edits }) => action !== 'deleted' && reads + edits > 0)
      .map(({ path }) => path),
  )
  const deleted = new Set(view.work.files.filter(({ action }) => action === 'deleted').map(({ path }) => path))
  const paths = new Set(things.flatMap((thing) => thing.paths).filter((path) => !deleted.has(path)))
  for (const path of paths) verdicts.files.set(path, await judgeFile(path, files, touched.has(path), ports))
  for (const command of new Set(things.flatMap((thing) => thing.commands))) {
    const verdict = await judgeCommand(command, { manifests, wasThere: createWasPresent(view) }, ports)
    if (verdict !== undefined) verdicts.commands.set(command, verdict)
  }
  for (const commit of [...new Set(things.flatMap((thing) => thing.commits))].slice(0, MAX_COMMITS))
    verdicts.commits.set(commit, await judgeCommit(commit, ports))
}
