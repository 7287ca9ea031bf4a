import { baseName } from '../../kernel/paths/paths.ts'
import { type Edit, ATTEMPT_LIMITS } from './attempts.ts'

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** FNV-1a: distinguishes lines; not for security. */
export function digest(text: string): number {
  let hash = FNV_OFFSET
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME)
  return hash >>> 0
}

/** Digests of the removed and written lines; empty when there are too many. */
export function lineDigests(fragment: string | undefined): readonly number[] {
  const lines = fragment?.split('\n') ?? []
  return lines.length > ATTEMPT_LIMITS.editLines ? [] : lines.map(digest)
}

/** `A → B` and then `B → A`: the second is the first rotated at a newline. */
function isReversed(one: readonly number[], other: readonly number[]): boolean {
  if (one.length < 2 || one.length !== other.length || one.every((line, at) => line === other[at])) return false
  return one.some((_, cut) => cut > 0 && other.every((line, at) => line === one[(at + cut) % one.length]))
}

const MAX_COMPARED = 3

/** The earlier edit that this one reverts. */
export function findUndoneEdit(edit: Edit, earlier: readonly Edit[]): Edit | undefined {
  const same = earlier.filter(({ path }) => path === edit.path).slice(-MAX_COMPARED)
  return same.findLast(({ lines }) => isReversed(lines, edit.lines))
}

/** Discards edits for good; `git stash` does not count, because it is used to look at the state without them. */
const DISCARDS =
  /^git (?:checkout (?:\S+ )?(?:-- |\.(?:$| ))|restore (?!--staged\b(?! --worktree))|reset --hard|revert (?!--abort)|clean -)/

const EVERYTHING = /(?:^| )\.$|--hard|^git revert|^git clean/

/** The edited files that a command discarded. */
export function listDiscarded(part: string, edits: readonly Edit[]): readonly string[] {
  if (!DISCARDS.test(part)) return []
  const paths = [...new Set(edits.map(({ path }) => path))]
  if (EVERYTHING.test(part)) return paths
  const words = part.split(/\s+/).slice(2)
  return paths.filter((path) =>
    words.some((word) => word === path || path.startsWith(`${word.replace(/\/$/, '')}/`) || path.endsWith(`/${word}`)),
  )
}

/** Editing tests and documents is not an attempt to fix a failure. */
const NO_FIX =
  /(?:^|\/)(?:tests?|specs?|__tests__|fixtures|docs)\/|[._-](?:test|spec)\.\w+$|_test\.\w+$|(?:^|\/)test_[^/]+$|\.(?:md|mdx|txt|rst|adoc)$/i

export function isFix(path: string): boolean {
  return !NO_FIX.test(path)
}

export function listNames(paths: readonly string[]): string {
  const names = paths.map(baseName)
  const shown = names.slice(0, ATTEMPT_LIMITS.files)
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ')
}
