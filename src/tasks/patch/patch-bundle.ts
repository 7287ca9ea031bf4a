import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isEnvFile } from '../../redaction/env-files.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { type GitScratch, runGitFully } from '../../platform/git/git-command.ts'
import { openCheckoutTop } from '../../platform/git/git-dir.ts'
import { findFiltered } from '../../platform/git/git-queries.ts'
import { writeProjectFile } from '../../platform/files/project-file.ts'
import { withRegularFile } from '../../platform/files/files.ts'
import { withScratchDir } from '../../platform/scratch-dir.ts'
import { OUTSIDE_TASKS } from './changed-files.ts'
import type { TaskFolder } from '../files/task-folder.ts'
import { fullPath, linkTarget, listWorkChanges, type WorkChange } from './work-changes.ts'

const MAX_SCANNED_BYTES = 8_000_000
const MAX_READ_BYTES = 64_000_000

interface NoPatch {
  readonly kind: 'none'
  /** Nothing was uncommitted. */
  readonly isClean: boolean
  readonly reason: string
}

export type PatchBundle =
  | { readonly kind: 'patch'; readonly file: string; readonly leftOut: readonly string[] }
  | NoPatch

export type WorkPatch =
  | { readonly kind: 'patch'; readonly patch: Buffer; readonly leftOut: readonly string[] }
  | NoPatch

export type PatchSource = Pick<TaskFolder, 'root' | 'redactor'>

export interface PatchOptions {
  /** For another machine, where a link could lead anywhere. */
  readonly withoutLinks?: boolean
}

interface PatchBase {
  /** The tree that the patch applies to. */
  readonly tree: string
  readonly root: string
  readonly scratch: GitScratch
}

async function git(
  { root, scratch }: Pick<PatchBase, 'root' | 'scratch'>,
  args: readonly string[],
  input?: Buffer,
): Promise<Buffer> {
  const { exitStatus, stdout, stderr } = await runGitFully(root, args, {
    scratch,
    ...(input !== undefined && { input }),
  })
  if (exitStatus === 0) return stdout
  throw new HoldfastError('conflict', `git ${args[0] ?? ''} failed: ${stderr.trim()}`)
}

/** Why git cannot make a patch here; undefined if it can. */
async function findRepositoryProblem(root: string): Promise<string | undefined> {
  const top = await openCheckoutTop(root)
  if (top.kind === 'none') return 'this is not a git repository'
  if (top.kind === 'unreadable') return `${top.path} is not a regular file, so git is not run`
  const inside = await runGitFully(root, ['rev-parse', '--is-inside-work-tree'])
  if (inside.exitStatus !== 0) return inside.stderr.trim()
  return inside.stdout.toString().trim() === 'true' ? undefined : 'this is not a git repository'
}

async function findBase(root: string, dir: string): Promise<PatchBase> {
  const objects = await runGitFully(root, ['rev-parse', '--git-path', 'objects'])
  const scratch = {
    indexFile: join(dir, 'index'),
    objectDir: join(dir, 'objects'),
    alternates: resolve(root, objects.stdout.toString().trim()),
  }
  mkdirSync(scratch.objectDir, { mode: 0o700 })
  const head = await runGitFully(root, ['rev-parse', '--quiet', '--verify', 'HEAD^{tree}'])
  if (head.exitStatus === 0) return { root, scratch, tree: head.stdout.toString().trim() }
  const empty = await git({ root, scratch }, ['hash-object', '-t', 'tree', '-w', '--stdin'])
  return { root, scratch, tree: empty.toString().trim() }
}

const DIFF = ['diff', '--binary', '--full-index', '--no-renames', '--no-color', '--src-prefix=a/', '--dst-prefix=b/']
const BINARY = 'GIT binary patch'

/** Git's own rule. */
function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0)
}

/** Also scans without NULs: git treats UTF-16 as binary. */
function hasSecretBytes({ redactor }: PatchSource, bytes: Buffer): boolean {
  if (bytes.length > MAX_SCANNED_BYTES) return true
  const text = bytes.toString('latin1')
  return [text, text.replaceAll('\0', '')].some((one) => redactor.findings(one).length > 0)
}

