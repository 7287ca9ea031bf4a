import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isEnvFile } from '../core/env-file.ts'
import { HoldfastError } from '../core/errors.ts'
import { type GitScratch, runGitFully } from '../platform/git-write.ts'
import { readProjectFile, writeProjectFile } from '../platform/project-file.ts'
import { OUTSIDE_TASKS } from './changed-files.ts'
import type { TaskFolder } from './task-folder.ts'

const MAX_SCANNED_BYTES = 8_000_000

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

async function git({ root, scratch }: Pick<Base, 'root' | 'scratch'>, args: readonly string[]): Promise<Buffer> {
  const { exitStatus, stdout, stderr } = await runGitFully(root, args, { scratch })
  if (exitStatus === 0) return stdout
  throw new HoldfastError('conflict', `git ${args[0] ?? ''} failed: ${stderr.trim()}`)
}

async function findBase(root: string, dir: string): Promise<Base | undefined> {
  const inside = await runGitFully(root, ['rev-parse', '--is-inside-work-tree'])
  if (inside.exitStatus !== 0 || inside.stdout.toString().trim() !== 'true') return undefined
  const objects = await runGitFully(root, ['rev-parse', '--git-path', 'objects'])
  const scratch = {
    indexFile: join(dir, 'index'),
    objectDir: join(dir, 'objects'),
    alternates: resolve(root, objects.stdout.toString().trim()),
  }
  mkdirSync(scratch.objectDir, { mode: 0o700 })
  const head = await runGitFully(root, ['rev-parse', '--quiet', '--verify', 'HEAD^{tree}'])
  if (head.exitStatus === 0) return { root, scratch, tree: head.stdout.toString().trim() }
  const empty = await git({ root, scratch }, ['hash-object', '-t', 'tree', '--stdin'])
  return { root, scratch, tree: empty.toString().trim() }
}

/**
 * Stages everything that is not ignored into an index of our own: the repository's stays as it is. Gives what git does not
 * take, such as a repository inside this one that has no commit yet.
 */
async function stage(base: Base, leftOut: readonly string[]): Promise<readonly string[]> {
  await git(base, ['read-tree', base.tree])
  const excluded = leftOut.map((path) => `:(exclude,literal,top)${path}`)
  const add = ['add', '--all', '--ignore-errors', ...OUTSIDE_TASKS, ...excluded]
  const { exitStatus, stderr } = await runGitFully(base.root, add, { scratch: base.scratch })
  if (exitStatus === 0) return []
  const others = ['ls-files', '--others', '--exclude-standard', '-z', ...OUTSIDE_TASKS, ...excluded]
  const refused = fieldsOf(await git(base, others))
  if (refused.length > 0) return refused
  throw new HoldfastError('conflict', `git add failed: ${stderr.trim()}`)
}

function fieldsOf(listed: Buffer): readonly string[] {
  return listed
    .toString('utf8')
    .split('\0')
    .filter((field) => field !== '')
}

interface Staged {
  readonly path: string
  /** It is, or was, a symbolic link or another repository. */
  readonly isLink: boolean
}

const LINK_MODE = /^:(?:(?:120000|160000) |\d+ (?:120000|160000) )/

async function listStaged(base: Base): Promise<readonly Staged[]> {
  const fields = fieldsOf(await git(base, ['diff', '--cached', '--raw', '--no-renames', '-z', base.tree]))
  return fields.flatMap((facts, index) =>
    index % 2 === 0 ? [{ path: fields[index + 1] ?? '', isLink: LINK_MODE.test(facts) }] : [],
  )
}

const DIFF = [
  'diff',
  '--cached',
  '--binary',
  '--full-index',
  '--no-renames',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
]

