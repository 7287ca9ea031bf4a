import { join, posix } from 'node:path'
import type { ChecklistItem, Discrepancy, ItemRecord } from '../../../kernel/checklist.ts'
import type { Files } from '../../../kernel/ports/ports.ts'
import { isTestPath, subjectWords, suspectCode } from '../suspicious-code.ts'

export interface DiscrepancyInput {
  readonly root: string
  readonly items: readonly ChecklistItem[]
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

/** Where the test of a file usually lies. */
function testsOf(path: string): readonly string[] {
  const { dir, name, ext } = posix.parse(path)
  if (!/^\.[cm]?[jt]sx?$/.test(ext) || isTestPath(path)) return []
  return ['test', 'spec'].flatMap((word) => [
    posix.join(dir, `${name}.${word}${ext}`),
    posix.join(dir, '__tests__', `${name}.${word}${ext}`),
    posix.join('test', `${name}.${word}${ext}`),
    posix.join('tests', `${name}.${word}${ext}`),
  ])
}

function lastOf(evidence: readonly ItemRecord[]): ReadonlyMap<string, ItemRecord> {
  return new Map(evidence.filter((entry) => entry.run !== undefined).map((entry) => [entry.itemId, entry]))
}

function runSaid(run: NonNullable<ItemRecord['run']>): string {
  if (run.isMatched === false) return `its output did not hold ${JSON.stringify(run.expect)}`
  return run.exitStatus === undefined
    ? `it was ended by ${run.endedBy ?? 'a signal'}`
    : `it ended with ${run.exitStatus}`
}

/** Items that are ticked while something that was seen says otherwise. Reads at most a bounded number of files. */
export async function findDiscrepancies({
  root,
  items,
  evidence,
  files,
}: DiscrepancyInput): Promise<readonly Discrepancy[]> {
  const runs = lastOf(evidence)
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
    if (run !== undefined && !run.ok) add('verification-failed', run.command, `${runSaid(run)} at ${run.at}`)
    else if (run === undefined && status === 'verified')
      add('no-evidence', `line ${line}`, 'marked as verified, and no verification of it is known')
    const subject = subjectWords(text)
    for (const path of pathsIn(text).flatMap((named) => [named, ...testsOf(named)])) {
      const code = await read(path)
      for (const { reason, line: at, detail } of code === undefined ? [] : suspectCode(path, code, subject))
        add(reason, `${path}:${at}`, detail)
    }
    found.push(...own.slice(0, MAX_PER_ITEM))
  }
  return found
}
