import type { Checkpoint, StoredCheckpoint } from '../../kernel/checkpoint.ts'
import type { Announce, ContinuityDeps } from '../../kernel/ports/runtime.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { CheckpointId, EventId, SessionKey, sessionIdOf } from '../../kernel/id.ts'
import { redactCheckpoint } from '../../redaction/redact-checkpoint.ts'
import { refuseOtherProject } from './same-project.ts'

/** A checkpoint from a bundle whose hash and signature were found good. */
export interface ReceivedHandoff {
  /** The checkout that it is for. */
  readonly cwd: string
  readonly checkpoint: Checkpoint
  /** What the work stands on, newest first, where it was done in a repository; the checkpoint's own commit is one of them. */
  readonly commits?: readonly string[]
  /** SHA-256 of the bundle's content, hex: the same bundle is kept once in each worktree. */
  readonly digest: string
  /** SHA-256 of the public key that signed it, hex. */
  readonly signedBy: string
}

const KEY_CHARS = 24

/** Another machine's checkpoint becomes that of a session that is over, here and now: whoever asked for it wants it told next. */
export function createHandoffReceiving(
  deps: ContinuityDeps,
  announce: Announce,
): {
  receiveHandoff(handoff: ReceivedHandoff): Promise<StoredCheckpoint>
} {
  return {
    async receiveHandoff({ cwd, checkpoint, digest, signedBy, commits = [] }) {
      const place = await deps.places.locate(cwd)
      const { continuity } = await deps.configFor(place.worktree)
      if (!continuity.enabled)
        throw new HoldfastError('conflict', `Checkpoints are switched off in ${place.worktree}.`, {
          hint: 'Switch `continuity.enabled` on to keep what another machine handed over.',
        })
      const { branch, head } = checkpoint.place
      await refuseOtherProject(place.worktree, [...(head === undefined ? [] : [head]), ...commits], deps.git)
      const redactor = await deps.redactors.forWorktree(place.worktree, cwd)
      const now = deps.clock.now()
      const { harness } = checkpoint
      // Taken over in the wrong checkout first, it can still be taken over in the right one.
      const name = deps.sha256(`${digest}\n${place.worktree}`).slice(0, KEY_CHARS)
      const sessionKey = SessionKey(`handoff-${name}`)
      const sessionId = sessionIdOf(harness, sessionKey)
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
      const [appended] = await deps.store.append([{ event, place }], continuity)
      if (appended === undefined) throw new HoldfastError('internal', 'The store gave no answer for a handoff.')
      const { parentId: _parentId, ...clean } = redactCheckpoint(checkpoint, redactor)
      const stored = await deps.store.keepCheckpoint({
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