/** A patch cannot be redacted and still apply, so a file that would bring a secret into it stays out of it. */
async function holdsSecret(folder: Checkout, base: Base, path: string): Promise<boolean> {
  if (isEnvFile(path)) return true
  const diff = await git(base, [...DIFF, '--unified=3', base.tree, '--', `:(literal,top)${path}`])
  if (!diff.includes('GIT binary patch')) return folder.redactor.findings(diff.toString('utf8')).length > 0
  // Compressed in the patch, which holds what was there before as well: both are looked at as they are.
  const before = await runGitFully(base.root, ['cat-file', 'blob', `${base.tree}:${path}`], { scratch: base.scratch })
  if (before.exitStatus === 0 && speaksSecret(folder, before.stdout)) return true
  try {
    const content = readProjectFile({ root: folder.root, path }, MAX_SCANNED_BYTES)?.bytes
    return content !== undefined && speaksSecret(folder, content)
  } catch (thrown) {
    if (thrown instanceof HoldfastError) return true
    throw thrown
  }
}

/** Without the NULs that stand between the letters of UTF-16, which git takes for binary. */
function speaksSecret({ redactor }: Checkout, bytes: Buffer): boolean {
  if (bytes.length > MAX_SCANNED_BYTES) return true
  const text = bytes.toString('latin1')
  return [text, text.replaceAll('\0', '')].some((one) => redactor.findings(one).length > 0)
}

/** One look at everything, which is enough for nearly every bundle. */
async function mayHoldSecret(folder: Checkout, base: Base, paths: readonly string[]): Promise<boolean> {
  if (paths.some(isEnvFile)) return true
  const diff = await git(base, [...DIFF, base.tree])
  if (diff.length > MAX_SCANNED_BYTES || diff.includes('GIT binary patch')) return true
  return folder.redactor.findings(diff.toString('utf8')).length > 0
}

async function prove({ root, scratch, tree }: Base, dir: string, patch: Buffer): Promise<void> {
  const file = join(dir, 'proof.patch')
  writeFileSync(file, patch, { mode: 0o600 })
  const clean = { root, scratch: { ...scratch, indexFile: join(dir, 'proof-index') } }
  await git(clean, ['read-tree', tree])
  await git(clean, ['apply', '--cached', '--check', '--binary', '--whitespace=nowarn', file])
}

async function compose(folder: Checkout, dir: string, { withoutLinks = false }: PatchOptions): Promise<WorkPatch> {
  const base = await findBase(folder.root, dir)
  if (base === undefined) return { kind: 'none', isClean: false, reason: 'this is no git repository' }
  const refused = await stage(base, [])
  const staged = await listStaged(base)
  if (staged.length === 0 && refused.length === 0)
    return { kind: 'none', isClean: true, reason: 'nothing is uncommitted' }
  const paths = staged.map(({ path }) => path)
  const isSuspect = await mayHoldSecret(folder, base, paths)
  const unfit: string[] = []
  for (const { path, isLink } of staged)
    if ((withoutLinks && isLink) || (isSuspect && (await holdsSecret(folder, base, path)))) unfit.push(path)
  const leftOut = [...refused, ...unfit].toSorted()
  if (unfit.length === staged.length)
    return { kind: 'none', isClean: false, reason: `nothing that changed may be in a patch: ${leftOut.join(', ')}` }
  if (unfit.length > 0) await stage(base, unfit)
  const patch = await git(base, [...DIFF, base.tree])
  await prove(base, dir, patch)
  return { kind: 'patch', patch, leftOut }
}

/**
 * Everything uncommitted, untracked and binary files included, as one patch that was proven to apply to HEAD. Files with a
 * secret, and what git does not take, are left out and named. Changes neither the index nor the work tree.
 */
export async function composePatch(checkout: Checkout, options: PatchOptions = {}): Promise<WorkPatch> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-patch-'))
  try {
    return await compose(checkout, dir, options)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The same, as a file of a task. */
export async function writePatchBundle(folder: TaskFolder, name: string): Promise<PatchBundle> {
  const composed = await composePatch(folder)
  if (composed.kind === 'none') return composed
  const file = `work/patches/${name}.patch`
  writeProjectFile({ root: folder.root, path: folder.pathOf(file) }, composed.patch)
  return { kind: 'patch', file, leftOut: composed.leftOut }
}