/** Scans the file on disk. An unreadable file counts as a secret. */
async function hasSecretOnDisk(folder: PatchSource, { bytes, onDisk }: WorkChange): Promise<boolean> {
  if (onDisk === 'link') return hasSecretBytes(folder, linkTarget(folder.root, bytes))
  if (onDisk !== 'file') return false
  const content = await withRegularFile(fullPath(folder.root, bytes), async (file, size) =>
    size > MAX_READ_BYTES ? undefined : file.readFile(),
  )
  if (content === undefined) return true
  return isBinary(content)
    ? hasSecretBytes(folder, content)
    : folder.redactor.findings(content.toString('utf8')).length > 0
}

/** Scans HEAD's version, which the patch of a binary file also contains. */
async function hadSecretBefore(
  folder: PatchSource,
  base: PatchBase,
  { path, isUntracked }: WorkChange,
): Promise<boolean> {
  if (isUntracked) return false
  const before = await runGitFully(base.root, ['cat-file', 'blob', `${base.tree}:${path}`], { scratch: base.scratch })
  return before.exitStatus === 0 && isBinary(before.stdout) && hasSecretBytes(folder, before.stdout)
}

/** A redacted patch would not apply, so a file with a secret is left out. */
async function hasSecret(folder: PatchSource, base: PatchBase, change: WorkChange): Promise<boolean> {
  const { path, bytes, isInDiff } = change
  if (isEnvFile(path)) return true
  // A name that is not UTF-8 cannot be an argument.
  if (!isInDiff || !Buffer.from(path).equals(bytes))
    return (await hasSecretOnDisk(folder, change)) || (await hadSecretBefore(folder, base, change))
  const args = [...DIFF, '--unified=3', base.tree, '--', `:(literal,top)${path}`]
  const { exitStatus, stdout: diff } = await runGitFully(base.root, args)
  // A file that git cannot read, as in a partial clone, cannot be in a patch.
  if (exitStatus !== 0) return true
  if (!diff.includes(BINARY)) return folder.redactor.findings(diff.toString('utf8')).length > 0
  return (await hadSecretBefore(folder, base, change)) || (await hasSecretOnDisk(folder, change))
}

/** One scan of the whole diff, which suffices for nearly every bundle. */
async function mayHaveSecret(folder: PatchSource, base: PatchBase): Promise<boolean> {
  const { exitStatus, stdout } = await runGitFully(base.root, [...DIFF, base.tree, ...OUTSIDE_TASKS])
  if (exitStatus !== 0 || stdout.length > MAX_SCANNED_BYTES || stdout.includes(BINARY)) return true
  return folder.redactor.findings(stdout.toString('utf8')).length > 0
}

/** Changes that must not be in a patch, found before any content is copied. */
async function findExcluded(
  folder: PatchSource,
  base: PatchBase,
  changes: readonly WorkChange[],
  withoutLinks: boolean,
): Promise<ReadonlySet<WorkChange>> {
  const isSuspect = await mayHaveSecret(folder, base)
  const { isFiltered } = await findFiltered(
    folder.root,
    changes.map(({ bytes }) => bytes),
  )
  const excluded = new Set<WorkChange>()
  for (const change of changes) {
    const isExcluded =
      change.onDisk === 'other' ||
      (withoutLinks && change.isLink) ||
      isEnvFile(change.path) ||
      isFiltered(change.bytes) ||
      ((isSuspect || !change.isInDiff) && (await hasSecret(folder, base, change)))
    if (isExcluded) excluded.add(change)
  }
  return excluded
}

function joinNames(changes: readonly WorkChange[]): Buffer {
  return Buffer.concat(changes.flatMap(({ bytes }) => [bytes, Buffer.from([0])]))
}

