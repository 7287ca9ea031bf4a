import { runGit } from '../../platform/git/git.ts'

/** A commit that changed source files. */
export interface Change {
  readonly files: readonly ChangedFile[]
}

export interface ChangedFile {
  readonly path: string
  /** Names in the hunk headings: usually the enclosing definition. */
  readonly touched: readonly string[]
}

const MAX_COMMITS = 400
const MAX_FILES_PER_COMMIT = 300
const MAX_TOUCHED = 60
const TIMEOUT_MS = 20_000
const MAX_OUTPUT_BYTES = 48_000_000
const COMMIT_MARK = '\u0001'
const NAME = /[\p{L}_$][\p{L}\p{N}_$]+/gu

// Each overrides a setting that a user or a repository may have made: other prefixes, renames, signatures.
const LOG = [
  'log',
  `--max-count=${MAX_COMMITS}`,
  '--no-merges',
  '--no-renames',
  '--no-color',
  '--no-show-signature',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--ignore-submodules=all',
  '--format=%x01',
]

/** Reads `git log -p -U0`: files and hunk headings. `--name-only` prints no headings. */
function parseLog(output: string): readonly Change[] {
  const changes: { files: { path: string; touched: Set<string> }[] }[] = []
  for (const line of output.split('\n')) {
    if (line === COMMIT_MARK) changes.push({ files: [] })
    const files = changes.at(-1)?.files
    if (files === undefined) continue
    if (line.startsWith('diff --git ')) {
      // Without renames both sides are the same path, so its length is half of the line.
      const sides = line.slice('diff --git a/'.length)
      files.push({ path: sides.slice((sides.length + 3) / 2), touched: new Set() })
    } else if (line.startsWith('@@ ')) {
      const heading = line.slice(line.indexOf(' @@', 3) + 3)
      const touched = files.at(-1)?.touched
      for (const [name] of heading.matchAll(NAME)) if ((touched?.size ?? MAX_TOUCHED) < MAX_TOUCHED) touched?.add(name)
    }
  }
  return changes.map(({ files }) => ({
    files: files.slice(0, MAX_FILES_PER_COMMIT).map(({ path, touched }) => ({ path, touched: [...touched] })),
  }))
}

function parseNames(output: string): readonly Change[] {
  return output
    .split(`${COMMIT_MARK}\n`)
    .slice(1)
    .map((lines) => ({
      files: lines
        .split('\n')
        .filter((path) => path !== '')
        .slice(0, MAX_FILES_PER_COMMIT)
        .map((path) => ({ path, touched: [] })),
    }))
}

const OPTIONS = { timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES, settings: ['core.quotePath=false'] }

async function readLog(root: string, revisions: readonly string[], pathspecs: readonly string[]) {
  const patches = await runGit(root, [...LOG, '-p', '-U0', ...revisions, '--', ...pathspecs], OPTIONS)
  if (patches?.exitStatus === 0) return parseLog(patches.stdout)
  // Too slow with patches (a huge repository, a cold disk): file names alone give most of the ranking.
  const names = await runGit(root, [...LOG, '--name-only', ...revisions, '--', ...pathspecs], OPTIONS)
  return names?.exitStatus === 0 ? parseNames(names.stdout) : undefined
}

/** Whether the history from `from` to `to` is linear: then the log of `to` is that range plus the log of `from`. */
async function isStraight(root: string, from: string, to: string): Promise<boolean> {
  const range = ['rev-list', '--parents', `--max-count=${MAX_COMMITS}`, `${from}..${to}`, '--']
  const answer = await runGit(root, range, OPTIONS)
  if (answer?.exitStatus !== 0) return false
  let expected = to
  for (const line of answer.stdout.split('\n')) {
    if (line === '') continue
    const [commit, parent, second] = line.split(' ')
    if (commit !== expected || parent === undefined || second !== undefined) return false
    expected = parent
  }
  return expected === from
}

export interface KnownHistory {
  /** The newest commit in it. */
  readonly head: string
  readonly changes: readonly Change[]
}

/**
 * Recent changes up to `head`, newest first; undefined when git does not answer. With a known history, only the
 * newer commits are read.
 */
export async function readHistory(
  root: string,
  pathspecs: readonly string[],
  { head, known }: { readonly head?: string; readonly known?: KnownHistory } = {},
): Promise<readonly Change[] | undefined> {
  if (head === undefined || known === undefined) return readLog(root, [], pathspecs)
  if (head === known.head) return known.changes
  if (!(await isStraight(root, known.head, head))) return readLog(root, [head], pathspecs)
  const since = await readLog(root, [`${known.head}..${head}`], pathspecs)
  return since && [...since, ...known.changes].slice(0, MAX_COMMITS)
}
