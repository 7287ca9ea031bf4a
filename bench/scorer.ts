// bench: what the scorer changes, replaying real transcripts in order: warm (having learnt from the ones before) against cold
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { adjustmentOf, type Labelled, scoreSections } from '../src/outcomes/scorer.ts'
import { USE_RATES } from '../src/outcomes/scorer.ts'
import type { Rendered } from '../src/recovery/render.ts'
import { benchArguments } from './arguments.ts'
import { cutPointsOf, python, replay, type Replayed } from './scorer-replay.ts'

const { values } = benchArguments({
  options: {
    data: { type: 'string', default: '../shared/eval' },
    split: { type: 'string', default: 'open' },
    /** Also judged by the data's own scorer, which takes longer. */
    nlr: { type: 'boolean', default: false },
  },
})

/** How a replay learns. inverted: from labels turned round, a control that must not help. */
type Mode = 'cold' | 'warm' | 'inverted'

interface Outcome {
  readonly one: Replayed
  readonly recall: number | undefined
  readonly rendered: Rendered
}

/** Of each kind by itself, then averaged: names are many, and would outvote files and commands. */
function recallOf({ needed }: Replayed, { reasons }: Rendered): number | undefined {
  const isShown = (thing: string) => reasons.some(({ line }) => line.includes(thing))
  const shares = needed.filter(({ size }) => size > 0).map((things) => [...things].filter(isShown).length / things.size)
  return shares.length === 0 ? undefined : mean(shares)
}

/** Rates of the other projects: a project's own sessions must not be known before they happened. */
function ratesWithout(repo: string, all: readonly (Labelled & { repo: string })[]): Readonly<Record<string, number>> {
  const others = all.filter((one) => one.repo !== repo)
  return Object.fromEntries(
    Object.keys(USE_RATES).map((section) => {
      const labels = others.flatMap((one) => one.labels.filter((label) => label.section === section))
      const [shown, used] = [
        labels.reduce((sum, label) => sum + label.shown, 0),
        labels.reduce((sum, label) => sum + label.used, 0),
      ]
      return [section, (used + 2) / (shown + 5)]
    }),
  )
}

function inverted({ sessionId, labels }: Labelled): Labelled {
  return { sessionId, labels: labels.map(({ section, shown, used }) => ({ section, shown, used: shown - used })) }
}

/** In order of time; each is told from what was learnt before it, then learnt from. */
function play(
  inOrder: readonly Replayed[],
  mode: Mode,
  usualOf: (repo: string) => Readonly<Record<string, number>>,
): readonly Outcome[] {
  const learnt: (Labelled & { repo: string })[] = []
  return inOrder.map((one) => {
    const scores = scoreSections(
      learnt.filter(({ repo }) => repo === one.repo),
      learnt,
      usualOf(one.repo),
    )
    const rendered = one.render(mode === 'cold' ? undefined : adjustmentOf(scores))
    const labelled = { sessionId: one.sessionId, labels: one.labels(rendered) }
    learnt.unshift({ ...(mode === 'inverted' ? inverted(labelled) : labelled), repo: one.repo })
    return { one, recall: recallOf(one, rendered), rendered }
  })
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length)
}

/** 95 % of bootstrap means over sessions: cut points of one session are not independent. A fixed order of draws. */
function interval(
  differences: readonly { readonly session: string; readonly value: number }[],
): readonly [number, number] {
  const sessions = [...new Set(differences.map(({ session }) => session))]
  const groups = sessions.map((session) => differences.filter((one) => one.session === session))
  let state = 1
  const draw = () => {
    state = (state * 48_271) % 2_147_483_647
    return groups[state % groups.length] ?? []
  }
  const means = Array.from({ length: 2_000 }, () =>
    mean(groups.flatMap(() => draw().map(({ value }) => value))),
  ).toSorted((a, b) => a - b)
  return [means[50] ?? 0, means[1_949] ?? 0]
}

