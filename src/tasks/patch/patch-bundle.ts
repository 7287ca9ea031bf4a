import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isEnvFile } from '../../redaction/env-file.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import type { GitScratch } from '../../platform/git/git-command.ts'
import { openCheckoutTop } from '../../platform/git/git-dir.ts'
import { findFiltered } from '../../platform/git/git-filters.ts'
import { runGitFully } from '../../platform/git/git-write.ts'
import { writeProjectFile } from '../../platform/files/project-file.ts'
import { withRegularFile } from '../../platform/files/regular-file.ts'
import { withScratchDir } from '../../platform/scratch-dir.ts'
import { OUTSIDE_TASKS } from './changed-files.ts'
import type { TaskFolder } from '../files/task-folder.ts'
import { fullPath, linkTarget, listWorkChanges, type WorkChange } from './work-changes.ts'

const MAX_SCANNED_BYTES = 8_000_000
const MAX_READ_BYTES = 64_000_000

interface NoPatch {
  readonly kind: 'none'
  /** There was nothing that a patch could hold. */
  readonly isClean: boolean
  readonly reason: string
}

export type PatchBundle =
  | { readonly kind: 'patch'; readonly file: string; readonly leftOut: readonly string[] }
  | NoPatch

export type WorkPatch =
  | { readonly kind: 'patch'; readonly patch: Buffer; readonly leftOut: readonly string[] }
  | NoPatch

export type Checkout = Pick<TaskFolder, 'root' | 'redactor'>

export interface PatchOptions {
  /** For another machine: a link from there could lead anywhere here. */
  readonly withoutLinks?: boolean
}

interface Base {
  /** What the patch applies to. */
  readonly tree: string
  readonly root: string
  readonly scratch: GitScratch
}

async function git(
  { root, scratch }: Pick<Base, 'root' | 'scratch'>,
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

/** Why there is no patch of this folder; undefined where git can be asked for one. */
async function missingRepository(root: string): Promise<string | undefined> {
  const top = await openCheckoutTop(root)
  if (top.kind === 'none') return 'this is no git repository'
  if (top.kind === 'unreadable') return `${top.path} is not a regular file, so git is not asked`
  const inside = await runGitFully(root, ['rev-parse', '--is-inside-work-tree'])
  if (inside.exitStatus !== 0) return inside.stderr.trim()
  return inside.stdout.toString().trim() === 'true' ? undefined : 'this is no git repository'
}

async function findBase(root: string, dir: string): Promise<Base> {
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

/** As git decides it. */
function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0)
}

/** Without the NULs that stand between the letters of UTF-16, which git takes for binary. */
function speaksSecret({ redactor }: Checkout, bytes: Buffer): boolean {
  if (bytes.length > MAX_SCANNED_BYTES) return true
  const text = bytes.toString('latin1')
  return [text, text.replaceAll('\0', '')].some((one) => redactor.findings(one).length > 0)
}

/** What is on the disk, read by us and by nobody else; what cannot be read is taken for a secret. */
async function holdsSecretOnDisk(folder: Checkout, { bytes, onDisk }: WorkChange): Promise<boolean> {
  if (onDisk === 'link') return speaksSecret(folder, linkTarget(folder.root, bytes))
  if (onDisk !== 'file') return false
  const content = await withRegularFile(fullPath(folder.root, bytes), async (file, size) =>
    size > MAX_READ_BYTES ? undefined : file.readFile(),
  )
  if (content === undefined) return true
  return isBinary(content)
    ? speaksSecret(folder, content)
    : folder.redactor.findings(content.toString('utf8')).length > 0
}

/** What HEAD has in its place, which a patch of a binary file holds as well. */
async function heldSecretBefore(folder: Checkout, base: Base, { path, isUntracked }: WorkChange): Promise<boolean> {
  if (isUntracked) return false
  const before = await runGitFully(base.root, ['cat-file', 'blob', `${base.tree}:${path}`], { scratch: base.scratch })
  return before.exitStatus === 0 && isBinary(before.stdout) && speaksSecret(folder, before.stdout)
}

/** A patch cannot be redacted and still apply, so a file that would bring a secret into it stays out of it. */
async function holdsSecret(folder: Checkout, base: Base, change: WorkChange): Promise<boolean> {
  const { path, bytes, isInDiff } = change
  if (isEnvFile(path)) return true
  // A name that is not text cannot be an argument.
  if (!isInDiff || !Buffer.from(path).equals(bytes))
    return (await holdsSecretOnDisk(folder, change)) || (await heldSecretBefore(folder, base, change))
  const args = [...DIFF, '--unified=3', base.tree, '--', `:(literal,top)${path}`]
  const { exitStatus, stdout: diff } = await runGitFully(base.root, args)
  // What git has no answer to, as where a partial clone never had the file, cannot be in a patch either.
  if (exitStatus !== 0) return true
  if (!diff.includes(BINARY)) return folder.redactor.findings(diff.toString('utf8')).length > 0
  return (await heldSecretBefore(folder, base, change)) || (await holdsSecretOnDisk(folder, change))
}

/** One look at everything that git shows, which is enough for nearly every bundle. Nothing of it is written anywhere. */
async function mayHoldSecret(folder: Checkout, base: Base): Promise<boolean> {
  const { exitStatus, stdout } = await runGitFully(base.root, [...DIFF, base.tree, ...OUTSIDE_TASKS])
  if (exitStatus !== 0 || stdout.length > MAX_SCANNED_BYTES || stdout.includes(BINARY)) return true
  return folder.redactor.findings(stdout.toString('utf8')).length > 0
}

