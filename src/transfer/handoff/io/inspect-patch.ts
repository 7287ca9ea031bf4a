import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError } from '../../../kernel/errors.ts'
import { runGitFully } from '../../../platform/git/git-write.ts'
import { withScratchDir } from '../../../platform/scratch-dir.ts'
import { isPlainPath, patchTrouble } from './safe-paths.ts'
import { isSettingsFile } from './settings-files.ts'

export interface PatchFacts {
  /** Every file that it makes, changes or deletes, as git reads the patch. */
  readonly paths: readonly string[]
  /** Those among them that a tool runs, or reads as its settings, or that become executable. */
  readonly settings: readonly string[]
}

const REGULAR_MODES: ReadonlySet<string> = new Set(['100644', '100755'])

function refuse(what: string): never {
  throw new HoldfastError('invalid-input', `This bundle is refused: its patch ${what}.`, {
    hint: 'Ask its sender for it again; nothing of it was kept.',
  })
}

/** Gives `use` the patch as a file that nobody else can read. */
export function withPatchFile<T>(patch: Buffer, use: (file: string, dir: string) => Promise<T>): Promise<T> {
  return withScratchDir(async (dir) => {
    const file = join(dir, 'work.patch')
    writeFileSync(file, patch, { mode: 0o600 })
    return use(file, dir)
  })
}

/** What git makes of the patch, asked in an empty folder: the same reading that it would apply. */
async function readByGit(patch: Buffer, options: readonly string[]): Promise<string> {
  const run = await withPatchFile(patch, (file, dir) =>
    runGitFully(dir, ['apply', ...options, file], { isOutside: true }),
  )
  if (run.exitStatus === 0) return run.stdout.toString('utf8')
  return refuse(`cannot be read: ${run.stderr.trim().slice(0, 300)}`)
}

/** Lines of `git apply --summary`. A name with a line break can add one, but never hide one. */
function refuseModes(summary: string): void {
  for (const line of summary.split('\n')) {
    if (/^ (?:rename|copy) /.test(line)) refuse('renames or copies a file')
    const modes = /^ (?:(?:create|delete) mode (\d+)|mode change (\d+) => (\d+))/.exec(line)?.slice(1)
    if (modes?.some((mode) => mode !== undefined && !REGULAR_MODES.has(mode)) === true)
      refuse('brings a symbolic link or another repository')
  }
}

/** A header that gives a file another mode than that of plain content, in whatever spelling. */
const OTHER_MODE = /^new (?:file )?mode (?!0*100644\s*$)/gm

/**
 * Which of `paths` become executable. Git's summary does not name a file whose patch gives no old mode, or a wrong one, and a line
 * break in a name can add a line to it: where it does not account for every header of the patch, it may be any of them.
 */
function findExecutables(patch: Buffer, summary: string, paths: readonly string[]): readonly string[] {
  const headers = patch.toString('latin1').match(OTHER_MODE)?.length ?? 0
  if (headers === 0) return []
  const lines = new Set(summary.split('\n'))
  const named = [...new Set(paths)].filter(
    (path) => lines.has(` create mode 100755 ${path}`) || lines.has(` mode change 100644 => 100755 ${path}`),
  )
  return headers === named.length && !paths.some((path) => path.includes('\n')) ? named : paths
}

/** Without a mode of its own, a patch keeps that of what is there: it could turn a link elsewhere. */
function refuseTarget(worktree: string, path: string): void {
  if (!isPlainPath(path)) refuse('names a file outside the checkout')
  const parts = path.split('/')
  for (const [n] of parts.entries()) {
    const facts = lstatSync(join(worktree, ...parts.slice(0, n + 1)), { throwIfNoEntry: false })
    if (facts === undefined) return
    const isLast = n === parts.length - 1
    if (!facts.isDirectory() && !(isLast && facts.isFile()))
      refuse(`would write through ${parts.slice(0, n + 1).join('/')}`)
    if (isLast && facts.isDirectory()) refuse(`would replace the folder ${path}`)
  }
}

/** What a patch would do here, by git's own reading of it. Refuses links, other repositories and what lies outside. */
export async function inspectPatch(worktree: string, patch: Buffer): Promise<PatchFacts> {
  const trouble = patchTrouble(patch)
  if (trouble !== undefined) refuse(trouble)
  const summary = await readByGit(patch, ['--summary'])
  refuseModes(summary)
  const listed = await readByGit(patch, ['--numstat', '-z'])
  const paths = listed
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.split('\t').slice(2).join('\t'))
  if (paths.length === 0) refuse('names no file')
  for (const path of paths) refuseTarget(worktree, path)
  const executables = new Set(findExecutables(patch, summary, paths))
  return { paths, settings: paths.filter((path) => isSettingsFile(path) || executables.has(path)) }
}
