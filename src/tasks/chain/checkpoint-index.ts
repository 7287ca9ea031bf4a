import type { Gate } from '../model/gate.ts'
import type { TaskCheckpoint, TaskCheckpointType } from '../model/task-checkpoint.ts'

/** Hex. */
export type Sha256 = (text: string) => string

/** A file under `json/checkpoints/`. */
export interface ChainFile {
  /** File name without the folder. */
  readonly file: string
  readonly sha256: string
  readonly checkpoint: TaskCheckpoint
}

export interface IndexEntry {
  readonly checkpoint_id: string
  readonly session_id: string | null
  readonly parent_checkpoint_id: string | null
  readonly joins: readonly string[]
  readonly timestamp: string
  readonly gate: Gate
  readonly step: number
  readonly type: TaskCheckpointType
  readonly summary: string
  readonly file: string
  readonly sha256: string
  /** Hash over the previous entry's `chain` and this file's hash. */
  readonly chain: string
  readonly can_resume: boolean
}

/** `json/checkpoint-index.json`: the result of `buildIndex`, with the same bytes on every machine. */
export interface CheckpointIndex {
  readonly schema_version: 1
  readonly task_slug: string
  /** The newest checkpoint; null if there is none. */
  readonly head: string | null
  /** More than one after a merge of two clones, until the next checkpoint joins them. */
  readonly heads: readonly string[]
  readonly checkpoints: readonly IndexEntry[]
}

export function listLinks({ parent, joins }: Pick<TaskCheckpoint, 'parent' | 'joins'>): TaskCheckpoint['joins'] {
  return parent === null ? joins : [parent, ...joins]
}

function compare(one: ChainFile, other: ChainFile): number {
  const [a, b] = [one.checkpoint, other.checkpoint]
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1
  return a.checkpoint_id < b.checkpoint_id ? -1 : 1
}

/** Parents before children, then by time and id. Deterministic; checkpoints in a cycle come last. */
export function sortChain(files: readonly ChainFile[]): readonly ChainFile[] {
  const known = new Set(files.map(({ checkpoint }) => checkpoint.checkpoint_id))
  const waiting = [...files].sort(compare)
  const done = new Set<string>()
  const ordered: ChainFile[] = []
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ checkpoint }) =>
      listLinks(checkpoint).every(({ checkpoint_id: id }) => done.has(id) || !known.has(id)),
    )
    const [file] = waiting.splice(Math.max(next, 0), 1)
    if (file === undefined) break
    done.add(file.checkpoint.checkpoint_id)
    ordered.push(file)
  }
  return ordered
}

/** Checkpoints without a successor. */
export function findHeads(files: readonly ChainFile[]): readonly ChainFile[] {
  const followed = new Set(files.flatMap(({ checkpoint }) => listLinks(checkpoint).map((link) => link.checkpoint_id)))
  return sortChain(files).filter(({ checkpoint }) => !followed.has(checkpoint.checkpoint_id))
}

export function buildIndex(slug: string, files: readonly ChainFile[], sha256: Sha256): CheckpointIndex {
  let chain = ''
  const checkpoints = sortChain(files).map(({ file, sha256: hash, checkpoint }): IndexEntry => {
    chain = sha256(`${chain}${hash}`)
    return {
      checkpoint_id: checkpoint.checkpoint_id,
      session_id: checkpoint.session_id,
      parent_checkpoint_id: checkpoint.parent?.checkpoint_id ?? null,
      joins: checkpoint.joins.map(({ checkpoint_id }) => checkpoint_id),
      timestamp: checkpoint.timestamp,
      gate: checkpoint.gate,
      step: checkpoint.step,
      type: checkpoint.type,
      summary: checkpoint.summary,
      file: `checkpoints/${file}`,
      sha256: hash,
      chain,
      can_resume: checkpoint.can_resume,
    }
  })
  const heads = findHeads(files).map(({ checkpoint }) => checkpoint.checkpoint_id)
  return { schema_version: 1, task_slug: slug, head: heads.at(-1) ?? null, heads, checkpoints }
}
