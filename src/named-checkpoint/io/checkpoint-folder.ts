import { createHmac, randomBytes } from 'node:crypto'
import { HoldfastError } from '../../kernel/errors.ts'
import type { CheckpointFile } from '../checkpoint-files.ts'
import { AUTOSAVE_LOG } from '../format/name.ts'
import { type GitMark, type Seal, parseNamed, hasValidSeal } from '../format/file-format.ts'
import type { Git, Redactor } from '../../kernel/ports/ports.ts'
import { ensurePrivateDir } from '../../platform/files/atomic-file.ts'
import type { Home } from '../../platform/base/home.ts'
import {
  deleteProjectFile,
  listProjectFolder,
  readProjectFile,
  resolveInside,
  writeProjectFile,
  type FilePresence,
  hashProjectFile,
} from '../../platform/files/project-file.ts'

const CHECKPOINT_FOLDER = 'memory/checkpoints'
const MAX_BYTES = 1_000_000
const MAX_HASHED_BYTES = 4_000_000
const KEY_FILE = 'checkpoint-key'

/** `memory/checkpoints/` of a project. Its files are untrusted: they may come with the repository. */
export interface CheckpointFolder {
  readonly root: string
  readonly redactor: Redactor
  readonly seal: Seal
  git(): Promise<GitMark | undefined>
  findFile(path: string): FilePresence
  find(name: string): CheckpointFile | undefined
  /** Newest first, without links, pipes and files that are too large. */
  list(): readonly CheckpointFile[]
  write(name: string, text: string): void
  /** Writes another file of the project. Never follows a link. */
  writeText(path: string, text: string): void
  /** True if it existed. */
  delete(name: string): boolean
  /** Reads a file of the project. Refuses a link that leads out of it. */
  readText(path: string): string | undefined
}

export function getCheckpointPath(name: string): string {
  return `${CHECKPOINT_FOLDER}/${name}.md`
}

/** Uses the user's own key, created on first use, so that a repository cannot forge a seal. */
function createSeal(home: Pick<Home, 'root'>): Seal {
  ensurePrivateDir(home.root)
  const at = { root: home.root, path: KEY_FILE }
  const known = readProjectFile(at, 1_000)
  const key = known?.bytes ?? Buffer.from(randomBytes(32).toString('hex'))
  if (known === undefined) writeProjectFile(at, key, { mode: 0o600, expected: { bytes: undefined } })
  return (text) => createHmac('sha256', key).update(text).digest('hex')
}

/** The file has only minutes. If the modification time is in the same minute, it is the exact time. */
function exactTime(createdAt: string | undefined, modifiedAt: string): string {
  return createdAt === undefined || createdAt.slice(0, 16) === modifiedAt.slice(0, 16) ? modifiedAt : createdAt
}

/** An unreadable file must not hide the others. */
function findOrSkip(find: () => CheckpointFile | undefined): readonly CheckpointFile[] {
  try {
    const found = find()
    return found === undefined ? [] : [found]
  } catch (thrown) {
    if (thrown instanceof HoldfastError) return []
    throw thrown
  }
}

export interface FolderOptions {
  /** The worktree's root. */
  readonly root: string
  readonly home: Pick<Home, 'root'>
  readonly redactor: Redactor
  readonly git: Git
}

export function openCheckpointFolder({ root, home, redactor, git }: FolderOptions): CheckpointFolder {
  const seal = createSeal(home)
  const at = (name: string) => {
    if (/[/\\]/.test(name))
      throw new HoldfastError('invalid-input', `${JSON.stringify(name)} is not a checkpoint name.`)
    return { root, path: getCheckpointPath(name) }
  }
  const find = (name: string): CheckpointFile | undefined => {
    const found = readProjectFile(at(name), MAX_BYTES)
    if (found === undefined) return undefined
    const text = found.bytes.toString('utf8')
    const read = parseNamed(text)
    const savedAt = exactTime(read.createdAt, found.modifiedAt)
    return { name, path: getCheckpointPath(name), text, parsed: read, isOurs: hasValidSeal(text, seal), savedAt }
  }
  const list = (): readonly CheckpointFile[] =>
    listProjectFolder({ root, path: CHECKPOINT_FOLDER })
      .filter((file) => file.endsWith('.md') && file !== `${AUTOSAVE_LOG}.md`)
      .flatMap((file) => findOrSkip(() => find(file.slice(0, -'.md'.length))))
      .sort((a, b) => (a.savedAt < b.savedAt ? 1 : -1))
  return {
    root,
    redactor,
    seal,
    find,
    list,
    // Not a second old: a checkpoint names the commit that was just made, and a resume the branch just switched to.
    git: () => git.state(root, 'now'),
    findFile: (path) => hashProjectFile({ root, path }, MAX_HASHED_BYTES),
    write: (name, text) => writeProjectFile(at(name), text),
    writeText: (path, text) => writeProjectFile({ root, path }, text),
    delete: (name) => deleteProjectFile(at(name)),
    readText: (path) => readProjectFile(resolveInside({ root, path }), MAX_BYTES)?.bytes.toString('utf8'),
  }
}
