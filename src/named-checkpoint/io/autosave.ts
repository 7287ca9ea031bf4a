import { appendAutosaveLog, judgeAutosave } from '../judge-autosave.ts'
import type { AutosaveRequest, AutosaveVerdict, NamedFile } from '../checkpoint-files.ts'
import { AUTOSAVE, AUTOSAVE_LOG } from '../format/name.ts'
import { type NamedCheckpoint, SECTION_KEYS } from '../format/named-checkpoint.ts'
import { parseNamed } from '../format/parse.ts'
import { renderNamed } from '../format/render.ts'
import { type CheckpointFolder, pathOf } from './folder.ts'
import { composeFile } from './save.ts'

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
