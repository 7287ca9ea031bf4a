import type { FileAction, FileTouch } from '../../kernel/event.ts'
import { splitCommandLine, splitQuotedWords } from '../../kernel/shell/command.ts'
import { pathFrom } from '../../kernel/paths/paths.ts'
import { boundedPath, MAX_FILES } from './bounds.ts'

/** The folder and files of a command line, without running it. */
export interface ShellReading {
  readonly files: readonly FileTouch[]
  /** Absent where it ran in the session's own folder. */
  readonly cwd?: string
}

interface PathAction {
  readonly path: string
  readonly action: FileAction
}

const FILE_LIKE =
  /^[^\s;|&<>$`*?(){}[\]'"!=,:#]*(?:\.\w{1,12}|(?:^|\/)(?:Makefile|Dockerfile|Justfile|Gemfile|Procfile))$/
/** `.github` is probably a folder that is searched. */
const DOT_FOLDER = /(?:^|\/)\.\w+$/
/** Devices and file descriptors. */
const NO_FILE = /^(?:\/dev\/|&)/
const READERS: ReadonlySet<string> = new Set(['cat', 'head', 'tail', 'nl', 'less', 'more', 'bat', 'batcat', 'wc'])
/** Their first argument is the pattern. */
const SEARCHERS: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep', 'rg', 'ag', 'awk', 'jq', 'yq'])
/** Their output is written in the command itself. */
const AUTHORS: ReadonlySet<string> = new Set(['cat', 'echo', 'printf'])

function splitWords(segment: string): readonly string[] {
  return splitQuotedWords(segment).map((word) => word.replace(/^(["'])(.*)\1$/s, '$2'))
}

function isFile(word: string): boolean {
  return !word.startsWith('-') && FILE_LIKE.test(word) && !NO_FILE.test(word)
}

const as =
  (action: FileAction) =>
  (path: string): PathAction => ({ path, action })

/** Separates `> file` and `>> file` from the other words. */
function splitRedirections(words: readonly string[]): { plain: readonly string[]; targets: readonly string[] } {
  const plain: string[] = []
  const targets: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const redirection = /^(\d?)>{1,2}\|?(.*)$/.exec(word)
    if (redirection === null) {
      if (word !== '<') plain.push(word)
      continue
    }
    const target = redirection[2] === '' ? words[(at += 1)] : redirection[2]
    if (redirection[1] !== '2' && target !== undefined && isFile(target)) targets.push(target)
  }
  return { plain, targets }
}

function findTouches(words: readonly string[]): readonly PathAction[] {
  const { plain, targets } = splitRedirections(words)
  const [program = '', ...args] = plain
  const files = args.filter(isFile)
  const options = args.filter((arg) => arg.startsWith('-'))
  if (targets.length > 0 && AUTHORS.has(program)) return targets.map(as('edited'))
  if (program === 'tee') return files.map(as('edited'))
  if (program === 'sed' || program === 'perl') {
    const isInPlace = options.some((option) => /^-(?:i|pi|-in-place)/.test(option))
    return isInPlace ? files.map(as('edited')) : program === 'sed' ? files.map(as('read')) : []
  }
  if (program === 'rm') return files.map(as('deleted'))
  if (program === 'mv' && files.length === 2)
    return [...files.slice(0, 1).map(as('deleted')), ...files.slice(1).map(as('created'))]
  if (program === 'cp' && files.length === 2)
    return [...files.slice(0, 1).map(as('read')), ...files.slice(1).map(as('edited'))]
  if (READERS.has(program)) return files.map(as('read'))
  if (SEARCHERS.has(program)) {
    const isGlobbing = options.some((option) => /^-(?:g|-glob|-include|-exclude)/.test(option))
    const where = args.filter((arg) => !arg.startsWith('-')).slice(1)
    return isGlobbing ? [] : where.filter((word) => isFile(word) && !DOT_FOLDER.test(word)).map(as('read'))
  }
  return []
}

function joinPath(folder: string | undefined, path: string): string {
  return folder === undefined ? path : pathFrom(folder, path)
}

/** The folder that `cd` changes to; undefined when that is known only at run time. */
function findTarget(words: readonly string[], from: string | undefined): string | undefined {
  const target = words.slice(1).find((word) => !word.startsWith('-'))
  return target === undefined || /[$`*?]/.test(target) ? undefined : joinPath(from, target)
}

export interface ShellContext {
  /** The folder that the call itself names. */
  readonly workdir?: string
  /** The shell keeps its folder between calls, and the harness then reports that folder as the session's. */
  readonly staysThere?: boolean
}

/**
 * Agents without tools for it read and write files through the shell (`sed -n '1,9p' b.ts`, `cat > c.ts <<EOF`), in a
 * folder that the call names or that the line changes to first.
 */
export function readShell(command: string, { workdir, staysThere = false }: ShellContext = {}): ShellReading {
  let folder = boundedPath(workdir)
  let first: string | undefined = folder
  const files = new Map<string, FileTouch>()
  splitCommandLine(command).forEach((segment, index) => {
    const words = splitWords(segment)
    if (words[0] === 'cd') {
      const target = findTarget(words, folder)
      folder = staysThere && target?.startsWith('/') !== true ? undefined : target
      if (index === 0) first = folder
      return
    }
    for (const touch of findTouches(words)) {
      const path = boundedPath(joinPath(folder, touch.path))
      // The last action counts.
      if (path !== undefined) files.set(path, { path, action: touch.action })
    }
  })
  return { files: [...files.values()].slice(0, MAX_FILES), ...(first === undefined ? {} : { cwd: first }) }
}
