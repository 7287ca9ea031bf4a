import type {
  CheckpointFiles,
  AutosaveRequest,
  AutosaveVerdict,
  NamedFile,
  SavedFile,
  SaveFileInput,
} from '../checkpoint-files.ts'
import { appendToBuffer, isBufferOf, isOurBuffer, newBuffer, WORKING_BUFFER } from '../working-buffer.ts'
import type { Clock, Git, Redactors } from '../../kernel/ports/ports.ts'
import type { Home } from '../../platform/base/home.ts'
import { type CheckpointFolder, openCheckpointFolder, pathOf } from './folder.ts'
import { type ReadCheckpoint, parseNamed } from '../format/parse.ts'
import { pathsToCheck, type StaleWarning, staleWarnings } from '../format/stale.ts'
import { appendAutosaveLog, judgeAutosave } from '../judge-autosave.ts'
import { AUTOSAVE, AUTOSAVE_LOG, parseName } from '../format/name.ts'
import { type NamedCheckpoint, SECTION_KEYS } from '../format/named-checkpoint.ts'
import { renderNamed } from '../format/render.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { composeNamed, pathsToMark } from '../compose.ts'
import { lintCheckpoint } from '../format/lint.ts'
import { redactNamed } from '../redact.ts'

/** Redacted as it stands in the file: only parts of it become parts of the checkpoint. */
function readClean(folder: CheckpointFolder, path: string): string | undefined {
  const text = folder.readText(path)
  return text === undefined ? undefined : folder.redactor.redact(text)
}

/** What a checkpoint of this name would say now, without secrets, each file with its hash. */
async function composeFile(
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

function isEmpty({ task, sections }: NamedCheckpoint): boolean {
  return task === '' && SECTION_KEYS.every((key) => sections[key] === '')
}

/** Whether the file would say the same again, but for the time. */
function saysTheSame(text: string, before: NamedFile | undefined): boolean {
  if (before?.isOurs !== true) return false
  const { createdAt: _now, ...now } = parseNamed(text)
  const { createdAt: _then, ...then } = before.read
  return JSON.stringify(now) === JSON.stringify(then)
}

/** One that somebody edited, or that came with the repository, is a checkpoint of theirs: it stays, under another name. */
function keepEdited(folder: CheckpointFolder, before: NamedFile | undefined): void {
  if (before === undefined || before.isOurs) return
  const name = `${AUTOSAVE}-edited-${before.savedAt.slice(0, 10)}`
  if (folder.find(name) === undefined) folder.write(name, before.text)
}

/** Saves what would be lost, unless S3's guards say that there is no need. Never touches a named checkpoint. */
export async function autosave(folder: CheckpointFolder, request: AutosaveRequest): Promise<AutosaveVerdict> {
  const { now, reason } = request
  const sessionState = folder.readText('SESSION-STATE.md')
  const before = folder.find(AUTOSAVE)
  const verdict = judgeAutosave({
    now,
    minIntervalMs: request.minIntervalMs,
    mayStandOnObserved: request.mayStandOnObserved,
    ...(sessionState !== undefined && { sessionState }),
    ...(before !== undefined && { lastAt: before.savedAt }),
  })
  if (!verdict.isDue) return verdict
  const observed = await request.observe()
  const checkpoint = await composeFile(folder, { name: AUTOSAVE, now, ...(observed !== undefined && { observed }) })
  if (isEmpty(checkpoint)) return { isDue: false, because: 'there is nothing to save' }
  const text = renderNamed(checkpoint, folder.seal, (said) => folder.redactor.redact(said))
  if (saysTheSame(text, before)) return { isDue: false, because: 'nothing has changed since the last one' }
  keepEdited(folder, before)
  folder.write(AUTOSAVE, text)
  const log = folder.readText(pathOf(AUTOSAVE_LOG)) ?? ''
  folder.write(
    AUTOSAVE_LOG,
    appendAutosaveLog(log, now, reason === undefined ? undefined : folder.redactor.redact(reason)),
  )
  return verdict
}

/** What has become of what a checkpoint relies on. Executes nothing. */
export async function stalenessOf(
  folder: CheckpointFolder,
  read: ReadCheckpoint,
  now: string,
): Promise<readonly StaleWarning[]> {
  const git = await folder.git()
  const files = new Map(pathsToCheck(read).map((path) => [path, folder.presenceOf(path)]))
  return staleWarnings(read, { files, now, ...(git !== undefined && { git }) })
}

export interface CheckpointFilesDeps {
  readonly home: Pick<Home, 'root'>
  readonly redactors: Redactors
  readonly git: Git
  readonly clock: Pick<Clock, 'now'>
}

/** The files of whichever worktree is asked about. */
export function createCheckpointFiles({ home, redactors, git, clock }: CheckpointFilesDeps): CheckpointFiles {
  const open = async (root: string): Promise<CheckpointFolder> =>
    openCheckpointFolder({ root, home, redactor: await redactors.forWorktree(root), git })

  return {
    save: async (worktree, input) => saveNamed(await open(worktree), input),
    list: async (worktree) => (await open(worktree)).list(),
    find: async (worktree, name) => (await open(worktree)).find(name),
    staleness: async (worktree, read) => stalenessOf(await open(worktree), read, clock.now()),
    delete: async (worktree, name) => (await open(worktree)).delete(name),
    autosave: async (worktree, request) => autosave(await open(worktree), request),

    async startBuffer(worktree, { sessionKey, now, mayCreate }) {
      const folder = await open(worktree)
      const before = folder.readText(WORKING_BUFFER)
      if (before === undefined ? !mayCreate : !isOurBuffer(before)) return false
      if (before === undefined || !isBufferOf(before, sessionKey))
        folder.writeText(WORKING_BUFFER, newBuffer(sessionKey, now))
      return true
    },
    async appendBuffer(worktree, sessionKey, entry) {
      const folder = await open(worktree)
      const before = folder.readText(WORKING_BUFFER)
      if (before === undefined || !isBufferOf(before, sessionKey)) return
      // The entry before it is shortened, and the file as it will stand there: two entries may hold one key.
      const after = appendToBuffer(before, { ...entry, text: folder.redactor.redact(entry.text) })
      folder.writeText(WORKING_BUFFER, folder.redactor.redact(after))
    },
  }
}
