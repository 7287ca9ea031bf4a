import type { FileWork, NamedFile, PathChance } from '../../kernel/checkpoint.ts'
import type { Verdict } from '../../kernel/injection.ts'
import { endsWithParts } from '../../kernel/paths/same-file.ts'
import { counted } from '../../kernel/text/text.ts'
import type { Item, SectionKey } from './item.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { shareOf } from './share.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'

interface Candidate {
  readonly path: string
  readonly section: SectionKey
  readonly chance: PathChance
  readonly reason: string
  readonly verdict?: Verdict
}

/** Changing a file without knowing of it costs more than not having read it. */
function worth({ chance }: Pick<Candidate, 'chance'>): number {
  return chance.opened + WEIGHTS.path.editing * chance.edited
}

/**
 * How many of the likeliest to name: naming one more gains its worth, and costs some of the trust that those before it
 * deserve. Where few stand out these are named alone; where none does, more are.
 */
export function worthNaming<One extends Pick<Candidate, 'chance'>>(likeliestFirst: readonly One[]): readonly One[] {
  const all = Math.max(
    1,
    likeliestFirst.reduce((sum, one) => sum + worth(one), 0),
  )
  let [best, count] = [0, 0]
  let [gained, opened] = [0, 0]
  for (const [index, one] of likeliestFirst.entries()) {
    gained += worth(one)
    opened += one.chance.opened
    const gain = gained / all + WEIGHTS.path.precision * (opened / (index + 1))
    if (gain > best) [best, count] = [gain, index + 1]
  }
  return likeliestFirst.slice(0, count)
}

/** Beside a file that is almost certain to be needed, what only came up is noise; beside others like it, it is all there is. */
export function likelyEnough<One extends Pick<Candidate, 'chance'>>(
  all: readonly One[],
  onlyCameUp: (one: One) => boolean,
): readonly One[] {
  const least = WEIGHTS.path.leastShare * Math.max(0, ...all.map(({ chance }) => chance.opened))
  return all.filter((one) => !onlyCameUp(one) || one.chance.opened >= least)
}

function ofTouched(file: FileWork, verdict: Verdict | undefined): Candidate {
  return {
    path: file.path,
    section: file.edits > 0 ? 'edited' : 'read',
    chance: file.chance ?? WEIGHTS.path.unknown,
    reason: `${file.action}, ${counted(file.edits, 'edit')}, ${counted(file.reads, 'read')}`,
    ...(verdict === undefined ? {} : { verdict }),
  }
}

function ofNamed({ path, chance }: NamedFile): Candidate {
  return { path, section: 'named', chance, reason: 'came up, never opened' }
}

/** The chance of being opened and left as it is. */
function lookedAt({ opened, edited }: PathChance): number {
  return Math.max(0, opened - edited)
}

/** The end of a path that is a candidate itself names nothing more, whichever of its namesakes was meant. */
function withoutEnds(all: readonly Candidate[]): readonly Candidate[] {
  const opened = all.filter(({ section }) => section !== 'named')
  return all.filter(({ path, section }) => section !== 'named' || !opened.some((one) => endsWithParts(one.path, path)))
}

/** Files in flight, files read for reference and files that came up, each worth its chance of being needed. */
export function fileItems({ view, files, moved }: CheckedView): readonly Item[] {
  const { work } = view
  const all = [
    ...work.files.map((file) => ofTouched(file, files.get(file.path))),
    ...(work.named ?? []).map(ofNamed),
  ].toSorted((a, b) => worth(b) - worth(a) || (a.path < b.path ? -1 : 1))
  const candidates = likelyEnough(withoutEnds(all), ({ section }) => section === 'named')
  const edits = shareOf(candidates.map(({ chance }) => chance.edited))
  const reads = shareOf(candidates.map(({ chance }) => lookedAt(chance)))
  const named = worthNaming(candidates)
  const tooMany = new Set(named.filter(({ section }) => section === 'named').slice(WEIGHTS.path.mostCameUp))
  const told = named.filter((one) => !tooMany.has(one))
  return told.map(({ path, section, chance, reason, verdict }) => ({
    section,
    text: path,
    value:
      WEIGHTS.section[section] *
      (WEIGHTS.need.edited * edits(chance.edited) + WEIGHTS.need.read * reads(lookedAt(chance))),
    origin: 'files',
    reason: `${reason}; chance ${chance.opened}`,
    verdict,
    ...(moved.has(path) ? { movedTo: moved.get(path) } : {}),
  }))
}
