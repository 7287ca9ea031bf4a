// bench: words that keep a memory silent as being about another thing of the same sort: how often rightly, on real prompts
import { resolve } from 'node:path'
import { findRival, spokenOf } from '../src/memory/recall/conflicting-term.ts'
import { benchArguments } from './arguments.ts'
import { retrievalFolder, type Work, type WorkedProject, workedProjectsIn } from './recall-data.ts'

const HELP = `Usage: bench/rivals [--data DIR] [--split NAME] [--shared N]

Sets each prompt of DIR/NAME/retrieval beside every earlier one of another session of the same project that shares at
least N telling words with it (2 unless told). Two are about the same work when that touched the same files: a fifth of
the smaller set. Of each two words that would keep the earlier one silent it prints how often that was wrong (the same
work) and right (other work), and the lift: the same work among the silenced, against its share among all. Below 1 a
pair tells more than chance.`
const SAME_WORK = 0.2
const MIN_CHARS = 3

const { values } = benchArguments({
  options: {
    data: { type: 'string', default: '../shared/eval' },
    split: { type: 'string', default: 'open' },
    shared: { type: 'string', default: '2' },
    help: { type: 'boolean' },
  },
})

interface Pair {
  readonly rival: string | undefined
  readonly isSameWork: boolean
}

function isSameWork(one: Work, other: Work): boolean {
  const shared = one.files.filter((file) => other.files.includes(file)).length
  return shared / Math.max(1, Math.min(one.files.length, other.files.length)) >= SAME_WORK
}

/** What is said twice counts once. */
function pairsOf({ works }: WorkedProject, minShared: number): readonly Pair[] {
  const pairs = new Map<string, Pair>()
  const known = works
    .filter(({ files }) => files.length > 0)
    .map((work) => ({ work, prompts: work.prompts.map((prompt) => spokenOf(prompt)) }))
  for (const [at, later] of known.entries())
    for (const earlier of known.slice(0, at)) {
      if (earlier.work.session === later.work.session) continue
      const same = isSameWork(later.work, earlier.work)
      for (const asked of later.prompts) {
        const telling = new Set(asked.terms.filter((term) => term.length >= MIN_CHARS))
        for (const said of earlier.prompts) {
          if (new Set(said.terms.filter((term) => telling.has(term))).size < minShared) continue
          const key = `${asked.terms.join(' ')}|${said.terms.join(' ')}`
          if (pairs.has(key)) continue
          const rival = findRival(asked, said)
          const name = rival === undefined ? undefined : [rival.asked, rival.said].toSorted().join(' / ')
          pairs.set(key, { rival: name, isSameWork: same })
        }
      }
    }
  return [...pairs.values()]
}

interface Tally {
  wrong: number
  right: number
  expected: number
}

function talliesOf(projects: readonly WorkedProject[], minShared: number): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>()
  for (const project of projects) {
    const pairs = pairsOf(project, minShared)
    const base = pairs.filter((pair) => pair.isSameWork).length / Math.max(1, pairs.length)
    console.log(`${pairs.length} pairs of prompts, ${base.toFixed(3)} of them about the same work`)
    for (const { rival, isSameWork: same } of pairs) {
      if (rival === undefined) continue
      // A number or a name beside the same word: too many to list one by one.
      const isMarker = rival.split(' / ').some((word) => /\d|^\p{L}{2}$/u.test(word))
      const name = isMarker ? 'which of several (v1 / v2)' : rival
      const tally = tallies.get(name) ?? { wrong: 0, right: 0, expected: 0 }
      if (same) tally.wrong += 1
      else tally.right += 1
      tally.expected += base
      tallies.set(name, tally)
    }
  }
  return tallies
}

function main(): void {
  if (values.help === true) return console.log(HELP)
  const folder = retrievalFolder(resolve(values.data), values.split)
  if (folder === undefined)
    return console.log(`No data in ${values.data}: pass --data DIR with a folder that holds ${values.split}/retrieval.`)
  const tallies = talliesOf(workedProjectsIn(folder), Number(values.shared))
  for (const [name, { wrong, right, expected }] of [...tallies].toSorted(
    ([, a], [, b]) => b.wrong + b.right - a.wrong - a.right,
  ))
    console.log(
      `${name.padEnd(28)} silenced wrongly ${wrong}, rightly ${right}, lift ${(wrong / expected).toFixed(2)} (by chance ${expected.toFixed(1)} wrongly)`,
    )
}

main()
