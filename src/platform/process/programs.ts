import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path'

/** Where an operating system or its package manager installs programs; only an administrator or this user can write there. */
const SYSTEM_FOLDERS: readonly string[] =
  process.platform === 'win32'
    ? []
    : [
        // Before /usr/bin: on macOS without developer tools, /usr/bin/git is a stub that opens a dialog.
        ...(process.platform === 'darwin' ? ['/opt/homebrew/bin'] : []),
        '/usr/local/bin',
        '/usr/bin',
        '/bin',
        '/usr/sbin',
        '/sbin',
        '/opt/local/bin',
        '/run/current-system/sw/bin',
        '/nix/var/nix/profiles/default/bin',
        '/home/linuxbrew/.linuxbrew/bin',
      ]

export interface ProgramSearch {
  readonly env: NodeJS.ProcessEnv
  /** Files below it, or below its checkout, belong to a project. */
  readonly cwd?: string | undefined
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Undefined when it does not exist. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function checkoutAround(path: string): string | undefined {
  for (let top = path; ; top = dirname(top)) {
    if (existsSync(join(top, '.git'))) return top
    if (dirname(top) === top) return undefined
  }
}

/** The project that contains a folder. Undefined if that is the user's whole home, which some people keep in git. */
function projectAround({ env, cwd }: ProgramSearch): string | undefined {
  const real = cwd === undefined ? undefined : realPath(cwd)
  if (real === undefined) return undefined
  const home = realPath(env.HOME || env.USERPROFILE || '/') ?? '/'
  return [checkoutAround(real), real].find((top) => top !== undefined && !isWithin(home, top))
}

/** Whether only root or this user can write there. */
function isWrittenByUs(folder: string): boolean {
  const facts = statSync(folder, { throwIfNoEntry: false })
  if (facts?.isDirectory() !== true) return false
  if (process.platform === 'win32') return true
  const uid = process.getuid?.() ?? 0
  if ((facts.uid !== 0 && facts.uid !== uid) || (facts.mode & 0o002) !== 0) return false
  // Many systems give each user a private group, and a umask that lets the group write.
  return (facts.mode & 0o020) === 0 || facts.gid === 0 || facts.gid === process.getgid?.()
}

function isUsable(folder: string, project: string | undefined): boolean {
  if (!isAbsolute(folder)) return false
  const real = realPath(folder)
  if (real === undefined) return false
  if ([folder, real].some((path) => path.split(sep).includes('node_modules'))) return false
  if (project !== undefined && (isWithin(real, project) || isWithin(folder, project))) return false
  return isWrittenByUs(real)
}

/**
 * PATH without folders that a project controls: relative ones, `node_modules/.bin`, those in the project of
 * `cwd`, and those that others can write to. For processes that outlive the folder they were started from.
 */
export function pathOutsideProjects(search: ProgramSearch): string {
  const project = projectAround(search)
  const folders = (search.env.PATH ?? '').split(delimiter).filter((folder) => isUsable(folder, project))
  return [...new Set(folders)].join(delimiter)
}

/** Where Holdfast searches for programs that it runs itself: the system's folders, then folders of PATH outside any checkout. */
export function programFolders(search: ProgramSearch): readonly string[] {
  const system = SYSTEM_FOLDERS.filter((folder) => existsSync(folder))
  const others = pathOutsideProjects(search)
    .split(delimiter)
    .filter((folder) => folder !== '' && checkoutAround(realPath(folder) ?? folder) === undefined)
  return [...new Set([...system, ...others])]
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The absolute path of a program in the given folders. */
export function findProgramIn(folders: readonly string[], name: string): string | undefined {
  const files = process.platform === 'win32' ? [`${name}.exe`] : [name]
  return folders.flatMap((folder) => files.map((file) => join(folder, file))).find(isExecutableFile)
}

/** Undefined when the folder of this process no longer exists. */
export function currentFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

let folders: readonly string[] | undefined
const found = new Map<string, string>()

/** Resolved once per process: a later change of PATH or folder has no effect. */
function ownFolders(): readonly string[] {
  folders ??= programFolders({ env: process.env, cwd: currentFolder() })
  return folders
}

/** The absolute path of a program that Holdfast runs itself; undefined when it is not installed. */
export function programPath(name: string): string | undefined {
  const known = found.get(name)
  if (known !== undefined) return known
  const path = findProgramIn(ownFolders(), name)
  if (path !== undefined) found.set(name, path)
  return path
}

/** The PATH that such a program is started with. */
export function programSearchPath(): string {
  return ownFolders().join(delimiter)
}
