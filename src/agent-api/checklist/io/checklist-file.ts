import { relative, resolve, sep } from 'node:path'
import type { MarkStatus } from '../../../kernel/checklist.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import {
  type ProjectPath,
  readProjectFile,
  resolveInside,
  writeProjectFile,
} from '../../../platform/files/project-file.ts'
import { withProjectLock } from '../../../platform/files/project-lock.ts'
import { type Marking, markItem } from '../mark.ts'
import { type ParsedItem, parseChecklist } from '../parse.ts'

/** The single source of truth: there is never a second list. */
const CHECKLIST_FILE = 'CHECKLIST.md'

const MAX_BYTES = 4_000_000

export interface ChecklistFile {
  readonly path: string
  readonly items: readonly ParsedItem[]
}

function placeOf(root: string, file: string): ProjectPath {
  const below = relative(root, resolve(root, file)).split(sep).join('/')
  return resolveInside({ root, path: below })
}

/** Undefined when there is none. Reads what is no UTF-8 as well as it can. */
export function findChecklist(root: string, file = CHECKLIST_FILE): ChecklistFile | undefined {
  const at = placeOf(root, file)
  const found = readProjectFile(at, MAX_BYTES)
  return found === undefined ? undefined : { path: at.path, items: parseChecklist(found.bytes.toString('utf8')) }
}

export function getChecklist(root: string, file = CHECKLIST_FILE): ChecklistFile {
  const found = findChecklist(root, file)
  if (found !== undefined) return found
  throw new HoldfastError('not-found', `There is no ${file} in ${root}.`, {
    hint: 'Write one with lines such as `- [ ] what is to be done`, or name another with `--file`.',
  })
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new HoldfastError('unsupported', `${path} is not UTF-8, so it could not be written back as it was.`, {
      hint: 'Convert it to UTF-8, then mark the item.',
      cause,
    })
  }
}

export interface MarkInFile {
  readonly root: string
  readonly file?: string
  readonly wanted: string
  readonly status: MarkStatus
}

/** Edits the file itself, as a whole and durably. A change made meanwhile by somebody else is refused, never lost. */
export async function markInFile({ root, file = CHECKLIST_FILE, wanted, status }: MarkInFile): Promise<Marking> {
  const at = placeOf(root, file)
  return await withProjectLock(at, () => {
    const found = readProjectFile(at, MAX_BYTES)
    if (found === undefined) throw new HoldfastError('not-found', `There is no ${file} in ${root}.`)
    const marking = markItem(decode(found.bytes, at.path), wanted, status)
    if (marking.isChanged) writeProjectFile(at, marking.text, { expected: { bytes: found.bytes } })
    return marking
  })
}
