import type { FileWork } from '../checkpoint.ts'
import { baseName, isScratch } from '../work/paths.ts'
import type { Item } from './item.ts'
import type { CheckedView } from './recheck.ts'
import { WEIGHTS } from './weights.ts'

const COMMON_NAMES =
  /^(?:index|main|mod|lib|__init__|README|package|types|utils|Cargo|go|setup|config|page|route|test|conftest)\./i

/** A bare name is enough when no other known file shares it; else the whole path is said. */
function namesakes(files: readonly FileWork[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const { path } of files) {
    const name = baseName(path)
    if (seen.has(name)) shared.add(name)
    seen.add(name)
  }
  return shared
}

export function needsWholePath(path: string, shared: ReadonlySet<string>): boolean {
  return shared.has(baseName(path)) || COMMON_NAMES.test(baseName(path))
}

function worthOf(file: FileWork, rank: number): number {
  const { edited, read, perExtraEdit, perExtraRead, outside } = WEIGHTS.file
  const base = file.edits > 0 ? edited + perExtraEdit * Math.min(6, file.edits - 1) : read
  const worth = base + perExtraRead * Math.min(4, Math.max(0, file.reads - 1))
  return worth * 0.5 ** (rank / WEIGHTS.fileHalfLife) * (isScratch(file.path) ? outside : 1)
}

function namedWorth(file: FileWork, lastOrder: number): number {
  const fading = 0.5 ** ((lastOrder - file.lastOrder) / WEIGHTS.namedFileHalfLife)
  return WEIGHTS.file.mentioned * Math.min(1, (file.mentions ?? 0) / 4) * fading
}

export function fileItems({ view, files }: CheckedView): { items: readonly Item[]; shared: ReadonlySet<string> } {
  const { work } = view
  const newestFirst = work.files.toSorted((a, b) => b.lastOrder - a.lastOrder)
  const touched = newestFirst.filter((file) => file.reads + file.edits > 0)
  const named = newestFirst.filter((file) => file.reads + file.edits === 0)
  const items = touched.map((file, rank): Item => {
    const worth = worthOf(file, rank)
    return {
      section: file.edits > 0 ? 'edited' : 'read',
      text: file.path,
      value: worth * (file.edits > 0 ? WEIGHTS.section.edited : WEIGHTS.section.read),
      origin: 'files',
      reason: `${file.action}, ${file.edits} edits, ${file.reads} reads, ${rank} files touched since`,
      verdict: files.get(file.path),
    }
  })
  const mentioned = named.map(
    (file): Item => ({
      section: 'named',
      text: file.path,
      value: namedWorth(file, work.lastOrder) * WEIGHTS.section.read,
      origin: 'files',
      reason: `named ${file.mentions ?? 0} times`,
      verdict: files.get(file.path),
    }),
  )
  return {
    items: [...items, ...mentioned].filter((item) => item.verdict !== 'gone' || item.section !== 'named'),
    shared: namesakes(work.files),
  }
}
