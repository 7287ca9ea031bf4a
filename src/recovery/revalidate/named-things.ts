import { asReadIn, pathsIn, withOurSeparators } from '../../kernel/paths/paths.ts'

/** Things of a text that a disk or a repository can tell something about. */
export interface NamedThings {
  /** Worktree-relative files, with the line where one is named. */
  readonly places: readonly { readonly path: string; readonly line?: number }[]
  readonly commands: readonly string[]
  readonly commits: readonly string[]
}

const MAX_PATHS = 8
const MAX_COMMANDS = 4
const MAX_COMMITS = 4

const CODE = /`([^`\n]{2,200})`/g
/** A word of hexadecimal digits is a commit where the text says so; by itself it may be anything. */
const COMMIT =
  /\b(?:commit(?:ted)?(?: (?:as|in|to))?|HEAD(?: (?:is|at))?|rebased on(?:to)?|based on)[ :(]*`?([0-9a-f]{7,40})\b/gi

function lineIn(text: string, path: string): number | undefined {
  const at = text.indexOf(`${path}:`)
  const line = at < 0 ? undefined : /^\d{1,7}/.exec(text.slice(at + path.length + 1))?.[0]
  return line === undefined ? undefined : Number(line)
}

/** Says that the work is in a commit, which is then part of what is checked out. */
const CLAIMED_COMMIT = /\b(?:committed(?: (?:as|in|to))?|HEAD(?: (?:is|at))?)[ :(]*`?([0-9a-f]{7,40})\b/gi

export function claimedCommitsIn(text: string): readonly string[] {
  return [...text.matchAll(CLAIMED_COMMIT)].map(([, commit = '']) => commit.toLowerCase())
}

/** A path as re-checking knows it, however it was written. */
export function asChecked(path: string): string {
  return path.replace(/^\.\//, '')
}

export function namedThingsIn(said: string, worktree = ''): NamedThings {
  const text = worktree !== '' && said.includes(worktree) ? asReadIn(worktree, said) : said
  const slashed = withOurSeparators(text, worktree)
  const paths = pathsIn(slashed, MAX_PATHS).filter((path) => !path.startsWith('/') && !path.startsWith('~'))
  return {
    places: paths.map((named) => {
      const line = lineIn(slashed, named)
      const path = asChecked(named)
      return line === undefined ? { path } : { path, line }
    }),
    commands: [...text.matchAll(CODE)].map(([, code = '']) => code).slice(0, MAX_COMMANDS),
    commits: [...text.matchAll(COMMIT)].map(([, commit = '']) => commit.toLowerCase()).slice(0, MAX_COMMITS),
  }
}
