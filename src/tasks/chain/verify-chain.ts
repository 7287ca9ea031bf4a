import { shellWord } from '../../kernel/shell/shell-word.ts'
import { buildIndex, type ChainFile, type CheckpointIndex, headsOf, linksOf, type Sha256 } from './checkpoint-index.ts'
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
] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

export interface ChainFinding {
  readonly kind: FindingKind
  /** A checkpoint's id, or a file. */
  readonly subject: string
  readonly message: string
  /** What to do about it. */
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
  /** `missing` where there is none though there are checkpoints. */
  readonly index: CheckpointIndex | { readonly problem: string } | 'missing'
  /** Ids of the sessions that have a file. */
  readonly sessions: ReadonlySet<string>
  readonly sha256: Sha256
}

const REBUILD = (slug: string) => `holdfast checkpoints verify --task ${slug} --repair`
const FROM_GIT = (file: string) => `Get it back from git: git log -- ${shellWord(file)}`

function pathOf(slug: string, file: string): string {
  return `tasks/${slug}/json/checkpoints/${file}`
}

function indexFindings({ slug, files, index, sha256, unreadable }: ChainInput): readonly ChainFinding[] {
  const subject = 'checkpoint-index.json'
  const remedy = `The files hold the whole chain: rebuild the index from them with \`${REBUILD(slug)}\`.`
  if (index === 'missing')
    return files.length === 0 ? [] : [{ kind: 'index-unreadable', subject, message: 'The index is missing.', remedy }]
  if ('problem' in index)
    return [{ kind: 'index-unreadable', subject, message: `The index cannot be read: ${index.problem}`, remedy }]

  const byId = new Map(files.map((file) => [file.checkpoint.checkpoint_id, file]))
  const broken = new Set(unreadable.map(({ file }) => `checkpoints/${file}`))
  const findings = index.checkpoints.flatMap(({ checkpoint_id: id, file, sha256: hash }): ChainFinding[] => {
    const found = byId.get(id)
    const path = `tasks/${slug}/json/${file}`
    if (found === undefined)
      return broken.has(file)
        ? []
        : [
            {
              kind: 'missing-file',
              subject: id,
              message: `The index lists ${id}, and its file ${path} is not there.`,
              remedy: FROM_GIT(path),
            },
          ]
    if (found.sha256 === hash) return []
    return [
      {
        kind: 'changed-file',
        subject: id,
        message: `${path} was changed after it was written: the index says ${hash.slice(0, 12)}, the file is ${found.sha256.slice(0, 12)}.`,
        remedy: FROM_GIT(path),
      },
    ]
  })
  const listed = new Set(index.checkpoints.map(({ checkpoint_id: id }) => id))
  const unlisted = files.filter(({ checkpoint }) => !listed.has(checkpoint.checkpoint_id))
  const orphans = unlisted.map(
    ({ file, checkpoint: { checkpoint_id: id } }): ChainFinding => ({
      kind: 'orphan',
      subject: id,
      message: `${pathOf(slug, file)} is not in the index.`,
      remedy: `If it came with a merge, rebuild the index with \`${REBUILD(slug)}\`.`,
    }),
  )
  const isStale =
    findings.length === 0 &&
    orphans.length === 0 &&
    renderTaskJson(buildIndex(slug, files, sha256)) !== renderTaskJson(index)
  return [
    ...findings,
    ...orphans,
    ...(isStale && unreadable.length === 0
      ? [{ kind: 'index-stale' as const, subject, message: 'The index says something else than the files.', remedy }]
      : []),
  ]
}

function linkFindings({ slug, files, index }: ChainInput): readonly ChainFinding[] {
  const byId = new Map(files.map((file) => [file.checkpoint.checkpoint_id, file]))
  const listed = new Map(
    typeof index === 'object' && 'checkpoints' in index
      ? index.checkpoints.map((entry) => [entry.checkpoint_id, entry])
      : [],
  )
  return files.flatMap(({ checkpoint, file }) =>
    linksOf(checkpoint).flatMap((link): ChainFinding[] => {
      const id = checkpoint.checkpoint_id
      const before = byId.get(link.checkpoint_id)
      if (before === undefined)
        return listed.has(link.checkpoint_id)
          ? []
          : [
              {
                kind: 'broken-chain',
                subject: id,
                message: `${id} follows ${link.checkpoint_id}, which is not there.`,
                remedy: FROM_GIT(pathOf(slug, `${link.checkpoint_id}.json`)),
              },
            ]
      // What the index knows as changed is told as that, once.
      const isKnownChange = listed.get(link.checkpoint_id)?.sha256 === link.sha256
      if (before.sha256 === link.sha256 || isKnownChange) return []
      return [
        {
          kind: 'broken-chain',
          subject: id,
          message: `${id} follows ${link.checkpoint_id} with the hash ${link.sha256.slice(0, 12)}, and that file is ${before.sha256.slice(0, 12)}.`,
          remedy: `One of the two was changed: compare ${pathOf(slug, before.file)} and ${pathOf(slug, file)} with git.`,
        },
      ]
    }),
  )
}