/** Stages the changes in a scratch index. Returns those that git refuses, such as a nested repository without a commit. */
async function stage(base: PatchBase, changes: readonly WorkChange[]): Promise<readonly WorkChange[]> {
  await git(base, ['read-tree', base.tree])
  const gone = changes.filter(({ onDisk }) => onDisk === undefined)
  if (gone.length > 0) await git(base, ['update-index', '--force-remove', '-z', '--stdin'], joinNames(gone))
  const add = ['update-index', '--add', '--replace', '-z', '--stdin']
  const there = changes.filter(({ onDisk }) => onDisk !== undefined)
  const refused: WorkChange[] = []
  const plain = there.filter(({ onDisk }) => onDisk !== 'repository')
  const isTaken = async (some: readonly WorkChange[]) => {
    const input = joinNames(some)
    return (await runGitFully(base.root, add, { scratch: base.scratch, input })).exitStatus === 0
  }
  const oneByOne = (await isTaken(plain)) ? there.filter((change) => !plain.includes(change)) : there
  for (const change of oneByOne) if (!(await isTaken([change]))) refused.push(change)
  return refused
}

async function verifyPatch({ root, scratch, tree }: PatchBase, dir: string, patch: Buffer): Promise<void> {
  const file = join(dir, 'proof.patch')
  writeFileSync(file, patch, { mode: 0o600 })
  const clean = { root, scratch: { ...scratch, indexFile: join(dir, 'proof-index') } }
  await git(clean, ['read-tree', tree])
  await git(clean, ['apply', '--cached', '--check', '--binary', '--whitespace=nowarn', file])
}

/** As git lists it: a repository with a slash. */
function formatName({ path, onDisk }: WorkChange, isRefused: boolean): string {
  return isRefused && onDisk === 'repository' ? `${path}/` : path
}

async function compose(folder: PatchSource, dir: string, { withoutLinks = false }: PatchOptions): Promise<WorkPatch> {
  const problem = await findRepositoryProblem(folder.root)
  if (problem !== undefined) return { kind: 'none', isClean: false, reason: problem }
  const base = await findBase(folder.root, dir)
  const changes = await listWorkChanges(folder.root)
  const excluded = await findExcluded(folder, base, changes, withoutLinks)
  const included = changes.filter((change) => !excluded.has(change))
  const refused = await stage(base, included)
  const leftOut = [
    ...[...excluded].map((one) => formatName(one, false)),
    ...refused.map((one) => formatName(one, true)),
  ].toSorted()
  const patch = await git(base, [...DIFF, '--cached', base.tree])
  if (patch.length === 0)
    return leftOut.length === 0
      ? { kind: 'none', isClean: true, reason: 'nothing is uncommitted' }
      : { kind: 'none', isClean: false, reason: `no change may be in a patch: ${leftOut.join(', ')}` }
  // A file may have been saved between the scan and the copy.
  if (!patch.includes(BINARY) && folder.redactor.findings(patch.toString('utf8')).length > 0)
    throw new HoldfastError('conflict', 'A file changed while the patch was made and now contains a secret.', {
      hint: 'Try again.',
    })
  await verifyPatch(base, dir, patch)
  return { kind: 'patch', patch, leftOut }
}

/**
 * All uncommitted work, with untracked and binary files, as one patch that was verified to apply to HEAD. Leaves out and names
 * files with a secret, files with a git filter, and files that git refuses. Changes neither the index nor the work tree.
 */
export function composePatch(checkout: PatchSource, options: PatchOptions = {}): Promise<WorkPatch> {
  return withScratchDir((dir) => compose(checkout, dir, options))
}

/** Writes the patch to the task folder. */
export async function writePatchBundle(folder: TaskFolder, name: string): Promise<PatchBundle> {
  const composed = await composePatch(folder)
  if (composed.kind === 'none') return composed
  const file = `work/patches/${name}.patch`
  writeProjectFile({ root: folder.root, path: folder.resolvePath(file) }, composed.patch)
  return { kind: 'patch', file, leftOut: composed.leftOut }
}
