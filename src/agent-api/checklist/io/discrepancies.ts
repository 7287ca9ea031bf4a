import { join, posix, relative, sep } from 'node:path'
import type { ParsedChecklistItem, Discrepancy, ItemRecord } from '../../../kernel/checklist.ts'
import type { Files } from '../../../kernel/ports/ports.ts'
import { isTestPath, subjectWords, findSuspiciousCode } from '../suspicious-code.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { readProjectFile } from '../../../platform/files/project-file.ts'

/** Reads files of a project and follows no link out of it. Undefined for what cannot be read. */
export function createProjectReader(root: string): Pick<Files, 'readText'> {
  return {
    async readText(path, maxBytes) {
      try {
        return readProjectFile({ root, path: relative(root, path).split(sep).join('/') }, maxBytes)?.bytes.toString(
          'utf8',
        )
      } catch (thrown) {
        if (thrown instanceof HoldfastError) return undefined
        throw thrown
      }
    },
  }
}

export interface DiscrepancyInput {
  readonly root: string
  readonly items: readonly ParsedChecklistItem[]
  /** Oldest first, as `ChecklistEvidence.list` gives them. */
  readonly evidence: readonly ItemRecord[]
  readonly files: Pick<Files, 'readText'>
}

const MAX_FILES = 200
const MAX_FILE_BYTES = 256_000
const MAX_PATHS_PER_ITEM = 5
const MAX_PER_ITEM = 5

const CODE_PATH =
  /(?<![\w./-])((?:[\w@.-]+\/)*[\w@.-]+\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|c|cc|cpp|h|hpp|cs|rb|php|swift|scala|sh|vue|svelte))(?![\w/])/g

function pathsIn(text: string): readonly string[] {
  const paths = [...text.matchAll(CODE_PATH)].map(([, path = '']) => posix.normalize(path))
  return [...new Set(paths)].filter((path) => !path.startsWith('..')).slice(0, MAX_PATHS_PER_ITEM)
}

/** Usual paths of a file's tests. */
function listTestPaths(path: string): readonly string[] {
  const { dir, name, ext } = posix.parse(path)
  if (!/^\.[cm]?[jt]sx?$/.test(ext) || isTestPath(path)) return []
  return ['test', 'spec'].flatMap((word) => [
    posix.join(dir, `${name}.${word}${ext}`),
    posix.join(dir, '__tests__', `${name}.${word}${ext}`),
    posix.join('test', `${name}.${word}${ext}`),
    posix.join('tests', `${name}.${word}${ext}`),
  ])
}

function findLastRuns(evidence: readonly ItemRecord[]): ReadonlyMap<string, ItemRecord> {
  return new Map(evidence.filter((entry) => entry.run !== undefined).map((entry) => [entry.itemId, entry]))
}

function describeRun(run: NonNullable<ItemRecord['run']>): string {
  if (run.isMatched === false) return `its output did not contain ${JSON.stringify(run.expect)}`
  return run.exitStatus === undefined
    ? `it was ended by ${run.endedBy ?? 'a signal'}`
    : `it ended with ${run.exitStatus}`
}

/** Ticked items that code or evidence contradicts. Reads a bounded number of files. */
export async function findDiscrepancies({
  root,
  items,
  evidence,
  files,
}: DiscrepancyInput): Promise<readonly Discrepancy[]> {
  const runs = findLastRuns(evidence)
  const texts = new Map<string, string | undefined>()
  const read = async (path: string): Promise<string | undefined> => {
    if (!texts.has(path) && texts.size < MAX_FILES)
      texts.set(path, await files.readText(join(root, path), MAX_FILE_BYTES))
    return texts.get(path)
  }
  const found: Discrepancy[] = []
  for (const item of items) {
    if (item.status !== 'done' && item.status !== 'verified') continue
    const { id: itemId, section, text, line, status } = item
    const own: Discrepancy[] = []
    const add = (reason: Discrepancy['reason'], where: string, detail: string) =>
      own.push({ itemId, section, text, line, status, reason, where, detail })
    const run = runs.get(itemId)?.run
    if (run !== undefined && !run.ok) add('verification-failed', run.command, `${describeRun(run)} at ${run.at}`)
    else if (run === undefined && status === 'verified')
      add('no-evidence', `line ${line}`, 'marked as verified, but no verification was recorded')
    const subject = subjectWords(text)
    for (const path of pathsIn(text).flatMap((named) => [named, ...listTestPaths(named)])) {
      const code = await read(path)
      for (const { reason, line: at, detail } of code === undefined ? [] : findSuspiciousCode(path, code, subject))
        add(reason, `${path}:${at}`, detail)
    }
    found.push(...own.slice(0, MAX_PER_ITEM))
  }
  return found
}
