import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../random.ts'
import {
  contentOf,
  type DataChange,
  type DiskHistory,
  type DiskNode,
  type FileNode,
  type FolderNode,
  type NameChange,
  type Sync,
} from './disk-history.ts'

/**
 * What makes a name durable. `journal`: any fsync commits every change of names before it. `strict`: only an fsync of the
 * folder does, but a new folder is durable by itself. `posix`: a new folder, too, is only durable after an fsync of its parent.
 */
export const SEMANTICS = ['journal', 'strict', 'posix'] as const
export type Semantics = (typeof SEMANTICS)[number]

export interface PowerCut {
  /** The line of the trace before which the power goes. */
  readonly at: number
  readonly semantics: Semantics
  readonly random: Random
  /** Those that the disk honoured: a control leaves some out. */
  readonly syncs: readonly Sync[]
}

const SECTOR = 512

/** For each file or folder the moment before which everything is durable. An fsync covers what had returned when it was entered. */
function durableUntil(syncs: readonly Sync[], at: number): ReadonlyMap<DiskNode, number> {
  const until = new Map<DiskNode, number>()
  for (const { begin, end, node } of syncs) if (end < at) until.set(node, Math.max(begin, until.get(node) ?? 0))
  return until
}

/** A first part of a list: nothing, everything, or anything between. */
function prefixLength(length: number, random: Random): number {
  const lot = random.int(0, 3)
  if (lot === 0) return 0
  return lot === 1 ? length : random.int(0, length)
}

/** Some of the sectors of a write, as a disk leaves it that lost power in the middle. */
function torn(change: DataChange, random: Random): readonly DataChange[] {
  if (change.kind === 'truncate') return [change]
  const { begin, end, offset, bytes } = change
  const pieces: DataChange[] = []
  for (let start = 0; start < bytes.length; ) {
    const stop = Math.min(bytes.length, (Math.floor((offset + start) / SECTOR) + 1) * SECTOR - offset)
    if (random.chance(0.5))
      pieces.push({ begin, end, kind: 'write', offset: offset + start, bytes: bytes.subarray(start, stop) })
    start = stop
  }
  return pieces
}

/** What became of the changes that were under way when the power went. */
function survivors(pending: readonly DataChange[], random: Random): readonly DataChange[] {
  switch (random.int(0, 4)) {
    case 0:
      return []
    case 1:
      return pending
    case 2: {
      const kept = random.int(0, pending.length)
      const last = pending[kept]
      return [...pending.slice(0, kept), ...(last === undefined ? [] : torn(last, random))]
    }
    case 3:
      return pending.filter(() => random.chance(0.5))
    default:
      return pending.flatMap((change) => torn(change, random))
  }
}

function contentAfter(file: FileNode, until: number, { at, random }: PowerCut): Buffer {
  const begun = file.changes.filter(({ begin }) => begin < at)
  const durable = begun.filter(({ end }) => end < until)
  const pending = begun.filter(({ end }) => end >= until)
  return contentOf(file, pending.length === 0 ? durable : [...durable, ...survivors(pending, random)])
}

/** Everything of one journal, or of one folder, is committed in order; a rename between folders counts once either of them is. */
function namesAfter(history: DiskHistory, until: ReadonlyMap<DiskNode, number>, cut: PowerCut): readonly NameChange[] {
  const { at, semantics, random } = cut
  const begun = history.names.filter(({ begin }) => begin < at)
  const journal = Math.max(0, ...until.values())
  const groupsOf = ({ entries }: NameChange): readonly DiskNode[] =>
    semantics === 'journal' ? [history.rootNode] : entries.map(({ folder }) => folder)
  const isDurable = (change: NameChange) =>
    (semantics === 'strict' && change.isMkdir && change.end < at) ||
    groupsOf(change).some((group) => change.end < (semantics === 'journal' ? journal : (until.get(group) ?? 0)))
  const pending = new Map<DiskNode, NameChange[]>()
  for (const change of begun.filter((one) => !isDurable(one)))
    for (const group of groupsOf(change)) pending.set(group, [...(pending.get(group) ?? []), change])
  const kept = new Set<NameChange>()
  for (const changes of pending.values())
    for (const change of changes.slice(0, prefixLength(changes.length, random))) kept.add(change)
  return begun.filter((change) => kept.has(change) || isDurable(change))
}

function writeNode(path: string, node: DiskNode, tree: Tree, content: (file: FileNode) => Buffer): void {
  if (node.kind === 'file') return writeFileSync(path, content(node), { mode: 0o600 })
  mkdirSync(path, { recursive: true, mode: 0o700 })
  for (const [name, below] of tree.get(node) ?? node.before) writeNode(join(path, name), below, tree, content)
}

type Tree = ReadonlyMap<FolderNode, ReadonlyMap<string, DiskNode>>

/** Writes what a machine finds on its disk after this power cut into `target`. */
export function writeImage(history: DiskHistory, cut: PowerCut, target: string): void {
  const until = durableUntil(cut.syncs, cut.at)
  const tree = new Map<FolderNode, Map<string, DiskNode>>()
  for (const { entries } of namesAfter(history, until, cut)) {
    for (const { folder, name, node } of entries) {
      const now = tree.get(folder) ?? new Map(folder.before)
      if (node === undefined) now.delete(name)
      else now.set(name, node)
      tree.set(folder, now)
    }
  }
  writeNode(target, history.rootNode, tree, (file) => contentAfter(file, until.get(file) ?? 0, cut))
}
