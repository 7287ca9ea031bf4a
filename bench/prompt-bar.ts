// bench: the prompt threshold on real prompts: how often memories are injected and how many are about the same work, by rule
import { resolve } from 'node:path'
import { benchArguments } from './arguments.ts'
import { alteredOf, byLot } from './prompt-bar-controls.ts'
import { type AskedProject, askedProjectsIn, MEMORY_KINDS } from './prompt-bar-data.ts'
import { replay, replayConversation, type Replayed, replayElsewhere } from './prompt-bar-replay.ts'
import { IN_TREE, type Score, score, tell } from './prompt-bar-score.ts'
import { chooseLeavingOut, CURVE, type NamedSetting, WITHOUT } from './prompt-bar-settings.ts'
import { timePrompts } from './prompt-bar-time.ts'
import { sharedWords } from './prompt-bar-words.ts'
import { conversationsIn, retrievalFolder } from './recall-data.ts'

const HELP = `Usage: bench/prompt-bar [--data DIR] [--split NAME] [--items N] [--quick] [--words N] [--json]

Asks every prompt of the projects in DIR/NAME/retrieval and DIR/NAME/transcripts of a store as the product opens it, with
sentences of the earlier sessions of that project as its memories: what the user said, summaries, the last words of turns.
Two are about the same work when that touched the same files: a fifth of the smaller set. Of what the bar lets through it
prints how much is about the same work, with 95 % by sessions, and what as many drawn by lot would have had; then the same
for each minCoverage, without each rule, for settings chosen with a project left out, and for what must stay silent.
LoCoMo's questions and turns go through the same bar, where relevant means evidence; its traps ask of one person what
another did, and what counts as relevant there is what misleads. Closes with the time of a prompt among --items made-up
memories (10,000 unless injected; 0 for none). --quick leaves out everything but the bar in the tree. --words N prints instead,
for each word that prompts of N sessions share with what is found for them, how often that is about the same work, against
chance.`
const SHORT_WORDS = 8
const LONG_WORDS = 60
/** A project with fewer says nothing by itself. */
const FEW_PROMPTS = 100
const SMALL = 'smaller projects'
const LOCOMO = 'LoCoMo'
const LOCOMO_TRAPS = 'LoCoMo, traps'