function circleFindings(files: readonly ChainFile[]): readonly ChainFinding[] {
  if (files.length === 0 || headsOf(files).length > 0) return []
  return [
    {
      kind: 'broken-chain',
      subject: files[0]?.checkpoint.checkpoint_id ?? '',
      message: 'The checkpoints follow one another in a circle: there is no newest one.',
      remedy: 'Get the files back from git.',
    },
  ]
}

function forkFindings({ slug, files }: ChainInput): readonly ChainFinding[] {
  const remedy = `Both lines are kept: the next checkpoint joins them, or do it now with \`${REBUILD(slug)}\`.`
  const heads = headsOf(files).map(({ checkpoint }) => checkpoint.checkpoint_id)
  const known = new Set(files.map(({ checkpoint }) => checkpoint.checkpoint_id))
  const hasHole = files.some(({ checkpoint }) => linksOf(checkpoint).some((link) => !known.has(link.checkpoint_id)))
  // Before and behind a hole there is an end each, which is no fork: the hole is told, and what else there is once it is filled.
  if (heads.length < 2 || hasHole) return []
  return [
    {
      kind: 'forked-chain',
      subject: heads.at(-1) ?? '',
      message: `The chain has ${heads.length} ends, as after merging two clones: ${heads.join(', ')}.`,
      remedy,
    },
  ]
}

function gateFindings({ slug, files }: ChainInput): readonly ChainFinding[] {
  const byId = new Map(files.map((file) => [file.checkpoint.checkpoint_id, file.checkpoint]))
  return files.flatMap(({ checkpoint }) => {
    if (checkpoint.override_reason !== null) return []
    const before = linksOf(checkpoint).flatMap((link) => byId.get(link.checkpoint_id) ?? [])
    const later = before.find(({ gate }) => gateNumber(gate) > gateNumber(checkpoint.gate))
    if (later === undefined) return []
    return [
      {
        kind: 'gate-regression' as const,
        subject: checkpoint.checkpoint_id,
        message: `${checkpoint.checkpoint_id} is at ${checkpoint.gate}, and follows ${later.checkpoint_id} at ${later.gate} without a reason.`,
        remedy: `Say why with \`holdfast task gate ${slug} ${checkpoint.gate} --reason …\`, or move on to ${later.gate}.`,
      },
    ]
  })
}

function sessionFindings({ slug, files, sessions }: ChainInput): readonly ChainFinding[] {
  return files.flatMap(({ checkpoint: { checkpoint_id: id, session_id: session } }) =>
    session === null || sessions.has(session)
      ? []
      : [
          {
            kind: 'orphan' as const,
            subject: id,
            message: `${id} belongs to ${session}, which has no file.`,
            remedy: FROM_GIT(`tasks/${slug}/json/sessions/${session}.json`),
          },
        ],
  )
}

/** Everything that does not hold about a task's checkpoints; empty when the chain is sound. */
export function verifyChain(input: ChainInput): readonly ChainFinding[] {
  return [
    ...input.unreadable.map(
      ({ file, problem }): ChainFinding => ({
        kind: 'unreadable-file',
        subject: file,
        message: `${pathOf(input.slug, file)} is no checkpoint: ${problem}`,
        remedy: FROM_GIT(pathOf(input.slug, file)),
      }),
    ),
    ...indexFindings(input),
    ...linkFindings(input),
    ...circleFindings(input.files),
    ...forkFindings(input),
    ...gateFindings(input),
    ...sessionFindings(input),
  ]
}

/** What a new session can live with: everything is there, and only the index or a join is wanting. */
const MENDABLE: ReadonlySet<FindingKind> = new Set<FindingKind>(['forked-chain', 'index-stale', 'index-unreadable'])

export function isMendable({ kind, message }: ChainFinding): boolean {
  return MENDABLE.has(kind) || (kind === 'orphan' && message.includes('not in the index'))
}
