import { relative, resolve, sep } from 'node:path'
import type { MarkStatus } from '../../../kernel/checklist.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import {
  type ProjectPath,
  readProjectFile,
  resolveInside,
  writeProjectFile,
} from '../../../platform/files/project-file.ts'
import { withProjectLock } from '../../../platform/files/project-file.ts'
import { type MarkedText, markItem } from '../mark.ts'
import { type ParsedItem, parseChecklist } from '../parse.ts'

const CHECKLIST_FILE = 'CHECKLIST.md'

const MAX_BYTES = 4_000_000

export interface ChecklistFile {
  readonly path: string
  readonly items: readonly ParsedItem[]
}

function locateFile(root: string, file: string): ProjectPath {
  const below = relative(root, resolve(root, file)).split(sep).join('/')
  return resolveInside({ root, path: below })
}

/** Undefined without a file. Invalid UTF-8 is replaced. */
export function findChecklist(root: string, file = CHECKLIST_FILE): ChecklistFile | undefined {
  const at = locateFile(root, file)
  const found = readProjectFile(at, MAX_BYTES)
  return found === undefined ? undefined : { path: at.path, items: parseChecklist(found.bytes.toString('utf8')) }
}

export function getChecklist(root: string, file = CHECKLIST_FILE): ChecklistFile {
  const found = findChecklist(root, file)
  if (found !== undefined) return found
  throw new HoldfastError('not-found', `${root} has no ${file}.`, {
    hint: 'Create one with lines such as `- [ ] add the login page`, or pass another file with `--file`.',
  })
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new HoldfastError('unsupported', `${path} is not UTF-8, so it cannot be edited without loss.`, {
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

/** Edits the file atomically and durably. Fails when another process changed it meanwhile. */
export async function markInFile({ root, file = CHECKLIST_FILE, wanted, status }: MarkInFile): Promise<MarkedText> {
  const at = locateFile(root, file)
  return await withProjectLock(at, () => {
    const found = readProjectFile(at, MAX_BYTES)
    if (found === undefined) throw new HoldfastError('not-found', `${root} has no ${file}.`)
    const marking = markItem(decode(found.bytes, at.path), wanted, status)
    if (marking.isChanged) writeProjectFile(at, marking.text, { expected: { bytes: found.bytes } })
    return marking
  })
}
