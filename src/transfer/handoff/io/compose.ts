import type { Checkpoint } from '../../../kernel/checkpoint.ts'
import { redactCheckpoint } from '../../../redaction/redact-checkpoint.ts'
import { CheckpointId, ProjectId, SessionId, SessionKey } from '../../../kernel/id.ts'
import type { Memory } from '../../../kernel/memory.ts'
import type { Redactor } from '../../../kernel/ports.ts'
import type { Place } from '../../../kernel/project.ts'
import { runGitFully } from '../../../platform/git/git-write.ts'
import { MAX_COMMITS } from '../../../wire/transfer.ts'
import { composePatch } from '../../../tasks/patch/patch-bundle.ts'
import type { HandoffContent } from './bundle.ts'
import { isPlainPath } from './safe-paths.ts'
import { foldersOf, withoutPlaces } from './without-places.ts'

const MAX_PATCH_BYTES = 16_000_000

/** What another machine can make use of: no path and no id of this one. */
function portable(checkpoint: Checkpoint): Checkpoint {
  const { branch, head } = checkpoint.place
  const { parentId: _parentId, task: _task, ...rest } = checkpoint
  const { dirty, work } = checkpoint
  const hasPlainPath = ({ path }: { readonly path: string }) => isPlainPath(path)
  return {
    ...rest,
    id: CheckpointId('handoff'),
    sessionId: SessionId('handoff'),
    sessionKey: SessionKey('handoff'),
    eventSeq: 0,
    place: { projectId: ProjectId('handoff'), project: '', projectNormalized: '', worktree: '', branch, head },
    dirty: dirty === undefined ? undefined : { ...dirty, paths: dirty.paths.filter(isPlainPath) },
    work: { ...work, files: work.files.filter(hasPlainPath), named: work.named?.filter(hasPlainPath) },
  }
}

/** HEAD and those before it; none without git and before the first commit. */
async function commitsOf(root: string): Promise<readonly string[]> {
  const { exitStatus, stdout } = await runGitFully(root, [
    'rev-list',
    '--first-parent',
    `--max-count=${MAX_COMMITS}`,
    'HEAD',
  ])
  return exitStatus === 0 ? stdout.toString().trim().split('\n') : []
}

export interface ComposeInput {
  readonly root: string
  /** The person's own folder, which stays untold. */
  readonly userHome: string
  readonly checkpoint: Checkpoint
  /** Where else the project was seen on this machine: memories may name its folders of then. */
  readonly places: readonly Place[]
  readonly memories: readonly Memory[]
  readonly redactor: Redactor
  readonly now: string
}

export interface Composed {
  readonly content: HandoffContent
  /** Why there is no patch; undefined when there is one. */
  readonly withoutPatch: string | undefined
}

export async function composeHandoff(input: ComposeInput): Promise<Composed> {
  const { root, redactor, now, userHome, places, checkpoint } = input
  const checkouts = [root, ...[checkpoint.place, ...places].flatMap(foldersOf)]
  const traveller = withoutPlaces(redactor, { checkouts, userHome })
  const work = await composePatch({ root, redactor }, { withoutLinks: true })
  const isTooLarge = work.kind === 'patch' && work.patch.length > MAX_PATCH_BYTES
  const commits = await commitsOf(root)
  const patch = work.kind === 'patch' && !isTooLarge ? { patch: work.patch.toString('base64'), base: commits[0] } : {}
  return {
    content: {
      madeAt: now,
      checkpoint: portable(redactCheckpoint(checkpoint, traveller)),
      memories: input.memories.map(({ type, content, importance, tags }) => ({
        type,
        content: traveller.redact(content),
        importance,
        tags: [...tags],
      })),
      ...patch,
      ...(commits.length === 0 ? {} : { commits }),
      leftOut: work.kind === 'patch' ? work.leftOut.filter(isPlainPath) : [],
    },
    withoutPatch: work.kind === 'none' ? work.reason : isTooLarge ? 'it is larger than a bundle carries' : undefined,
  }
}
