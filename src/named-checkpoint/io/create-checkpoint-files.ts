import type {
  CheckpointFiles,
  AutosaveRequest,
  AutosaveVerdict,
  CheckpointFile,
  SavedFile,
  SaveFileInput,
} from '../checkpoint-files.ts'
import { appendToBuffer, belongsToSession, isOurBuffer, createBuffer, WORKING_BUFFER } from '../working-buffer.ts'
import type { Clock, Git, Redactors } from '../../kernel/ports/ports.ts'
import type { Home } from '../../platform/base/home.ts'
import { type CheckpointFolder, openCheckpointFolder, getCheckpointPath } from './checkpoint-folder.ts'
import {
  type ParsedCheckpoint,
  parseNamed,
  type NamedCheckpoint,
  SECTION_KEYS,
  renderNamed,
} from '../format/file-format.ts'
import { listPathsToCheck, type StaleWarning, findStaleWarnings } from '../format/stale-warnings.ts'
import { appendAutosaveLog, judgeAutosave } from '../autosave-rules.ts'
import { AUTOSAVE, AUTOSAVE_LOG, parseName } from '../format/name.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { composeNamed, listPathsToHash } from '../compose.ts'
import { lintCheckpoint } from '../format/lint.ts'
import { redactCheckpoint } from '../save-input.ts'

/** Redacted as a whole, because only parts of it become parts of the checkpoint. */
function readRedacted(folder: CheckpointFolder, path: string): string | undefined {
  const text = folder.readText(path)
  return text === undefined ? undefined : folder.redactor.redact(text)
}

/** Composes the redacted checkpoint with the hashes of its files. */
async function composeFile(
  folder: CheckpointFolder,
  { name, now, task, given, observed }: SaveFileInput,
): Promise<NamedCheckpoint> {
  const git = await folder.git()
  const sessionState = readRedacted(folder, 'SESSION-STATE.md')
  const workingBuffer = readRedacted(folder, 'memory/working-buffer.md')
  const draft = redactCheckpoint(
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
  const files = listPathsToHash(draft, observed).flatMap((path) => {
    const { isThere, hash } = folder.findFile(path)
    return isThere ? [{ path, ...(hash !== undefined && { hash }) }] : []
  })
  return { ...draft, files }
}

/** Saves even an incomplete checkpoint; the lint names what is missing. */
export async function saveNamed(folder: CheckpointFolder, input: SaveFileInput): Promise<SavedFile> {
  const name = parseName(input.name, input.task)
  const before = folder.find(name)
  if (before !== undefined && !before.isOurs && input.canReplace !== true)
    throw new HoldfastError(
      'conflict',
      `${before.path} was edited by hand or written elsewhere, so it was not replaced.`,
      {
        hint: 'Allow replacing it (`--yes`; over MCP: replace), or choose another name.',
      },
    )
  const checkpoint = await composeFile(folder, { ...input, name })
  const text = renderNamed(checkpoint, folder.seal, (content) => folder.redactor.redact(content))
  folder.write(name, text)
  return {
    checkpoint,
    path: getCheckpointPath(name),
    isReplaced: before !== undefined,
    lint: lintCheckpoint(text, (named) => folder.findFile(named).isThere),
  }
}

function isEmpty({ task, sections }: NamedCheckpoint): boolean {
  return task === '' && SECTION_KEYS.every((key) => sections[key] === '')
}

/** Ignores the time. */
function isUnchanged(text: string, before: CheckpointFile | undefined): boolean {
  if (before?.isOurs !== true) return false
  const { createdAt: _now, ...now } = parseNamed(text)
  const { createdAt: _then, ...then } = before.parsed
  return JSON.stringify(now) === JSON.stringify(then)
}

/** Keeps an edited or foreign autosave under the first free name, unless a copy has the same text. */
function saveEditedCopy(folder: CheckpointFolder, before: CheckpointFile | undefined): void {
  if (before === undefined || before.isOurs) return
  const dated = `${AUTOSAVE}-edited-${before.savedAt.slice(0, 10)}`
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? dated : `${dated}-${number}`
    const copy = folder.find(name)
    if (copy === undefined) folder.write(name, before.text)
    if (copy === undefined || copy.text === before.text) return
  }
}

