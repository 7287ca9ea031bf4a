import type { Checkpoint, StoredCheckpoint } from '../../kernel/checkpoint.ts'
import type { Announce, ContinuityPorts } from '../../kernel/ports/runtime.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { CheckpointId, EventId, SessionKey, toSessionId } from '../../kernel/id.ts'
import { redactCheckpoint } from '../../redaction/redact-checkpoint.ts'
import type { Git } from '../../kernel/ports/ports.ts'

/**
 * Text of another project is never injected: one of the commits that the work is based on must exist here. Work without
 * commits, as without git, belongs to the folder it was taken to.
 */
export async function refuseOtherProject(
  worktree: string,
  commits: readonly string[],
  git: Pick<Git, 'hasCommit'>,
): Promise<void> {
  for (const commit of commits) if ((await git.hasCommit(worktree, commit)) === true) return
  if (commits.length === 0) return
  throw new HoldfastError(
    'conflict',
    `None of the commits that this work is based on is in ${worktree}: it belongs to another project.`,
    { hint: 'Go to a checkout of its repository; if this is one, fetch there first. Nothing was stored.' },
  )
}

/** A checkpoint from a bundle whose hash and signature are valid. */
export interface ReceivedHandoff {
  /** The checkout that it is for. */
  readonly cwd: string
  readonly checkpoint: Checkpoint
  /** The commits that the work is based on, newest first, where it was done in a repository; including the checkpoint's own. */
  readonly commits?: readonly string[]
  /** SHA-256 of the bundle's content, hex: the same bundle is stored once in each worktree. */
  readonly digest: string
  /** SHA-256 of the public key that signed it, hex. */
  readonly signedBy: string
}

const KEY_CHARS = 24

/** Stores another machine's checkpoint as that of a session that ended just now, so that the next session recovers from it. */
export function createHandoffReceiving(
  ports: ContinuityPorts,
  announce: Announce,
): {
  receiveHandoff(handoff: ReceivedHandoff): Promise<StoredCheckpoint>
} {
  return {
    async receiveHandoff({ cwd, checkpoint, digest, signedBy, commits = [] }) {
      const place = await ports.locator.locate(cwd)
      const { continuity } = await ports.configFor(place.worktree)
      if (!continuity.enabled)
        throw new HoldfastError('conflict', `Checkpoints are disabled in ${place.worktree}.`, {
          hint: 'Set `continuity.enabled` to true to receive a handoff.',
        })
      const { branch, head } = checkpoint.place
      await refuseOtherProject(place.worktree, [...(head === undefined ? [] : [head]), ...commits], ports.git)
      const redactor = await ports.redactors.forWorktree(place.worktree, cwd)
      const now = ports.clock.now()
      const { harness } = checkpoint
      // Received in the wrong checkout first, it can still be received in the right one.
      const name = ports.sha256(`${digest}\n${place.worktree}`).slice(0, KEY_CHARS)
      const sessionKey = SessionKey(`handoff-${name}`)
      const sessionId = toSessionId(harness, sessionKey)
      const event = {
        kind: 'session-ended',
        id: EventId(`handoff/${name}`),
        harness,
        sessionKey,
        at: now,
        door: 'cli',
        reason: 'handoff',
        cwd,
      } as const
      const [appended] = await ports.store.append([{ event, location: place }], continuity)
      if (appended === undefined) throw new HoldfastError('internal', 'The store gave no answer for a handoff.')
      const { parentId: _parentId, ...clean } = redactCheckpoint(checkpoint, redactor)
      const stored = await ports.store.saveCheckpoint({
        ...clean,
        id: CheckpointId(`ckpt-handoff-${name}`),
        sessionId,
        sessionKey,
        harness,
        place: { ...place, branch, head },
        createdAt: checkpoint.createdAt > now ? now : checkpoint.createdAt,
        handedOverBy: signedBy,
        eventSeq: appended.seq,
      })
      announce({ seq: appended.seq, kind: 'checkpoint', sessionId, detail: stored.checkpoint.id })
      return stored
    },
  }
}