function compare(name: string, cold: readonly Outcome[], other: readonly Outcome[]): string {
  const pairs = cold.flatMap((outcome, index) => {
    const against = other[index]?.recall
    return outcome.recall === undefined || against === undefined
      ? []
      : [{ session: outcome.one.session, cold: outcome.recall, value: against - outcome.recall }]
  })
  const changed = cold.filter(({ rendered }, index) => rendered.text !== other[index]?.rendered.text).length
  const [low, high] = interval(pairs)
  const differs = pairs.filter(({ value }) => value !== 0)
  return `${name}: needed-later recall ${mean(pairs.map((pair) => pair.cold)).toFixed(4)} → ${mean(pairs.map((pair) => pair.cold + pair.value)).toFixed(4)} (difference ${mean(pairs.map(({ value }) => value)).toFixed(4)}, 95 % ${low.toFixed(4)} to ${high.toFixed(4)}), better in ${differs.filter(({ value }) => value > 0).length}, worse in ${differs.filter(({ value }) => value < 0).length} of ${pairs.length}; ${changed} blocks differ`
}

function nlrOf(outcomes: readonly Outcome[], folder: string, data: string): string {
  mkdirSync(folder, { recursive: true })
  for (const { one, rendered } of outcomes) writeFileSync(join(folder, `${one.id}.txt`), rendered.text)
  return /^\| all .*$/m.exec(python(data, ['--texts', folder, values.split]))?.[0] ?? ''
}

async function main(): Promise<number> {
  const data = resolve(values.data)
  if (!existsSync(join(data, 'bench', 'run_nlr.py'))) {
    console.log(`No data in ${data}: pass --data DIR with a folder that holds bench/run_nlr.py and the split.`)
    return 0
  }
  const work = mkdtempSync(join(tmpdir(), 'holdfast-scorer-'))
  try {
    const folders = { data, split: values.split, prefixes: join(work, 'prefixes'), scratch: work }
    python(data, ['--dump', folders.prefixes, values.split])
    const replayed: Replayed[] = []
    for (const one of cutPointsOf(join(data, values.split, 'nlr', 'cases.jsonl'))) {
      const result = await replay(one, folders)
      if (result !== undefined) replayed.push(result)
    }
    const inOrder = replayed.toSorted((a, b) => (a.at < b.at ? -1 : 1))
    const labelled = inOrder.map((one) => ({
      sessionId: one.sessionId,
      repo: one.repo,
      labels: one.labels(one.render(undefined)),
    }))
    const rates = ratesWithout('', labelled)
    console.log('use rates of shown lines, by section (all projects; src/outcomes/use-rates.ts):')
    for (const [section, rate] of Object.entries(rates)) {
      const shown = labelled.flatMap(({ labels }) => labels.filter((label) => label.section === section))
      console.log(
        `  ${section.padEnd(12)} ${rate.toFixed(3)}  (${shown.length} starts, ${shown.reduce((sum, label) => sum + label.shown, 0)} votes)`,
      )
    }
    const usual = new Map(
      [...new Set(inOrder.map(({ repo }) => repo))].map((repo) => [repo, ratesWithout(repo, labelled)]),
    )
    const usualOf = (repo: string) => usual.get(repo) ?? rates
    const cold = play(inOrder, 'cold', usualOf)
    const warm = play(inOrder, 'warm', usualOf)
    console.log(compare('warm', cold, warm))
    for (const kind of new Set(inOrder.map((one) => one.kind))) {
      const of = (outcomes: readonly Outcome[]) => outcomes.filter(({ one }) => one.kind === kind)
      console.log(compare(`  ${kind}`, of(cold), of(warm)))
    }
    const control = play(inOrder, 'inverted', usualOf)
    console.log(compare('control, labels turned round', cold, control))
    if (values.nlr) {
      console.log(`cold ${nlrOf(cold, join(work, 'cold'), data)}`)
      console.log(`warm ${nlrOf(warm, join(work, 'warm'), data)}`)
      console.log(`control ${nlrOf(control, join(work, 'control'), data)}`)
    }
    console.log(`scorer ${values.split}: n ${inOrder.length}, projects ${usual.size}`)
    return 0
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

process.exitCode = await main()
