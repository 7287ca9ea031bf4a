import { createHmac, randomBytes } from 'node:crypto'
import { HoldfastError } from '../../kernel/errors.ts'
import type { NamedFile } from '../checkpoint-files.ts'
import { AUTOSAVE_LOG } from '../format/name.ts'
import type { GitMark, Seal } from '../format/named-checkpoint.ts'
import { parseNamed } from '../format/parse.ts'
import { isOurs } from '../format/seal.ts'
import type { Git, Redactor } from '../../kernel/ports/ports.ts'
import { ensurePrivateDir } from '../../platform/files/atomic-file.ts'
import type { Home } from '../../platform/base/home.ts'
import {
  deleteProjectFile,
  listProjectFolder,
  readProjectFile,
  resolveInside,
  writeProjectFile,
} from '../../platform/files/project-file.ts'
import { type FilePresence, hashProjectFile } from '../../platform/files/project-hash.ts'

const CHECKPOINT_FOLDER = 'memory/checkpoints'
const MAX_BYTES = 1_000_000
const MAX_HASHED_BYTES = 4_000_000
const KEY_FILE = 'checkpoint-key'

/** The checkpoints that people save by name: Markdown files of the project, which may hold anything. */
export interface CheckpointFolder {
  readonly root: string
  readonly redactor: Redactor
  readonly seal: Seal
  git(): Promise<GitMark | undefined>
  presenceOf(path: string): FilePresence
  /** Undefined when there is none of that name. */
  find(name: string): NamedFile | undefined
  /** Newest first; files that are links, pipes or too large are left out. */
  list(): readonly NamedFile[]
  write(name: string, text: string): void
  /** Another file of the project, as `readText` names it. Never follows a link. */
  writeText(path: string, text: string): void
  /** True when there was one. */
  delete(name: string): boolean
  /** A file of the project as text; undefined when there is none. Refuses a link that leads out of the project. */
  readText(path: string): string | undefined
}

export function pathOf(name: string): string {
  return `${CHECKPOINT_FOLDER}/${name}.md`
}

/** The user's own key, made when first needed: a repository cannot bring a file that passes as ours. */
function sealOf(home: Pick<Home, 'root'>): Seal {
  ensurePrivateDir(home.root)
  const at = { root: home.root, path: KEY_FILE }
  const known = readProjectFile(at, 1_000)
  const key = known?.bytes ?? Buffer.from(randomBytes(32).toString('hex'))
  if (known === undefined) writeProjectFile(at, key, { mode: 0o600, expected: { bytes: undefined } })
  return (text) => createHmac('sha256', key).update(text).digest('hex')
}

/** The file says the minute; where its own time is of that minute, that is the exact one. */
function exactTime(createdAt: string | undefined, modifiedAt: string): string {
  return createdAt === undefined || createdAt.slice(0, 16) === modifiedAt.slice(0, 16) ? modifiedAt : createdAt
}

/** One file that cannot be read must not hide the others. */
function orNone(find: () => NamedFile | undefined): readonly NamedFile[] {
  try {
    const found = find()
    return found === undefined ? [] : [found]
  } catch (thrown) {
    if (thrown instanceof HoldfastError) return []
    throw thrown
  }
}

export interface FolderOptions {
  /** The worktree's top. */
  readonly root: string
  readonly home: Pick<Home, 'root'>
  readonly redactor: Redactor
  readonly git: Git
}

export function openCheckpointFolder({ root, home, redactor, git }: FolderOptions): CheckpointFolder {
  const seal = sealOf(home)
  const at = (name: string) => {
    if (/[/\\]/.test(name)) throw new HoldfastError('invalid-input', `${JSON.stringify(name)} is no checkpoint's name.`)
    return { root, path: pathOf(name) }
  }
  const find = (name: string): NamedFile | undefined => {
    const found = readProjectFile(at(name), MAX_BYTES)
    if (found === undefined) return undefined
    const text = found.bytes.toString('utf8')
    const read = parseNamed(text)
    const savedAt = exactTime(read.createdAt, found.modifiedAt)
    return { name, path: pathOf(name), text, read, isOurs: isOurs(text, seal), savedAt }
  }
  const list = (): readonly NamedFile[] =>
    listProjectFolder({ root, path: CHECKPOINT_FOLDER })
      .filter((file) => file.endsWith('.md') && file !== `${AUTOSAVE_LOG}.md`)
      .flatMap((file) => orNone(() => find(file.slice(0, -'.md'.length))))
      .sort((a, b) => (a.savedAt < b.savedAt ? 1 : -1))
  return {
    root,
    redactor,
    seal,
    find,
    list,
    git: () => git.state(root),
    presenceOf: (path) => hashProjectFile({ root, path }, MAX_HASHED_BYTES),
    write: (name, text) => writeProjectFile(at(name), text),
    writeText: (path, text) => writeProjectFile({ root, path }, text),
    delete: (name) => deleteProjectFile(at(name)),
    readText: (path) => readProjectFile(resolveInside({ root, path }), MAX_BYTES)?.bytes.toString('utf8'),
  }
}