const { values } = benchArguments({
  options: {
    data: { type: 'string', default: '../shared/eval' },
    split: { type: 'string', default: 'open' },
    items: { type: 'string', default: '10000' },
    quick: { type: 'boolean', default: false },
    words: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
})

const report: Record<string, unknown> = {}

function say(line: string): void {
  if (!values.json) console.log(line)
}

function short(number: number): string {
  return number.toFixed(2).replace(/^0\./, '.')
}

function inWords(one: Score): string {
  const injected = `${one.injected} of ${one.prompts} injected, ${String(one.shown).padStart(4)} shown`
  const precision = `precision ${short(one.precision)} (${short(one.precisionFrom)} to ${short(one.precisionTo)})`
  const lift = `${short(one.lift)} × chance (${short(one.liftFrom)} to ${short(one.liftTo)})`
  return `${injected}, ${precision}, ${lift}, helped ${short(one.recall)} of those it could`
}

/** Prompts of every project before the memories of all others. */
async function elsewhere(projects: readonly AskedProject[]): Promise<readonly Replayed[]> {
  const asked: Replayed[] = []
  for (const project of projects) {
    const memories = projects
      .filter((other) => other !== project)
      .flatMap(({ sessions }) => sessions.flatMap((session) => session.memories.map(({ text }) => text)))
    const prompts = project.sessions.flatMap(({ id, prompts: some }) => some.map(({ text }) => ({ text, session: id })))
    asked.push(...(await replayElsewhere(prompts, memories)))
  }
  return asked
}

type Sets = ReadonlyMap<string, readonly Replayed[]>

function tabulate(title: string, settings: readonly NamedSetting[], sets: Sets): void {
  say(`\n${title}`)
  report[title] = settings.map(({ name, setting }) => {
    say(name)
    const rows = [...sets].map(([set, all]) => {
      const scored = score(all, tell(all, setting))
      say(`  ${set.padEnd(18)} ${inWords(scored)}`)
      return [set, scored] as const
    })
    return { name, ...Object.fromEntries(rows) }
  })
}

function tellControls(all: readonly Replayed[]): void {
  const injected = tell(all, IN_TREE)
  say('\nBy where a memory comes from')
  report['kinds'] = MEMORY_KINDS.map((kind) => {
    const scored = score(
      all,
      injected.filter(({ asked, id }) => asked.kindOf(id) === kind),
    )
    say(`  ${kind.padEnd(20)} ${inWords(scored)}`)
    return { kind, ...scored }
  })
  const { shuffled, newest } = byLot(all, injected)
  say(`\nControls: the same memories before other prompts of the project ${short(shuffled)},`)
  say(`the newest three before the same prompts ${short(newest)}`)
  const altered = alteredOf(all, injected, IN_TREE)
  say(
    `of ${altered.pairs} injected: superseded ${altered.superseded} still injected, contradicted by a newer one ${altered.contradicted}, ` +
      `the rarest shared word another ${altered.adjacent}`,
  )
  report['controls'] = { shuffled, newest, ...altered }
  // What must never be injected is not a matter of degree.
  if (altered.superseded + altered.contradicted > 0) process.exitCode = 1
}

async function setsOf(projects: readonly AskedProject[], retrieval: string | undefined): Promise<Sets> {
  const sets = new Map<string, readonly Replayed[]>()
  const small: Replayed[] = []
  for (const project of projects) {
    const asked = await replay(project)
    if (asked.length >= FEW_PROMPTS) sets.set(project.name, asked)
    else small.push(...asked)
  }
  if (small.length > 0) sets.set(SMALL, small)
  const [said, traps]: [Replayed[], Replayed[]] = [[], []]
  for (const { turns, questions } of retrieval === undefined ? [] : conversationsIn(retrieval)) {
    const asking = (isTrap: boolean) => ({ turns, questions: questions.filter((one) => one.isTrap === isTrap) })
    said.push(...(await replayConversation(asking(false), LOCOMO)))
    traps.push(...(await replayConversation(asking(true), LOCOMO_TRAPS)))
  }
  if (said.length > 0) sets.set(LOCOMO, said)
  if (traps.length > 0) sets.set(LOCOMO_TRAPS, traps)
  return sets
}

function tellWords(sets: Sets, minSessions: number): void {
  report['words'] = [...sets].map(([name, all]) => {
    const words = sharedWords(all, minSessions)
    say(`\n${name}`)
    for (const { term, sessions, pairs, lift } of words)
      say(`  ${term.padEnd(20)} ${sessions} sessions, ${pairs} pairs, ${short(lift)} × chance`)
    return { name, words }
  })
}

async function measure(projects: readonly AskedProject[], retrieval: string | undefined): Promise<void> {
  const sets = await setsOf(projects, retrieval)
  if (values.words !== undefined) return tellWords(sets, Number(values.words))
  const own = [...sets].flatMap(([name, asked]) => (name === LOCOMO || name === LOCOMO_TRAPS ? [] : asked))
  const foreign = await elsewhere(projects)
  const shown = new Map([...sets, ['all projects', own], ['of elsewhere', foreign]])
  tabulate('The bar in the tree', [{ name: 'coverage 0.7', setting: IN_TREE }], shown)
  tellControls(own)
  if (values.quick) return
  tabulate('By minCoverage', CURVE, shown)
  tabulate('Without a rule', WITHOUT, shown)
  const large = new Map([...sets].filter(([name]) => name !== SMALL && name !== LOCOMO_TRAPS))
  say('\nChosen with one left out')
  report['chosen'] = chooseLeavingOut(large).map((choice) => {
    say(`${choice.leftOut}: ${choice.chosen}\n  chosen  ${inWords(choice.scored)}\n  in tree ${inWords(choice.inTree)}`)
    return choice
  })
}

async function time(items: number): Promise<void> {
  const times = [await timePrompts(items, SHORT_WORDS), await timePrompts(items, LONG_WORDS)]
  for (const { promptWords, p50, p95, judgedP50, plainP50, ratio } of times)
    say(
      `a prompt of ${promptWords} words among ${items} memories: p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms ` +
        `(the bar ${judgedP50.toFixed(2)}); plain FTS query p50 ${plainP50.toFixed(2)} ms, ratio ${ratio.toFixed(2)}`,
    )
  report['time'] = times
}

if (values.help === true) console.log(HELP)
else {
  const data = resolve(values.data)
  const projects = await askedProjectsIn(data, values.split)
  if (projects.length === 0) say(`There is no data for "${values.split}" in ${values.data}; nothing was asked.`)
  else await measure(projects, retrievalFolder(data, values.split))
  if (Number(values.items) > 0) await time(Number(values.items))
  if (values.json) console.log(JSON.stringify(report, undefined, 2))
}
