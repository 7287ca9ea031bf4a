// bench: secrets that survive redaction, harmless text that does not, generated passwords, and time on hostile text
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Redactor } from '../src/kernel/ports/ports.ts'
import { createRedactor } from '../src/redaction/redactor.ts'
import {
  type ValueKind,
  isLeft,
  longKinds,
  namedPasswords,
  plainKinds,
  symbolKinds,
} from '../test/support/named-passwords.ts'
import { benchArguments } from './arguments.ts'
import { type HostileText, denseTexts, hostileTexts, manySecrets } from './redaction-hostile.ts'
import { searchSlowUnits } from './redaction-search.ts'
import { type LabelledText, scoreRedaction } from './redaction-score.ts'

const USAGE =
  'usage: bench/redaction [--data DIR] [--split NAME] [--misses] [--seed NUMBER] [--search SECONDS]   for example --data ../shared/eval --split open'

const TARGETS = { leak: 0.1, benign: 0.02, agent: 0.005, hostileMs: 100, growth: 2.6, plain: 8, symbols: 20 }
const PASSWORDS = 400
const MEGABYTE = 1 << 20
const ROUNDS = 7
/** A shared machine slows down for seconds at a time, so a measurement over the limit is repeated. */
const TRIES = 4

function readLines(path: string): LabelledText[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): LabelledText => JSON.parse(line))
}

function bestMs(run: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round += 1) {
    // CPU time, so that whatever else the machine does is not measured.
    const from = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(from)
    best = Math.min(best, (user + system) / 1_000)
  }
  return best
}

interface Growth {
  readonly ms: number
  /** By how much the time grows when the text doubles, from a quarter to the whole; 2 is linear. */
  readonly growth: number
}

function measure({ name, make }: HostileText, redactor: Redactor): Growth {
  const quarter = make(MEGABYTE / 4)
  const whole = make(MEGABYTE)
  let [quarterMs, ms, growth] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0]
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    quarterMs = Math.min(
      quarterMs,
      bestMs(() => redactor.redact(quarter)),
    )
    ms = Math.min(
      ms,
      bestMs(() => redactor.redact(whole)),
    )
    growth = Math.sqrt(ms / quarterMs)
    if (ms <= TARGETS.hostileMs && growth <= TARGETS.growth) break
  }
  console.log(`  ${name.padEnd(28)} ${ms.toFixed(1).padStart(7)} ms  t(2n)/t(n) ${growth.toFixed(2)}`)
  return { ms, growth }
}

function worstOf(all: readonly Growth[]): Growth {
  return { ms: Math.max(...all.map(({ ms }) => ms)), growth: Math.max(...all.map(({ growth }) => growth)) }
}

/** The worst of the hostile texts and of the dense ones, by time and by growth; those that are only unlucky are shown beside them. */
function measureHostile(): { readonly plain: Growth; readonly dense: Growth } {
  const redactor = createRedactor()
  const worst = (texts: readonly HostileText[]) => worstOf(texts.map((text) => measure(text, redactor)))
  const [plain, dense] = [worst(hostileTexts), worst(denseTexts)]
  worst(manySecrets)
  return { plain, dense }
}

interface NamedOptions {
  readonly seed: number
  readonly shows: boolean
}

/** How many of the generated passwords behind a name are left. */
function countLeft(name: string, kinds: readonly ValueKind[], { seed, shows }: NamedOptions): number {
  const redactor = createRedactor()
  const left = namedPasswords(seed, PASSWORDS, kinds).filter((one) => isLeft(one, redactor.redact(one.text)))
  console.log(`  ${name.padEnd(34)} ${String(left.length).padStart(3)} of ${PASSWORDS} left`)
  if (shows) for (const { kind, context, text } of left) console.log(JSON.stringify({ kind, context, text }))
  return left.length
}

