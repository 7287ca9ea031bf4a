// bench: needed-later recall of the recovery block in 2,000 characters, on real transcripts
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { recoverTranscript } from '../src/cli/recover-transcript.ts'
import { messageOf } from '../src/core/errors.ts'
import { createRedactor } from '../src/core/redaction/redactor.ts'
import { systemClock } from '../src/platform/clock.ts'
import { localFiles } from '../src/platform/files.ts'
import { createGit } from '../src/platform/git.ts'
import { createPlaces } from '../src/platform/places.ts'
import { readTranscriptFile } from '../src/transcript/transcript-file.ts'

const BUDGET_CHARS = 2_000
/** The data set's names for formats, and ours for the harnesses that write them. */
const HARNESS_OF: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  codex: 'codex',
  opencode: 'opencode',
  gemini: 'gemini-cli',
  copilot: 'copilot',
}

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/eval' },
    split: { type: 'string', default: 'open' },
    keep: { type: 'string' },
  },
})
const data = resolve(values.data)
const scorer = join(data, 'bench', 'run_nlr.py')

function python(args: readonly string[]): string {
  const run = spawnSync('python3', [scorer, ...args], {
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
  places: createPlaces({ clock: systemClock }),
  redactor: createRedactor(),
}

async function textOf({ path, format }: Case): Promise<{ text: string; readMs: number; composeMs: number }> {
  const start = performance.now()
  const transcript = await readTranscriptFile(path, HARNESS_OF[format] ?? format)
  const read = performance.now()
  const recovery = await recoverTranscript(transcript, { budgetChars: BUDGET_CHARS }, ports)
  return { text: recovery?.text ?? '', readMs: read - start, composeMs: performance.now() - read }
}

async function largestTime(cases: readonly Case[]): Promise<string> {
  const largest = cases.toSorted((a, b) => statSync(b.path).size - statSync(a.path).size)[0]
  if (largest === undefined) return ''
  const runs = []
  for (let run = 0; run < 9; run += 1) runs.push(await textOf(largest))
  const p50 = (numbers: readonly number[]) => Math.round(numbers.toSorted((a, b) => a - b)[4] ?? 0)
  const megabytes = (statSync(largest.path).size / 1e6).toFixed(1)
  return `largest transcript ${megabytes} MB: read p50 ${p50(runs.map((run) => run.readMs))} ms, fold and compose p50 ${p50(runs.map((run) => run.composeMs))} ms`
}

function score(folder: string): string {
  const table = python(['--texts', folder, values.split])
  console.log(table.trim())
  const header =
    /^\| method .*$/m
      .exec(table)?.[0]
      .split('|')
      .map((cell) => cell.trim()) ?? []
  const all =
    /^\| all .*$/m
      .exec(table)?.[0]
      .split('|')
      .map((cell) => cell.trim()) ?? []
  return ['NLR', 'edited', 'read', 'cmd', 'ident', 'todo', 'ref', 'err', 'p_path', 'p_ident']
    .map((name) => `${name} ${all[header.indexOf(name)] ?? '-'}`)
    .join(' ')
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
    python(['--dump', prefixes, values.split])
    mkdirSync(texts, { recursive: true })
    const cases = casesIn(prefixes)
    const failures = new Map<string, number>()
    for (const one of cases) {
      try {
        const { text } = await textOf(one)
        writeFileSync(join(texts, `${one.id}.txt`), text)
      } catch (thrown) {
        // An unreadable format scores nothing rather than ending the run.
        writeFileSync(join(texts, `${one.id}.txt`), '')
        failures.set(messageOf(thrown), (failures.get(messageOf(thrown)) ?? 0) + 1)
      }
    }
    for (const [message, times] of failures) console.log(`${times} without a text: ${message}`)
    const figures = score(texts)
    console.log(await largestTime(cases))
    console.log(`recovery ${values.split}: n ${cases.length} ${figures}`)
    return 0
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

process.exitCode = await main()
