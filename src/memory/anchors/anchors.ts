import type { AnchorCheck, Memory, MemoryAnchor } from '../../kernel/memory.ts'
import { findPaths } from '../../kernel/paths/paths.ts'
import type { ContinuityPorts } from '../../kernel/ports/runtime.ts'

const MAX_ANCHORS = 12
const MAX_FILE_BYTES = 2_000_000
const COMMIT = /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/g
const SYMBOL = /`([A-Za-z_$][\w$]{2,}(?:\.[A-Za-z_$][\w$]*)?)(?:\(\))?`/g

type AnchorPorts = Pick<ContinuityPorts, 'files' | 'git'>

function capture(text: string, pattern: RegExp, group = 0): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[group] ?? ''))]
}

/** Files, names in those files and commits that the text names and that exist now. */
export async function findAnchors(
  { files, git }: AnchorPorts,
  text: string,
  worktree: string,
): Promise<readonly MemoryAnchor[]> {
  const anchors: MemoryAnchor[] = []
  const contents: { readonly file: string; readonly content: string }[] = []
  for (const name of new Set(findPaths(text, MAX_ANCHORS))) {
    const path = name.startsWith('/') ? name : `${worktree}/${name}`
    if (anchors.length >= MAX_ANCHORS || !path.startsWith(`${worktree}/`) || name.includes('..')) continue
    const hash = await files.contentHash(path, MAX_FILE_BYTES)
    if (hash === undefined) continue
    anchors.push({ kind: 'file', name, hash })
    contents.push({ file: name, content: (await files.readText(path, MAX_FILE_BYTES)) ?? '' })
  }
  for (const name of capture(text, SYMBOL, 1)) {
    const holder = contents.find(({ content }) => content.includes(name))
    if (holder !== undefined) anchors.push({ kind: 'symbol', name, file: holder.file })
  }
  for (const name of capture(text, COMMIT)) {
    if (anchors.length < MAX_ANCHORS && (await git.hasCommit(worktree, name)) === true)
      anchors.push({ kind: 'commit', name })
  }
  return anchors.slice(0, MAX_ANCHORS)
}

async function checkAnchor(
  { files, git }: AnchorPorts,
  { kind, name, hash, file }: MemoryAnchor,
  worktree: string,
): Promise<AnchorCheck['state']> {
  const locate = (path: string) => (path.startsWith('/') ? path : `${worktree}/${path}`)
  if (kind === 'commit') {
    const isHere = await git.hasCommit(worktree, name)
    return isHere === undefined ? 'unknown' : isHere ? 'unchanged' : 'missing'
  }
  const content = kind === 'symbol' ? await files.readText(locate(file ?? ''), MAX_FILE_BYTES) : undefined
  if (kind === 'symbol') return content?.includes(name) === true ? 'unchanged' : 'missing'
  if ((await files.facts(locate(name))) === undefined) return 'missing'
  return (await files.contentHash(locate(name), MAX_FILE_BYTES)) === hash ? 'unchanged' : 'changed'
}

/** Without a worktree of the memory's project nothing can be checked. */
export async function checkAnchors(
  ports: AnchorPorts,
  { anchors = [] }: Pick<Memory, 'anchors'>,
  worktree: string | undefined,
): Promise<readonly AnchorCheck[]> {
  return await Promise.all(
    anchors.map(async (anchor) => ({
      anchor,
      state: worktree === undefined ? 'unknown' : await checkAnchor(ports, anchor, worktree),
    })),
  )
}

/** What of the memory's anchors is no longer as it was when it was stored. */
export async function findOutdated(
  ports: AnchorPorts,
  memory: Pick<Memory, 'anchors'>,
  worktree: string,
): Promise<readonly AnchorCheck[]> {
  if (memory.anchors === undefined) return []
  const checks = await checkAnchors(ports, memory, worktree)
  return checks.filter(({ state }) => state === 'changed' || state === 'missing')
}