function measureNamed(options: NamedOptions): { readonly words: string; readonly isMet: boolean } {
  console.log(`Generated passwords behind names (seed ${options.seed}):`)
  const plain = countLeft('12 letters and digits', plainKinds, options)
  const symbols = countLeft('10 characters with symbols', symbolKinds, options)
  const long = countLeft('20 letters and digits', longKinds, options)
  const isMet = plain <= TARGETS.plain && symbols <= TARGETS.symbols
  const words = `named passwords left of ${PASSWORDS}: plain ${plain} (limit ${TARGETS.plain}), symbols ${symbols} (limit ${TARGETS.symbols}), long ${long}: ${isMet ? 'met' : 'MISSED'}`
  return { words, isMet }
}

/** Not judged: what it finds depends on how long it looks. */
function search(seconds: number): number {
  if (!(seconds > 0)) {
    console.error(`--search wants a number of seconds.\n${USAGE}`)
    return 2
  }
  for (const { unit, msPerMegabyte } of searchSlowUnits(createRedactor(), seconds).slice(0, 5))
    console.log(`  ${msPerMegabyte.toFixed(0).padStart(5)} ms a megabyte  ${JSON.stringify(unit)}`)
  return 0
}

export function main(argv: readonly string[]): number {
  const { values } = benchArguments({
    args: [...argv],
    options: {
      data: { type: 'string' },
      split: { type: 'string', default: 'open' },
      misses: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      search: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(USAGE)
    return 0
  }
  if (values.search !== undefined) return search(Number(values.search))
  const folder = values.data === undefined ? undefined : join(values.data, values.split, 'secrets')
  if (folder !== undefined && !existsSync(folder)) {
    console.error(`There is no ${folder}.\n${USAGE}`)
    return 2
  }
  const seed = Number(values.seed)
  if (!Number.isSafeInteger(seed)) {
    console.error(`--seed wants a whole number.\n${USAGE}`)
    return 2
  }
  const named = measureNamed({ seed, shows: values.misses })
  console.log('1 MB of hostile text:')
  const { plain, dense } = measureHostile()
  const worst = worstOf([plain, dense])
  const isFast = worst.ms <= TARGETS.hostileMs && worst.growth <= TARGETS.growth
  const speed = `hostile 1 MB ${plain.ms.toFixed(0)} ms, dense ${dense.ms.toFixed(0)} ms (limit ${TARGETS.hostileMs}), growth ${worst.growth.toFixed(2)}: ${isFast ? 'met' : 'MISSED'}`
  if (folder === undefined) {
    console.log(USAGE)
    console.log(`redaction: ${named.words}; ${speed} (no labelled texts given)`)
    return isFast && named.isMet ? 0 : 1
  }

  const texts = ['labelled.jsonl', 'agent_text_negatives.jsonl'].flatMap((file) => readLines(join(folder, file)))
  const redactor = createRedactor()
  const score = scoreRedaction(texts, (text) => redactor.redact(text))
  for (const [name, { hits, of }] of score.rates)
    console.log(`  ${name.padEnd(28)} ${(hits / of).toFixed(4)}  (${hits} of ${of})`)
  if (values.misses) for (const miss of score.misses) console.log(JSON.stringify(miss))
  const rate = (name: string): number => {
    const found = score.rates.get(name)
    return found === undefined ? 0 : found.hits / found.of
  }
  const [leak, benign, agent] = [rate('leak/non-gitleaks'), rate('fp/benign'), rate('fp/agent_text')]
  console.log(
    `redaction: leak non-gitleaks ${leak.toFixed(4)}, all ${rate('leak/all').toFixed(4)}; altered benign ${benign.toFixed(4)}, agent lines ${agent.toFixed(4)}; ${named.words}; ${speed}`,
  )
  const isAccurate = leak <= TARGETS.leak && benign <= TARGETS.benign && agent <= TARGETS.agent
  return isFast && isAccurate && named.isMet ? 0 : 1
}

process.exitCode = main(process.argv.slice(2))
