import type { FileWork } from '../checkpoint.ts'
import { isScratch } from '../work/paths.ts'
import type { Item } from './item.ts'
import type { CheckedView } from './recheck.ts'
import { WEIGHTS } from './weights.ts'

/** The chance that the next session opens this file: a logistic model over what was seen of it. */
function chanceOf(file: FileWork, { rank, lastOrder }: { rank: number; lastOrder: number }): number {
  const { file: weight } = WEIGHTS
  const age = Math.max(0, lastOrder - file.lastOrder)
  const named = file.lastNamedOrder
  const freshness = named === undefined ? 0 : 0.5 ** (Math.max(0, lastOrder - named) / weight.namedHalfLife)
  const score =
    weight.bias +
    weight.edits * Math.log2(1 + file.edits) +
    weight.reads * Math.log2(1 + file.reads) +
    weight.age * Math.log2(1 + age) +
    weight.touchedSince * Math.log2(1 + rank) +
    weight.namedLately * freshness +
    (isScratch(file.path) ? weight.outside : 0)
  return 1 / (1 + Math.exp(-score))
}

/** Files in flight and files read for reference, each worth its chance of being needed. */
export function fileItems({ view, files }: CheckedView): readonly Item[] {
  const { work } = view
  const newestFirst = work.files.toSorted((a, b) => b.lastOrder - a.lastOrder || (a.path < b.path ? -1 : 1))
  return newestFirst.flatMap((file, rank): readonly Item[] => {
    const chance = chanceOf(file, { rank, lastOrder: work.lastOrder })
    if (chance < WEIGHTS.leastChance.files) return []
    const section = file.edits > 0 ? 'edited' : 'read'
    return [
      {
        section,
        text: file.path,
        value: chance * WEIGHTS.section[section],
        origin: 'files',
        reason: `${file.action}, ${file.edits} edits, ${file.reads} reads, ${rank} files touched since`,
        verdict: files.get(file.path),
      },
    ]
  })
}