/** Saves the current work if the rules in `autosave-rules.ts` allow it. Never touches a named checkpoint. */
export async function autosave(folder: CheckpointFolder, request: AutosaveRequest): Promise<AutosaveVerdict> {
  const { now, reason } = request
  const sessionState = folder.readText('SESSION-STATE.md')
  const before = folder.find(AUTOSAVE)
  const verdict = judgeAutosave({
    now,
    minIntervalMs: request.minIntervalMs,
    canUseObserved: request.canUseObserved,
    ...(sessionState !== undefined && { sessionState }),
    ...(before !== undefined && { lastAt: before.savedAt }),
  })
  if (!verdict.isDue) return verdict
  const observed = await request.observe()
  const checkpoint = await composeFile(folder, { name: AUTOSAVE, now, ...(observed !== undefined && { observed }) })
  if (isEmpty(checkpoint)) return { isDue: false, because: 'there is nothing to save' }
  const text = renderNamed(checkpoint, folder.seal, (content) => folder.redactor.redact(content))
  if (isUnchanged(text, before)) return { isDue: false, because: 'nothing has changed since the last one' }
  saveEditedCopy(folder, before)
  folder.write(AUTOSAVE, text)
  const log = folder.readText(getCheckpointPath(AUTOSAVE_LOG)) ?? ''
  folder.write(
    AUTOSAVE_LOG,
    appendAutosaveLog(log, now, reason === undefined ? undefined : folder.redactor.redact(reason)),
  )
  return verdict
}

export async function checkStaleness(
  folder: CheckpointFolder,
  read: ParsedCheckpoint,
  now: string,
): Promise<readonly StaleWarning[]> {
  const git = await folder.git()
  const files = new Map(listPathsToCheck(read).map((path) => [path, folder.findFile(path)]))
  return findStaleWarnings(read, { files, now, ...(git !== undefined && { git }) })
}

export interface CheckpointFilesOptions {
  readonly home: Pick<Home, 'root'>
  readonly redactors: Redactors
  readonly git: Git
  readonly clock: Pick<Clock, 'now'>
}

export function createCheckpointFiles({ home, redactors, git, clock }: CheckpointFilesOptions): CheckpointFiles {
  const open = async (root: string): Promise<CheckpointFolder> =>
    openCheckpointFolder({ root, home, redactor: await redactors.forWorktree(root), git })

  return {
    save: async (worktree, input) => saveNamed(await open(worktree), input),
    list: async (worktree) => (await open(worktree)).list(),
    find: async (worktree, name) => (await open(worktree)).find(name),
    staleness: async (worktree, read) => checkStaleness(await open(worktree), read, clock.now()),
    delete: async (worktree, name) => (await open(worktree)).delete(name),
    autosave: async (worktree, request) => autosave(await open(worktree), request),

    async startBuffer(worktree, { sessionKey, now, mayCreate }) {
      const folder = await open(worktree)
      const before = folder.readText(WORKING_BUFFER)
      if (before === undefined ? !mayCreate : !isOurBuffer(before)) return false
      if (before === undefined || !belongsToSession(before, sessionKey))
        folder.writeText(WORKING_BUFFER, createBuffer(sessionKey, now))
      return true
    },
    async appendBuffer(worktree, sessionKey, entry) {
      const folder = await open(worktree)
      const before = folder.readText(WORKING_BUFFER)
      if (before === undefined || !belongsToSession(before, sessionKey)) return
      // The entry before it is shortened, then the whole file, because a secret may span two entries.
      const after = appendToBuffer(before, { ...entry, text: folder.redactor.redact(entry.text) })
      folder.writeText(WORKING_BUFFER, folder.redactor.redact(after))
    },
  }
}
