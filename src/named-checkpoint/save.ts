import type { Checkpoint } from '../core/checkpoint.ts'
import { HoldfastError } from '../core/errors.ts'
import { appendAutosaveLog, type AutosaveVerdict, judgeAutosave } from '../core/named-checkpoint/autosave.ts'
import { composeNamed, pathsToMark } from '../core/named-checkpoint/compose.ts'
import { type Lint, lintCheckpoint } from '../core/named-checkpoint/lint.ts'
import { AUTOSAVE, AUTOSAVE_LOG, parseName } from '../core/named-checkpoint/name.ts'
import type { NamedCheckpoint, SectionKey } from '../core/named-checkpoint/named-checkpoint.ts'
import { redactNamed } from '../core/named-checkpoint/redact.ts'
import { renderNamed } from '../core/named-checkpoint/render.ts'
import { type CheckpointFolder, pathOf } from './folder.ts'

export interface SaveInput {
  readonly name: string
  readonly now: string
  readonly task?: string
  readonly given?: Partial<Readonly<Record<SectionKey, string>>>
  /** The newest checkpoint of this worktree, where one is known. */
  readonly observed?: Checkpoint
  /** A file that is no longer ours, because it was edited or came with the repository, may be replaced. */
  readonly canReplace?: boolean
}

export interface Saved {
  readonly checkpoint: NamedCheckpoint
  /** Relative to the worktree. */
  readonly path: string
  readonly isReplaced: boolean
  readonly lint: Lint
}

async function compose(
  folder: CheckpointFolder,
  { name, now, task, given, observed }: SaveInput,
): Promise<NamedCheckpoint> {
  const git = await folder.git()
  const sessionState = folder.readText('SESSION-STATE.md')
  const workingBuffer = folder.readText('memory/working-buffer.md')
  const draft = redactNamed(
    composeNamed({
      name,
      createdAt: now,
      ...(task !== undefined && { task }),
      ...(given !== undefined && { given }),
      ...(sessionState !== undefined && { sessionState }),
      ...(workingBuffer !== undefined && { workingBuffer }),
      ...(observed !== undefined && { observed }),
      ...(git !== undefined && { git }),
    }),
    folder.redactor,
  )
  const files = pathsToMark(draft, observed).flatMap((path) => {
    const { isThere, hash } = folder.presenceOf(path)
    return isThere ? [{ path, ...(hash !== undefined && { hash }) }] : []
  })
  return { ...draft, files }
}

/** Saves under a name, whatever there is to say: a poor checkpoint is better than none, and the lint names what it lacks. */
export async function saveNamed(folder: CheckpointFolder, input: SaveInput): Promise<Saved> {
  const name = parseName(input.name, input.task)
  const before = folder.find(name)
  if (before !== undefined && !before.isOurs && input.canReplace !== true)
    throw new HoldfastError(
      'conflict',
      `${before.path} was edited by hand or written elsewhere, so it was left as it is.`,
      {
        hint: 'Say that it may be replaced (`--yes`), or choose another name.',
      },
    )
  const checkpoint = await compose(folder, { ...input, name })
  const text = renderNamed(checkpoint, folder.seal)
  folder.write(name, text)
  return { checkpoint, path: pathOf(name), isReplaced: before !== undefined, lint: lintCheckpoint(text) }
}

export interface AutosaveRequest {
  readonly now: string
  readonly reason?: string
  /** Asked only when one is due. */
  readonly observe: () => Promise<Checkpoint | undefined>
}

/** Saves what would be lost, unless S3's guards say that there is no need. Never touches a named checkpoint. */
export async function autosave(
  folder: CheckpointFolder,
  { now, reason, observe }: AutosaveRequest,
): Promise<AutosaveVerdict> {
  const sessionState = folder.readText('SESSION-STATE.md')
  const lastAt = folder.find(AUTOSAVE)?.savedAt
  const verdict = judgeAutosave({
    now,
    ...(sessionState !== undefined && { sessionState }),
    ...(lastAt !== undefined && { lastAt }),
  })
  if (!verdict.isDue) return verdict
  const observed = await observe()
  const checkpoint = await compose(folder, { name: AUTOSAVE, now, ...(observed !== undefined && { observed }) })
  folder.write(AUTOSAVE, renderNamed(checkpoint, folder.seal))
  folder.write(AUTOSAVE_LOG, appendAutosaveLog(folder.readText(pathOf(AUTOSAVE_LOG)) ?? '', now, reason))
  return verdict
}
