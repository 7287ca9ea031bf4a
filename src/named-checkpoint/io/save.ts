import { HoldfastError } from '../../kernel/errors.ts'
import type { SavedFile, SaveFileInput } from '../checkpoint-files.ts'
import { composeNamed, pathsToMark } from '../compose.ts'
import { lintCheckpoint } from '../format/lint.ts'
import { parseName } from '../format/name.ts'
import type { NamedCheckpoint } from '../format/named-checkpoint.ts'
import { redactNamed } from '../redact.ts'
import { renderNamed } from '../format/render.ts'
import { type CheckpointFolder, pathOf } from './folder.ts'

/** Redacted as it stands in the file: only parts of it become parts of the checkpoint. */
function readClean(folder: CheckpointFolder, path: string): string | undefined {
  const text = folder.readText(path)
  return text === undefined ? undefined : folder.redactor.redact(text)
}

/** What a checkpoint of this name would say now, without secrets, each file with its hash. */
export async function composeFile(
  folder: CheckpointFolder,
  { name, now, task, given, observed }: SaveFileInput,
): Promise<NamedCheckpoint> {
  const git = await folder.git()
  const sessionState = readClean(folder, 'SESSION-STATE.md')
  const workingBuffer = readClean(folder, 'memory/working-buffer.md')
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
export async function saveNamed(folder: CheckpointFolder, input: SaveFileInput): Promise<SavedFile> {
  const name = parseName(input.name, input.task)
  const before = folder.find(name)
  if (before !== undefined && !before.isOurs && input.canReplace !== true)
    throw new HoldfastError(
      'conflict',
      `${before.path} was edited by hand or written elsewhere, so it was left as it is.`,
      {
        hint: 'Say that it may be replaced (`--yes`; over MCP: replace), or choose another name.',
      },
    )
  const checkpoint = await composeFile(folder, { ...input, name })
  const text = renderNamed(checkpoint, folder.seal, (said) => folder.redactor.redact(said))
  folder.write(name, text)
  return { checkpoint, path: pathOf(name), isReplaced: before !== undefined, lint: lintCheckpoint(text) }
}
