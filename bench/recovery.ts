// bench: must-know facts and needed-later files in the recovery's 2,000 characters, on real transcripts
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { foldTranscript, recoverFolded, recoverTranscript } from '../src/cli/commands/inspect/recover-transcript.ts'
import { getErrorMessage } from '../src/kernel/errors.ts'
import { EventId } from '../src/kernel/id.ts'
import { createRedactor } from '../src/redaction/redactor.ts'
import { parseWork } from '../src/checkpoint/work/state.ts'
import { systemClock } from '../src/platform/base/clock.ts'
import { localFiles } from '../src/platform/files/files.ts'
import { createGit } from '../src/platform/git/git.ts'
import { createLocator } from '../src/platform/locator.ts'
import { readTranscriptFile } from '../src/harness/transcripts.ts'
import { benchArguments } from './arguments.ts'
import { HARNESS_OF } from './formats.ts'
import { figuresOf, listMisses, readRows, renderClosing, renderTable, shareBySection } from './recovery-report.ts'
import { withSynonyms } from './recovery-synonyms.ts'

const BUDGET_CHARS = 2_000

const { values } = benchArguments({
  options: {
    data: { type: 'string', default: '../shared/eval' },
    split: { type: 'string', default: 'open' },
    /** A folder for the texts. */
    keep: { type: 'string' },
    /** Replaces the words of the composer's templates: what the wording is worth. */
    synonyms: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
  },
})
const data = resolve(values.data)
const scorer = join(data, 'bench', 'run_nlr.py')

function python(args: readonly string[]): string {
  const run = spawnSync('python3', [...args], {
    encoding: 'utf8',
    maxBuffer: 64_000_000,
    env: { ...process.env, EVALDATA: data, PYTHONDONTWRITEBYTECODE: '1' },
  })
  if (run.error !== undefined) throw run.error
  if (run.status !== 0) throw new Error(run.stderr.trim().split('\n').at(-1) ?? 'the scorer failed')
  return run.stdout
}

interface Case {
  readonly id: string
  readonly format: string
  readonly path: string
}

function casesIn(folder: string): readonly Case[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.meta.json'))
    .toSorted()
    .flatMap((file) => {
      const meta: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      const id = file.slice(0, -'.meta.json'.length)
      const isKnown = typeof meta === 'object' && meta !== null && 'format' in meta && typeof meta.format === 'string'
      const path = ['jsonl', 'json'].map((end) => join(folder, `${id}.prefix.${end}`)).find((one) => existsSync(one))
      return isKnown && path !== undefined ? [{ id, format: String(meta.format), path }] : []
    })
}

const ports = {
  files: localFiles,
  git: createGit(),
  locator: createLocator({ clock: systemClock }),
  redactor: createRedactor(),
}

async function textOf({ path, format }: Case): Promise<string> {
  const transcript = await readTranscriptFile(path, HARNESS_OF[format] ?? format)
  const recovery = await recoverTranscript(transcript, { budgetChars: BUDGET_CHARS }, ports)
  return recovery?.text ?? ''
}

const RUNS = 5
const TIMED_EVENTS = 2_000

function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** How long composing takes, for sessions that are repeated up to 2,000 events; the state is read back from text, as stored. */
async function timeCompose(cases: readonly Case[]): Promise<{ median: number; p95: number }> {
  const times: number[] = []
  for (const { path, format } of cases) {
    const transcript = await readTranscriptFile(path, HARNESS_OF[format] ?? format)
    const { items } = transcript
    if (items.length === 0) continue
    const rounds = Math.ceil(TIMED_EVENTS / items.length)
    const long = Array.from({ length: rounds }, (_, round) =>
      items.map((item) =>
        item.type === 'event' ? { ...item, event: { ...item.event, id: EventId(`${item.event.id}-${round}`) } } : item,
      ),
    ).flat()
    const folded = await foldTranscript({ ...transcript, items: long }, ports)
    if (folded === undefined) continue
    const kept = JSON.stringify(folded.work)
    for (let run = 0; run < RUNS; run += 1) {
      const start = performance.now()
      await recoverFolded({ ...folded, work: parseWork(kept) }, { budgetChars: BUDGET_CHARS }, ports)
      times.push(performance.now() - start)
    }
  }
  return { median: percentile(times, 0.5), p95: percentile(times, 0.95) }
}

/** Sessions that are timed: every tenth. */
const TIMED_SHARE = 10

async function main(): Promise<number> {
  if (!existsSync(scorer)) {
    console.error(`This bench needs the evaluation set, and ${data} does not hold it: pass its folder with --data DIR.`)
    return 2
  }
  if (spawnSync('python3', ['--version']).status !== 0) {
    console.error('The scorer needs python3, which is not here.')
    return 2
  }
  const work = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    const prefixes = join(work, 'prefixes')
    const folder = values.keep === undefined ? join(work, 'texts') : resolve(values.keep)
    python([scorer, '--dump', prefixes, values.split])
    mkdirSync(folder, { recursive: true })
    const cases = casesIn(prefixes)
    const texts: string[] = []
    for (const one of cases) {
      let text = ''
      try {
        text = await textOf(one)
      } catch (thrown) {
        // An unreadable format scores nothing rather than ending the run.
        console.error(`${one.id}: ${getErrorMessage(thrown)}`)
      }
      texts.push(text)
      writeFileSync(join(folder, `${one.id}.txt`), values.synonyms ? withSynonyms(text) : text)
    }
    const program = join(process.env.HOLDFAST_ROOT ?? '.', 'bench', 'recovery-score.py')
    const rows = readRows(python([program, data, values.split, folder]))
    if (values.misses) for (const line of listMisses(rows)) console.log(line)
    const figures = figuresOf(rows)
    const shares = [...shareBySection(texts)].map(([label, share]) => [`characters: ${label}`, share] as const)
    const { median, p95 } = await timeCompose(cases.filter((_, index) => index % TIMED_SHARE === 0))
    console.log(renderTable(new Map([...figures, ...shares])))
    console.log(`compose, sessions of ${TIMED_EVENTS} events: median ${median.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`)
    console.log(renderClosing(values.split, figures))
    return 0
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

process.exitCode = await main()