/** What has no place in a patch, found before a byte of it is copied. */
async function findUnfit(
  folder: Checkout,
  base: Base,
  changes: readonly WorkChange[],
  withoutLinks: boolean,
): Promise<ReadonlySet<WorkChange>> {
  const isSuspect = await mayHoldSecret(folder, base)
  const { isFiltered } = await findFiltered(
    folder.root,
    changes.map(({ bytes }) => bytes),
  )
  const unfit = new Set<WorkChange>()
  for (const change of changes) {
    const isUnfit =
      change.onDisk === 'other' ||
      (withoutLinks && change.isLink) ||
      isEnvFile(change.path) ||
      isFiltered(change.bytes) ||
      ((isSuspect || !change.isInDiff) && (await holdsSecret(folder, base, change)))
    if (isUnfit) unfit.add(change)
  }
  return unfit
}

function namesOf(changes: readonly WorkChange[]): Buffer {
  return Buffer.concat(changes.flatMap(({ bytes }) => [bytes, Buffer.from([0])]))
}

/**
 * Puts these changes into an index of its own: the repository's stays as it is. Gives those that git does not take, such as a
 * repository inside this one that has no commit yet.
 */
async function stage(base: Base, changes: readonly WorkChange[]): Promise<readonly WorkChange[]> {
  await git(base, ['read-tree', base.tree])
  const gone = changes.filter(({ onDisk }) => onDisk === undefined)
  if (gone.length > 0) await git(base, ['update-index', '--force-remove', '-z', '--stdin'], namesOf(gone))
  const add = ['update-index', '--add', '--replace', '-z', '--stdin']
  const there = changes.filter(({ onDisk }) => onDisk !== undefined)
  const refused: WorkChange[] = []
  const plain = there.filter(({ onDisk }) => onDisk !== 'repository')
  const isTaken = async (some: readonly WorkChange[]) => {
    const input = namesOf(some)
    return (await runGitFully(base.root, add, { scratch: base.scratch, input })).exitStatus === 0
  }
  const oneByOne = (await isTaken(plain)) ? there.filter((change) => !plain.includes(change)) : there
  for (const change of oneByOne) if (!(await isTaken([change]))) refused.push(change)
  return refused
}

async function prove({ root, scratch, tree }: Base, dir: string, patch: Buffer): Promise<void> {
  const file = join(dir, 'proof.patch')
  writeFileSync(file, patch, { mode: 0o600 })
  const clean = { root, scratch: { ...scratch, indexFile: join(dir, 'proof-index') } }
  await git(clean, ['read-tree', tree])
  await git(clean, ['apply', '--cached', '--check', '--binary', '--whitespace=nowarn', file])
}

/** Named as git would list it: a repository by its folder. */
function nameOf({ path, onDisk }: WorkChange, isRefused: boolean): string {
  return isRefused && onDisk === 'repository' ? `${path}/` : path
}

async function compose(folder: Checkout, dir: string, { withoutLinks = false }: PatchOptions): Promise<WorkPatch> {
  const missing = await missingRepository(folder.root)
  if (missing !== undefined) return { kind: 'none', isClean: false, reason: missing }
  const base = await findBase(folder.root, dir)
  const changes = await listWorkChanges(folder.root)
  const unfit = await findUnfit(folder, base, changes, withoutLinks)
  const fit = changes.filter((change) => !unfit.has(change))
  const refused = await stage(base, fit)
  const leftOut = [
    ...[...unfit].map((one) => nameOf(one, false)),
    ...refused.map((one) => nameOf(one, true)),
  ].toSorted()
  const patch = await git(base, [...DIFF, '--cached', base.tree])
  if (patch.length === 0)
    return leftOut.length === 0
      ? { kind: 'none', isClean: true, reason: 'nothing is uncommitted' }
      : { kind: 'none', isClean: false, reason: `nothing that changed may be in a patch: ${leftOut.join(', ')}` }
  // Between the look and the copy somebody may have saved a file.
  if (!patch.includes(BINARY) && folder.redactor.findings(patch.toString('utf8')).length > 0)
    throw new HoldfastError('conflict', 'A file was changed while the patch was made, and now holds a secret.', {
      hint: 'Try again.',
    })
  await prove(base, dir, patch)
  return { kind: 'patch', patch, leftOut }
}

/**
 * Everything uncommitted, untracked and binary files included, as one patch that was proven to apply to HEAD. Files with a
 * secret, files that go through a filter, and what git does not take, are left out and named, and nothing of them is copied.
 * Changes neither the index nor the work tree.
 */
export function composePatch(checkout: Checkout, options: PatchOptions = {}): Promise<WorkPatch> {
  return withScratchDir((dir) => compose(checkout, dir, options))
}

/** The same, as a file of a task. */
export async function writePatchBundle(folder: TaskFolder, name: string): Promise<PatchBundle> {
  const composed = await composePatch(folder)
  if (composed.kind === 'none') return composed
  const file = `work/patches/${name}.patch`
  writeProjectFile({ root: folder.root, path: folder.pathOf(file) }, composed.patch)
  return { kind: 'patch', file, leftOut: composed.leftOut }
}
