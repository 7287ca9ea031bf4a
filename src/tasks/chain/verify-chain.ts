import { quoteShellWord } from '../../kernel/shell/command-line.ts'
import {
  buildIndex,
  type ChainFile,
  type CheckpointIndex,
  findHeads,
  listLinks,
  type Sha256,
} from './checkpoint-index.ts'
import { gateNumber } from '../model/gate.ts'
import { renderTaskJson } from '../model/task-checkpoint.ts'

export const FINDING_KINDS = [
  'missing-file',
  'changed-file',
  'unreadable-file',
  'broken-chain',
  'forked-chain',
  'gate-regression',
  'orphan',
  'index-unreadable',
  'index-stale',
  'status-changed',
  'skipped-gate',
  'session-changed',
] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

export interface ChainFinding {
  readonly kind: FindingKind
  /** A checkpoint id or a file. */
  readonly subject: string
  readonly message: string
  readonly remedy: string
}

export interface UnreadableFile {
  readonly file: string
  readonly problem: string
}

export interface ChainInput {
  readonly slug: string
  readonly files: readonly ChainFile[]
  readonly unreadable: readonly UnreadableFile[]
  readonly index: CheckpointIndex | { readonly problem: string } | 'missing'
  /** Ids of the sessions that have a file. */
  readonly sessions: ReadonlySet<string>
  readonly sha256: Sha256
}

const REBUILD = (slug: string) => `holdfast checkpoints verify --task ${slug} --repair`
const FROM_GIT = (file: string) => `Restore it from git: git log -- ${quoteShellWord(file)}`

function formatCheckpointPath(slug: string, file: string): string {
  return `tasks/${slug}/json/checkpoints/${file}`
}

function createFinding(kind: FindingKind, subject: string, message: string, remedy: string): ChainFinding {
  return { kind, subject, message, remedy }
}

function byCheckpointId(files: readonly ChainFile[]): ReadonlyMap<string, ChainFile> {
  return new Map(files.map((file) => [file.checkpoint.checkpoint_id, file]))
}

function indexFindings({ slug, files, index, sha256, unreadable }: ChainInput): readonly ChainFinding[] {
  const subject = 'checkpoint-index.json'
  const remedy = `The files hold the whole chain: rebuild the index from them with \`${REBUILD(slug)}\`.`
  if (index === 'missing')
    return files.length === 0 ? [] : [createFinding('index-unreadable', subject, 'The index is missing.', remedy)]
  if ('problem' in index)
    return [createFinding('index-unreadable', subject, `The index cannot be read: ${index.problem}`, remedy)]

  const byId = byCheckpointId(files)
  const broken = new Set(unreadable.map(({ file }) => `checkpoints/${file}`))
  const findings = index.checkpoints.flatMap(({ checkpoint_id: id, file, sha256: hash }) => {
    const found = byId.get(id)
    const path = `tasks/${slug}/json/${file}`
    if (found === undefined) {
      const message = `The index lists ${id}, but its file ${path} is missing.`
      return broken.has(file) ? [] : [createFinding('missing-file', id, message, FROM_GIT(path))]
    }
    if (found.sha256 === hash) return []
    const message = `${path} was changed after it was written: the index has ${hash.slice(0, 12)}, the file is ${found.sha256.slice(0, 12)}.`
    return [createFinding('changed-file', id, message, FROM_GIT(path))]
  })
  const listed = new Set(index.checkpoints.map(({ checkpoint_id: id }) => id))
  const orphans = files
    .filter(({ checkpoint }) => !listed.has(checkpoint.checkpoint_id))
    .map(({ file, checkpoint: { checkpoint_id: id } }) => {
      const message = `${formatCheckpointPath(slug, file)} is not in the index.`
      return createFinding(
        'orphan',
        id,
        message,
        `If it came with a merge, rebuild the index with \`${REBUILD(slug)}\`.`,
      )
    })
  if (findings.length > 0 || orphans.length > 0) return [...findings, ...orphans]
  const isStale = renderTaskJson(buildIndex(slug, files, sha256)) !== renderTaskJson(index)
  if (!isStale || unreadable.length > 0) return []
  return [createFinding('index-stale', subject, 'The index does not match the files.', remedy)]
}

