// bench: how much of what the next 20 commits touched the codemap names in 12,000 characters, and how fast it is made
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { benchArguments } from './arguments.ts'
import { unchangedSeconds } from './codemap-unchanged.ts'
import { throughput } from './codemap-throughput.ts'

const BUDGET_CHARS = 12_000
const BASELINE_SYMBOLS_PER_FILE = 12

const { values } = benchArguments({
  options: {
    data: { type: 'string', default: '../shared/eval' },
    split: { type: 'string', default: 'open' },
    // Clones of the repositories that the cases name, as owner+name/repo, owner+name, owner/name or name.
    repos: { type: 'string', default: '../.mirror' },
    keep: { type: 'string' },
  },
})
const data = resolve(values.data)
const scorer = join(data, 'bench', 'score_codemap.py')
const casesFile = join(data, values.split, 'codemap', 'cases.jsonl')
const holdfast = join(process.env.HOLDFAST_ROOT ?? '.', 'bin', 'holdfast')

const CaseSchema = z.object({ id: z.string(), repo: z.string(), base: z.string() })
type Case = z.infer<typeof CaseSchema>
const IndexSchema = z.object({
  files: z.array(z.object({ path: z.string(), symbols: z.array(z.tuple([z.string(), z.string(), z.number()])) })),
})

function run(program: string, args: readonly string[], cwd?: string): string {
  const done = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 256_000_000 })
  if (done.error !== undefined) throw done.error
  if (done.status !== 0) throw new Error(`${program} ${args[0] ?? ''}: ${done.stderr.trim().split('\n').at(-1) ?? ''}`)
  return done.stdout
}

const index = (args: readonly string[], cwd: string) => run(process.execPath, [holdfast, 'index', ...args], cwd)

function findRepository(repo: string): string | undefined {
  const flat = repo.replace('/', '+')
  return [`${flat}/repo`, flat, repo, repo.split('/')[1] ?? repo]
    .map((name) => resolve(values.repos, name))
    .find((path) => spawnSync('git', ['-C', path, 'rev-parse', '--git-dir']).status === 0)
}

/** Files by their last change, each with its first definitions: what the ranking has to beat. */
function recentFirst(clone: string): string {
  const { files } = IndexSchema.parse(JSON.parse(readFileSync(join(clone, 'PROJECT_INDEX.json'), 'utf8')))
  const log = run('git', ['log', '--max-count=400', '--no-merges', '--no-renames', '--name-only', '--format='], clone)
  const age = new Map([...new Set(log.split('\n'))].map((path, position) => [path, position]))
  const recent = files.toSorted((a, b) => (age.get(a.path) ?? age.size) - (age.get(b.path) ?? age.size))
  let text = ''
  for (const { path, symbols } of recent) {
    const first = symbols.toSorted((a, b) => a[2] - b[2]).slice(0, BASELINE_SYMBOLS_PER_FILE)
    const line = `${path}: ${first.map(([name]) => name).join(' ')}\n`
    if (text.length + line.length > BUDGET_CHARS) break
    text += line
  }
  return text
}

interface Texts {
  readonly codemap: string
  readonly recent: string
}

function textsOf({ repo, base }: Case, source: string, work: string): Texts {
  const clone = join(work, repo.replace('/', '+'))
  if (!existsSync(clone)) run('git', ['clone', '--quiet', '--shared', '--no-checkout', source, clone])
  run('git', ['checkout', '--quiet', '--force', base], clone)
  const codemap = index(['--stdout', '--max-chars', String(BUDGET_CHARS)], clone)
  index([], clone)
  const recent = recentFirst(clone)
  rmSync(join(clone, 'PROJECT_INDEX.md'))
  rmSync(join(clone, 'PROJECT_INDEX.json'))
  return { codemap, recent }
}

/** The scorer's own figures, by repository and for all. */
function scoreOf(file: string): ReadonlyMap<string, number> {
  const run = spawnSync('python3', [scorer, file, values.split], {
    encoding: 'utf8',
    env: { ...process.env, EVALDATA: data, PYTHONDONTWRITEBYTECODE: '1' },
  })
  if (run.status !== 0) throw new Error(run.stderr.trim().split('\n').at(-1) ?? 'the scorer failed')
  const lines = [...run.stdout.matchAll(/^(\S+) (\d+) \{'score': ([\d.]+)/gm)]
  return new Map(lines.map(([, name = '', , score = '']) => [name, Number(score)]))
}

function stop(reason: string): number {
  console.log(reason)
  return 0
}

async function main(): Promise<number> {
  if (!existsSync(scorer) || !existsSync(casesFile)) {
    return stop(`No data in ${data}: pass --data DIR with a folder that holds bench/score_codemap.py and the split.`)
  }
  if (!existsSync(join(process.env.HOLDFAST_ROOT ?? '.', 'dist', 'codemap-worker.js'))) {
    return stop('This measures the built product: run `npm run build` first.')
  }
  const cases = readFileSync(casesFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => CaseSchema.parse(JSON.parse(line)))
  const sources = new Map([...new Set(cases.map(({ repo }) => repo))].map((repo) => [repo, findRepository(repo)]))
  const absent = [...sources].filter(([, path]) => path === undefined).map(([repo]) => repo)
  if (absent.length > 0) {
    return stop(
      `The cases are commits of public repositories, and these are not in ${resolve(values.repos)}: ${absent.join(', ')}.\n` +
        'Clone them (with their history) and pass --repos DIR.',
    )
  }
  const work = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  process.env.HOLDFAST_HOME = join(work, 'home')
  try {
    const kept = values.keep === undefined ? work : resolve(values.keep)
    mkdirSync(kept, { recursive: true })
    const texts = cases.map((one) => ({ id: one.id, ...textsOf(one, sources.get(one.repo) ?? '', work) }))
    const scores = (['codemap', 'recent'] as const).map((kind) => {
      const file = join(kept, `${kind}.jsonl`)
      writeFileSync(file, texts.map((one) => `${JSON.stringify({ case: one.id, text: one[kind] })}\n`).join(''))
      return scoreOf(file)
    })
    const [ours, recent] = scores
    for (const [repo, score] of ours ?? [])
      console.log(`${repo.padEnd(24)} ${score}   recent first ${recent?.get(repo)}`)
    const last = cases.at(-1)
    const speed = last === undefined ? '' : throughput(join(work, last.repo.replace('/', '+')), holdfast)
    const unchanged = unchangedSeconds(join(work, 'many'), holdfast)
    const each = [...(ours ?? [])]
      .filter(([name]) => name !== 'ALL')
      .map(([name, score]) => `${name.split('/')[1]} ${score}`)
    console.log(
      `codemap ${values.split}: n ${cases.length} score ${ours?.get('ALL')} (recent first ${recent?.get('ALL')}) ${each.join(' ')} | ${speed} | ${unchanged}`,
    )
    return 0
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

process.exitCode = await main()
