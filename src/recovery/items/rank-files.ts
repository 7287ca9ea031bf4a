import type { FileWork, NamedFile, PathScore } from '../../kernel/checkpoint.ts'
import type { Verdict } from '../../kernel/injection.ts'
import { endsWithParts } from '../../kernel/paths/paths.ts'
import { pluralize } from '../../kernel/text/text.ts'
import { type Item, type SectionKey, createShare } from './item.ts'
import type { CheckedView } from '../revalidate/revalidate.ts'
import { WEIGHTS } from '../../checkpoint/work/weights.ts'

interface Candidate {
  readonly path: string
  readonly section: SectionKey
  readonly chance: PathScore
  readonly reason: string
  readonly verdict?: Verdict
}

/** An edit counts more than a read. */
function worth({ chance }: Pick<Candidate, 'chance'>): number {
  return chance.opened + WEIGHTS.path.editing * chance.edited
}

/**
 * How many of the highest scores to list: each adds recall and costs precision. If few stand out only these are listed;
 * if none does, more are.
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

/** Drops files that were never opened and score far below the best file. */
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
    reason: `${file.action}, ${pluralize(file.edits, 'edit')}, ${pluralize(file.reads, 'read')}`,
    verdict,
  }
}

function ofNamed({ path, chance }: NamedFile): Candidate {
  return { path, section: 'named', chance, reason: 'came up, never opened' }
}

/** The probability of being read and not edited. */
function lookedAt({ opened, edited }: PathScore): number {
  return Math.max(0, opened - edited)
}

/** Drops named paths that are the end of an opened file's path. */
function withoutEnds(all: readonly Candidate[]): readonly Candidate[] {
  const opened = all.filter(({ section }) => section !== 'named')
  return all.filter(({ path, section }) => section !== 'named' || !opened.some((one) => endsWithParts(one.path, path)))
}

/** Edited, read and named files, each valued by its probability of being needed. */
export function fileItems({ view, files, moved }: CheckedView): readonly Item[] {
  const { work } = view
  const all = [
    ...work.files.map((file) => ofTouched(file, files.get(file.path))),
    ...(work.named ?? []).map(ofNamed),
  ].toSorted((a, b) => worth(b) - worth(a) || (a.path < b.path ? -1 : 1))
  const candidates = likelyEnough(withoutEnds(all), ({ section }) => section === 'named')
  const edits = createShare(candidates.map(({ chance }) => chance.edited))
  const reads = createShare(candidates.map(({ chance }) => lookedAt(chance)))
  const named = worthNaming(candidates)
  const tooMany = new Set(named.filter(({ section }) => section === 'named').slice(WEIGHTS.path.mostCameUp))
  const listed = named.filter((one) => !tooMany.has(one))
  return listed.map(({ path, section, chance, reason, verdict }) => ({
    section,
    subject: { kind: 'file', path, movedTo: moved.get(path) },
    text: path,
    value:
      WEIGHTS.section[section] *
      (WEIGHTS.need.edited * edits(chance.edited) + WEIGHTS.need.read * reads(lookedAt(chance))),
    origin: 'files',
    reason: `${reason}; chance ${chance.opened}`,
    verdict,
  }))
}