function linkFindings({ slug, files, index }: ChainInput): readonly ChainFinding[] {
  const byId = byCheckpointId(files)
  const entries = typeof index === 'object' && 'checkpoints' in index ? index.checkpoints : []
  const listed = new Map(entries.map((entry) => [entry.checkpoint_id, entry]))
  return files.flatMap(({ checkpoint: { checkpoint_id: id, ...checkpoint }, file }) =>
    listLinks(checkpoint).flatMap((link) => {
      const before = byId.get(link.checkpoint_id)
      if (before === undefined) {
        if (listed.has(link.checkpoint_id)) return []
        const message = `${id} follows ${link.checkpoint_id}, which is missing.`
        const path = formatCheckpointPath(slug, `${link.checkpoint_id}.json`)
        return [createFinding('broken-chain', id, message, FROM_GIT(path))]
      }
      // Reported once, as a changed file.
      const isKnownChange = listed.get(link.checkpoint_id)?.sha256 === link.sha256
      if (before.sha256 === link.sha256 || isKnownChange) return []
      const message = `${id} follows ${link.checkpoint_id} with the hash ${link.sha256.slice(0, 12)}, but that file is ${before.sha256.slice(0, 12)}.`
      const remedy = `One of the two was changed: compare ${formatCheckpointPath(slug, before.file)} and ${formatCheckpointPath(slug, file)} with git.`
      return [createFinding('broken-chain', id, message, remedy)]
    }),
  )
}

function cycleFindings(files: readonly ChainFile[]): readonly ChainFinding[] {
  if (files.length === 0 || findHeads(files).length > 0) return []
  const message = 'The checkpoints form a cycle; none is the newest.'
  const subject = files[0]?.checkpoint.checkpoint_id ?? ''
  return [createFinding('broken-chain', subject, message, 'Restore the files from git.')]
}

function forkFindings({ slug, files }: ChainInput): readonly ChainFinding[] {
  const heads = findHeads(files).map(({ checkpoint }) => checkpoint.checkpoint_id)
  const byId = byCheckpointId(files)
  const hasGap = files.some(({ checkpoint }) => listLinks(checkpoint).some((link) => !byId.has(link.checkpoint_id)))
  // A gap also leaves two heads. It is reported itself; forks are found once it is filled.
  if (heads.length < 2 || hasGap) return []
  const message = `The chain has ${heads.length} heads, as after merging two clones: ${heads.join(', ')}.`
  const remedy = `Both branches are kept. The next checkpoint joins them, or join them now with \`${REBUILD(slug)}\`.`
  return [createFinding('forked-chain', heads.at(-1) ?? '', message, remedy)]
}

function gateFindings({ slug, files }: ChainInput): readonly ChainFinding[] {
  const byId = byCheckpointId(files)
  return files.flatMap(({ checkpoint }) => {
    if (checkpoint.override_reason !== null) return []
    const { checkpoint_id: id, gate } = checkpoint
    const before = listLinks(checkpoint).flatMap((link) => byId.get(link.checkpoint_id)?.checkpoint ?? [])
    const later = before.find((one) => gateNumber(one.gate) > gateNumber(gate))
    if (later === undefined) return []
    const message = `${id} is at ${gate} but follows ${later.checkpoint_id} at ${later.gate} without a reason.`
    const remedy = `Give the reason with \`holdfast task gate ${slug} ${gate} --reason …\`, or move on to ${later.gate}.`
    return [createFinding('gate-regression', id, message, remedy)]
  })
}

function sessionFindings({ slug, files, sessions }: ChainInput): readonly ChainFinding[] {
  return files.flatMap(({ checkpoint: { checkpoint_id: id, session_id: session } }) => {
    if (session === null || sessions.has(session)) return []
    const remedy = FROM_GIT(`tasks/${slug}/json/sessions/${session}.json`)
    return [createFinding('orphan', id, `${id} belongs to ${session}, which has no file.`, remedy)]
  })
}

/** All findings about a task's checkpoints; empty if the chain is intact. */
export function verifyChain(input: ChainInput): readonly ChainFinding[] {
  return [
    ...input.unreadable.map(({ file, problem }) => {
      const path = formatCheckpointPath(input.slug, file)
      return createFinding('unreadable-file', file, `${path} is not a checkpoint: ${problem}`, FROM_GIT(path))
    }),
    ...indexFindings(input),
    ...linkFindings(input),
    ...cycleFindings(input.files),
    ...forkFindings(input),
    ...gateFindings(input),
    ...sessionFindings(input),
  ]
}

/** No file is missing or changed: only the index or a join is needed. */
const REPAIRABLE: ReadonlySet<FindingKind> = new Set<FindingKind>([
  'forked-chain',
  'index-stale',
  'index-unreadable',
  'status-changed',
])

export function isRepairable({ kind, message }: ChainFinding): boolean {
  if (kind === 'session-changed') return / (?:counts|is at) /.test(message)
  return REPAIRABLE.has(kind) || (kind === 'orphan' && message.includes('not in the index'))
}
