// bench: needed-later recall of the recovery block in 2,000 characters, on real transcripts
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { foldTranscript, recoverFolded, recoverTranscript } from '../src/cli/commands/inspect/recover-transcript.ts'
import { getErrorMessage } from '../src/kernel/errors.ts'
import { createRedactor } from '../src/redaction/redactor.ts'
import { parseWork } from '../src/checkpoint/work/state.ts'
import { systemClock } from '../src/platform/base/clock.ts'
import { localFiles } from '../src/platform/files/files.ts'
import { createGit } from '../src/platform/git/git.ts'
import { createLocator } from '../src/platform/locator.ts'
import { readTranscriptFile } from '../src/harness/transcripts.ts'
import { benchArguments } from './arguments.ts'
import { figures, isMissed, isRow, limitsOf, type Row, sayLimits, tables } from './recovery-report.ts'
import { HARNESS_OF } from './formats.ts'
import { leavingProjectsOut } from './train-recovery/left-out.ts'

const BUDGET_CHARS = 2_000

const { values } = benchArguments({
  options: {
    data: { type: 'string', default: '../shared/eval' },
    split: { type: 'string', default: 'open' },
    keep: { type: 'string' },
    /** Composes for each project by models that were fitted without it. */
    'leave-out': { type: 'boolean', default: false },
    /** A missed limit is an error. */
    check: { type: 'boolean', default: false },
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

const RUNS = 15
/** For a transcript that was folded when it was written: what a session start waits for. */
const COMPOSE_LIMIT_MS = 30

function p50(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

/** How long reading, folding and composing take, each by itself; the state is read back from text, as the store keeps it. */
async function timeOf(path: string, harness: string) {
  const times = { read: [] as number[], fold: [] as number[], compose: [] as number[], cpu: [] as number[] }
  for (let run = 0; run < RUNS; run += 1) {
    const begun = performance.now()
    const transcript = await readTranscriptFile(path, harness)
    const read = performance.now()
    const folded = await foldTranscript(transcript, ports)
    const done = performance.now()
    times.read.push(read - begun)
    times.fold.push(done - read)
    if (folded === undefined) continue
    const kept = JSON.stringify(folded.work)
    const before = process.cpuUsage()
    const start = performance.now()
    await recoverFolded({ ...folded, work: parseWork(kept) }, { budgetChars: BUDGET_CHARS }, ports)
    times.compose.push(performance.now() - start)
    const { user, system } = process.cpuUsage(before)
    times.cpu.push((user + system) / 1_000)
  }
  return { read: p50(times.read), fold: p50(times.fold), compose: p50(times.compose), cpu: p50(times.cpu) }
}

/** The largest JSONL transcript, repeated up to the size limit with its ids unchanged. */
function enlarged(path: string, folder: string, bytes: number): string {
  const target = join(folder, 'enlarged.jsonl')
  const lines = readFileSync(path, 'utf8').split('\n')
  const parts: string[] = []
  for (let size = 0, round = 0; size < bytes; round += 1) {
    const text = lines.map((line) => line.replaceAll(/toolu_\w+/g, (id) => `${id}r${round}`)).join('\n')
    parts.push(text)
    size += Buffer.byteLength(text)
  }
  writeFileSync(target, parts.join('\n'))
  return target
}

async function sayTimes(cases: readonly Case[], folder: string): Promise<boolean> {
  const lines = cases.filter(({ path }) => path.endsWith('.jsonl'))
  const largest = lines.toSorted((a, b) => statSync(b.path).size - statSync(a.path).size)[0]
  if (largest === undefined) return true
  let isMet = true
  const long = enlarged(largest.path, folder, 5_000_000)
  for (const path of [largest.path, long]) {
    const { read, fold, compose, cpu } = await timeOf(path, HARNESS_OF[largest.format] ?? largest.format)
    const isFast = compose < COMPOSE_LIMIT_MS
    isMet &&= isFast
    console.log(
      `${(statSync(path).size / 1e6).toFixed(1)} MB transcript: read p50 ${read.toFixed(0)} ms, fold p50 ${fold.toFixed(0)} ms, compose p50 ${compose.toFixed(1)} ms, ${cpu.toFixed(1)} ms of it working (limit ${COMPOSE_LIMIT_MS}): ${isFast ? 'met' : 'MISSED'}`,
    )
  }
  return isMet
}

function scored(texts: string): readonly Row[] {
  const program = join(process.env.HOLDFAST_ROOT ?? '.', 'bench', 'recovery-score.py')
  return python([program, data, values.split, texts])
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
    .filter(isRow)
}

async function main(): Promise<number> {
  if (!existsSync(scorer)) {
    console.log(`No data in ${data}: pass --data DIR with a folder that holds bench/run_nlr.py and the split.`)
    return 0
  }
  if (spawnSync('python3', ['--version']).status !== 0) {
    console.log('The scorer needs python3, which is not here.')
    return 0
  }
  const work = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  try {
    const prefixes = join(work, 'prefixes')
    const texts = values.keep === undefined ? join(work, 'texts') : resolve(values.keep)
    python([scorer, '--dump', prefixes, values.split])
    mkdirSync(texts, { recursive: true })
    const cases = casesIn(prefixes)
    const failures = new Map<string, number>()
    const training = { data, split: values.split, folder: join(work, 'training') }
    const leaveOut = values['leave-out'] ? await leavingProjectsOut(training) : () => {}
    for (const one of cases) {
      try {
        leaveOut(one.id)
        writeFileSync(join(texts, `${one.id}.txt`), await textOf(one))
      } catch (thrown) {
        // An unreadable format scores nothing rather than ending the run.
        writeFileSync(join(texts, `${one.id}.txt`), '')
        failures.set(getErrorMessage(thrown), (failures.get(getErrorMessage(thrown)) ?? 0) + 1)
      }
    }
    for (const [message, times] of failures) console.log(`${times} without a text: ${message}`)
    const rows = scored(texts)
    console.log(tables(rows))
    console.log(`\n${sayLimits(limitsOf(rows))}`)
    const isFast = await sayTimes(cases, work)
    console.log(`recovery ${values.split}: ${figures(rows)}`)
    return values.check && (!isFast || limitsOf(rows).some(isMissed)) ? 1 : 0
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

process.exitCode = await main()
