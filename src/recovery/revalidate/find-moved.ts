import type { FileWork } from '../../kernel/checkpoint.ts'
import { baseName } from '../../kernel/paths/paths.ts'
import type { RecoveryView } from '../merge/merge-checkpoints.ts'
import type { Findings, RecheckPorts } from './revalidate.ts'

const MAX_LOOKS = 40
const MAX_FILE_BYTES = 2_000_000

/** Of nothing: many files have it, and it says nothing about which is which. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

function folderOf(path: string): string {
  return path.slice(0, path.length - baseName(path).length)
}

/** Where git does not know of it yet: a file that is new to it, with the same content, of the same name or in the same place. */
async function findCopy(
  file: FileWork,
  untracked: readonly string[],
  { files, worktree }: RecheckPorts,
): Promise<string | undefined> {
  const name = baseName(file.path)
  for (const path of untracked) {
    const candidate = path.endsWith('/') ? `${path}${name}` : path
    if (baseName(candidate) !== name && folderOf(candidate) !== folderOf(file.path)) continue
    const hash = await files.contentHash(`${worktree}/${candidate}`, MAX_FILE_BYTES)
    if (hash !== undefined && hash === file.contentHash) return candidate
  }
  return undefined
}

/** Where files went that are gone. Nothing is asked while none is. */
export async function findMoved(view: RecoveryView, ports: RecheckPorts, found: Findings): Promise<void> {
  const gone = view.work.files.filter(({ path }) => found.files.get(path) === 'gone')
  if (gone.length === 0) return
  const head = view.origin?.head
  const renames = head === undefined ? undefined : await ports.git.renames?.(ports.worktree, head)
  const known = new Set(view.work.files.map(({ path }) => path))
  const others = found.git?.dirty?.paths.filter((path) => !known.has(path)) ?? []
  let looks = MAX_LOOKS
  for (const file of gone) {
    const renamed = renames?.get(file.path)
    if (renamed !== undefined) found.moved.set(file.path, renamed)
    else if (file.contentHash !== undefined && file.contentHash !== EMPTY && looks > 0) {
      looks -= others.length
      const copy = await findCopy(file, others, ports)
      if (copy !== undefined) found.moved.set(file.path, copy)
    }
  }
}
