import { HoldfastError } from '../../../kernel/errors.ts'
import { runGitFully } from '../../../platform/git/git-command.ts'
import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withScratchDir } from '../../../platform/scratch-dir.ts'
import { isPlainPath, findPatchTrouble } from './safe-paths.ts'
import { isSettingsFile } from './settings-files.ts'

export interface PatchFacts {
  /** Every file that it creates, changes or deletes, by git's own reading. */
  readonly paths: readonly string[]
  /** Those that a tool runs or reads as its settings, or that become executable. */
  readonly settings: readonly string[]
}

const REGULAR_MODES: ReadonlySet<string> = new Set(['100644', '100755'])

function refuse(what: string): never {
  throw new HoldfastError('invalid-input', `This bundle is refused: its patch ${what}.`, {
    hint: 'Ask the sender for a new one; nothing was stored.',
  })
}

/** Gives `use` the patch as a private file. */
function withPatchFile<T>(patch: Buffer, use: (file: string, dir: string) => Promise<T>): Promise<T> {
  return withScratchDir(async (dir) => {
    const file = join(dir, 'work.patch')
    writeFileSync(file, patch, { mode: 0o600 })
    return use(file, dir)
  })
}

/** Git's own reading of the patch, in an empty folder. */
async function readByGit(patch: Buffer, options: readonly string[]): Promise<string> {
  const run = await withPatchFile(patch, (file, dir) =>
    runGitFully(dir, ['apply', ...options, file], { isOutside: true }),
  )
  if (run.exitStatus === 0) return run.stdout.toString('utf8')
  return refuse(`cannot be read: ${run.stderr.trim().slice(0, 300)}`)
}

/** Lines of `git apply --summary`. A newline in a name can add a line, but never hide one. */
function refuseModes(summary: string): void {
  for (const line of summary.split('\n')) {
    if (/^ (?:rename|copy) /.test(line)) refuse('renames or copies a file')
    const modes = /^ (?:(?:create|delete) mode (\d+)|mode change (\d+) => (\d+))/.exec(line)?.slice(1)
    if (modes?.some((mode) => mode !== undefined && !REGULAR_MODES.has(mode)) === true)
      refuse('contains a symbolic link or another repository')
  }
}

/** A header that gives a file another mode than plain content, in any spelling. */
const OTHER_MODE = /^new (?:file )?mode (?!0*100644\s*$)/gm

/**
 * Which of `paths` become executable. Git's summary omits a file whose patch has no old mode or a wrong one, and a
 * newline in a name can add a line to it: where it does not account for every header of the patch, any of them may be
 * executable.
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

/** Without a mode, a patch keeps the existing one: it could redirect a link. */
function refuseTarget(worktree: string, path: string): void {
  if (!isPlainPath(path)) refuse('names a file outside the checkout')
  const parts = path.split('/')
  for (const [n] of parts.entries()) {
    const stats = lstatSync(join(worktree, ...parts.slice(0, n + 1)), { throwIfNoEntry: false })
    if (stats === undefined) return
    const isLast = n === parts.length - 1
    if (!stats.isDirectory() && !(isLast && stats.isFile()))
      refuse(`would write through ${parts.slice(0, n + 1).join('/')}`)
    if (isLast && stats.isDirectory()) refuse(`would replace the folder ${path}`)
  }
}

/** What a patch would do here, by git's own reading. Throws for links, other repositories and paths outside. */
export async function inspectPatch(worktree: string, patch: Buffer): Promise<PatchFacts> {
  const trouble = findPatchTrouble(patch)
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

const APPLY = ['apply', '--binary', '--whitespace=nowarn']

/** applies: to the current checkout. applied: already contained. Changes nothing. */
export function checkPatch(worktree: string, patch: Buffer): Promise<'applies' | 'applied' | 'neither'> {
  return withPatchFile(patch, async (file) => {
    const forward = await runGitFully(worktree, [...APPLY, '--check', file])
    if (forward.exitStatus === 0) return 'applies'
    const backward = await runGitFully(worktree, [...APPLY, '--check', '--reverse', file])
    return backward.exitStatus === 0 ? 'applied' : 'neither'
  })
}

export interface ApplyOptions {
  /** The commit that it was made on. */
  readonly base?: string | undefined
  /** The user allowed changes to files that tools run or read as their settings. */
  readonly allowsSettings?: boolean
}

/** Applies all of it or nothing, to the work tree only, after a dry run. */
export async function applyPatch(
  worktree: string,
  patch: Buffer,
  { base, allowsSettings = false }: ApplyOptions = {},
): Promise<void> {
  const { settings } = await inspectPatch(worktree, patch)
  if (settings.length > 0 && !allowsSettings) throw createSettingsRefusal(settings)
  return withPatchFile(patch, async (file) => {
    for (const args of [
      [...APPLY, '--check', file],
      [...APPLY, file],
    ]) {
      const { exitStatus, stderr } = await runGitFully(worktree, args)
      if (exitStatus === 0) continue
      throw new HoldfastError('conflict', `The patch does not apply here: ${stderr.trim().slice(0, 500)}`, {
        hint: `Check out ${base === undefined ? 'the commit that it was made on' : `${base.slice(0, 12)}, on which it was made`}, or commit or stash what is in its way. Nothing was stored; without \`--apply\` the rest of the bundle is.`,
      })
    }
  })
}

const SHOWN = 20

export function createSettingsRefusal(settings: readonly string[]): HoldfastError {
  const more = settings.length > SHOWN ? ` and ${settings.length - SHOWN} more` : ''
  return new HoldfastError(
    'forbidden',
    `The patch changes files that tools run or read as their settings, or makes files executable: ${settings.slice(0, SHOWN).join(', ')}${more}.`,
    { hint: 'Read them first; `--allow-settings` applies them too. Nothing was stored.' },
  )
}
