// bench: fits the name model of recovery on real transcripts, leaving one project out at a time, and prints its weights
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { foldEvent, foldNote } from '../src/core/work/fold.ts'
import { chanceOfName, nameFeatures } from '../src/core/work/attention.ts'
import { emptyWork } from '../src/core/work/state.ts'
import { readTranscriptFile } from '../src/transcript/transcript-file.ts'
import { fitLogistic, predict, type Example } from './train-recovery/logistic.ts'

const HARNESS_OF: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  codex: 'codex',
  opencode: 'opencode',
  gemini: 'gemini-cli',
  copilot: 'copilot',
}
/** Candidates of one cut point that are learnt from: the rest are names nobody would show. */
const MAX_CANDIDATES = 300
/** Characters that the block gives to names, about. */
const ROOM_CHARS = 600

interface Labelled {
  readonly id: string
  readonly repo: string
  readonly format: string
  readonly needed: readonly string[]
}

interface Candidate extends Example {
  readonly caseId: string
  readonly repo: string
  readonly name: string
  readonly current: number
}

function isLabelled(value: unknown): value is { id: string; repo: string; format: string; gt: { ident: string[] } } {
  return typeof value === 'object' && value !== null && 'gt' in value && 'repo' in value && 'format' in value
}

function labelledCases(file: string): readonly Labelled[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const value: unknown = JSON.parse(line)
      return isLabelled(value) ? [{ id: value.id, repo: value.repo, format: value.format, needed: value.gt.ident }] : []
    })
}

async function candidatesOf(one: Labelled, folder: string): Promise<readonly Candidate[]> {
  const path = ['jsonl', 'json'].map((end) => join(folder, `${one.id}.prefix.${end}`)).find((file) => existsSync(file))
  if (path === undefined || one.needed.length === 0) return []
  const transcript = await readTranscriptFile(path, HARNESS_OF[one.format] ?? one.format)
  const worktree = transcript.cwd
  const work = transcript.items.reduce(
    (state, item) => (item.type === 'event' ? foldEvent(state, item.event, { worktree }) : foldNote(state, item.note)),
    emptyWork(),
  )
  const needed = new Set(one.needed)
  return work.identifiers
    .map((entry) => ({ entry, current: chanceOfName(entry, work.order) }))
    .toSorted((a, b) => b.current - a.current)
    .slice(0, MAX_CANDIDATES)
    .map(({ entry, current }) => ({
      caseId: one.id,
      repo: one.repo,
      name: entry.name,
      current,
      features: nameFeatures(entry, work.order),
      isNeeded: needed.has(entry.name),
    }))
}

/** The share of needed names among those that fit the room, averaged over cut points. */
function recall(all: readonly Candidate[], cases: readonly Labelled[], score: (one: Candidate) => number): number {
  const shares = cases.flatMap(({ id, needed }) => {
    if (needed.length === 0) return []
    let room = ROOM_CHARS
    let hits = 0
    for (const one of all.filter(({ caseId }) => caseId === id).toSorted((a, b) => score(b) - score(a))) {
      if (one.name.length + 2 > room) continue
      room -= one.name.length + 2
      if (one.isNeeded) hits += 1
    }
    return [hits / needed.length]
  })
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length)
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', default: '../shared/eval' },
      split: { type: 'string', default: 'open' },
      ridge: { type: 'string', default: '10' },
    },
  })
  const data = resolve(values.data)
  const scorer = join(data, 'bench', 'run_nlr.py')
  if (!existsSync(scorer)) {
    console.log(`No data in ${data}: pass --data DIR with a folder that holds bench/run_nlr.py and the split.`)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-train-'))
  try {
    const env = { ...process.env, EVALDATA: data, PYTHONDONTWRITEBYTECODE: '1' }
    const dump = spawnSync('python3', [scorer, '--dump', folder, values.split], { encoding: 'utf8', env })
    if (dump.status !== 0) throw new Error(dump.stderr)
    const cases = labelledCases(join(data, values.split, 'nlr', 'cases.jsonl'))
    const all: Candidate[] = []
    for (const one of cases) all.push(...(await candidatesOf(one, folder)))
    const ridge = Number(values.ridge)
    const leftOut = new Map<Candidate, number>()
    for (const repo of new Set(cases.map((one) => one.repo))) {
      const model = fitLogistic(
        all.filter((one) => one.repo !== repo),
        ridge,
      )
      for (const one of all) if (one.repo === repo) leftOut.set(one, predict(model, one.features))
    }
    const model = fitLogistic(all, ridge)
    console.log(JSON.stringify(model, undefined, 2))
    const [now, out, own] = [
      recall(all, cases, (one) => one.current),
      recall(all, cases, (one) => leftOut.get(one) ?? 0),
      recall(all, cases, (one) => predict(model, one.features)),
    ].map((share) => share.toFixed(3))
    console.log(
      `train-recovery: ${all.length} candidates, names recalled in ${ROOM_CHARS} characters: as shipped ${now}, project left out ${out}, fitted on all ${own}`,
    )
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = await main()
