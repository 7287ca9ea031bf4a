// bench: what the recovery block adds to a compaction's own summary, with and without leaving to it what it says
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { recoverTranscript } from '../src/cli/commands/inspect/recover-transcript.ts'
import { createRedactor } from '../src/redaction/redactor.ts'
import { systemClock } from '../src/platform/base/clock.ts'
import { localFiles } from '../src/platform/files/files.ts'
import { createGit } from '../src/platform/git/git.ts'
import { createLocator } from '../src/platform/locator.ts'
import { readTranscriptFile } from '../src/harness/transcripts.ts'
import { benchArguments } from './arguments.ts'
import { HARNESS_OF } from './formats.ts'

const BUDGET_CHARS = 2_000

const { values } = benchArguments({
  options: { data: { type: 'string', default: '../shared/eval' }, split: { type: 'string', default: 'open' } },
})
const data = resolve(values.data)

/** Asks the data's own scorer; the summary that a harness wrote stands right after the cut. */
const SCORER = `
import sys, json, os
sys.path.insert(0, os.path.join(sys.argv[1], 'bench'))
import run_nlr as R, baselines as B, nlr
what, split, folder = sys.argv[2:5]
cases = [c for c in R.cases(split) if c['kind'] == 'compaction']
known = {}
for c in cases:
    pre, post, meta = R.prepost(split, c)
    text = B.d_summary_full(pre, meta, c, post)
    if text: known[c['id']] = text
if what == 'summaries':
    print(json.dumps({k: dict(text=v, format=next(c['format'] for c in cases if c['id'] == k)) for k, v in known.items()}))
    sys.exit()
rows = {}
for c in cases:
    if c['id'] not in known: continue
    read = lambda kind: open(f"{folder}/{c['id']}.{kind}.txt").read()
    summary = known[c['id']]
    for name, text in {
        "the harness's summary": summary,
        'the block alone': read('whole'),
        'a complementing block alone': read('complement'),
        'summary and block': summary + '\\n' + read('whole'),
        'summary and complementing block': summary + '\\n' + read('complement'),
    }.items():
        score = nlr.score(text, c)
        if score['NLR'] is None: continue
        rows.setdefault(name, []).append(dict(score, chars=len(text)))
R.table(rows, split + ' / compactions whose summary is known')
`

function python(what: string, folder: string): string {
  const run = spawnSync('python3', ['-c', SCORER, data, what, values.split, folder], {
    encoding: 'utf8',
    maxBuffer: 64_000_000,
    env: { ...process.env, EVALDATA: data, PYTHONDONTWRITEBYTECODE: '1' },
  })
  if (run.error !== undefined) throw run.error
  if (run.status !== 0) throw new Error(run.stderr.trim().split('\n').at(-1) ?? 'the scorer failed')
  return run.stdout
}

const ports = {
  files: localFiles,
  git: createGit(),
  locator: createLocator({ clock: systemClock }),
  redactor: createRedactor(),
}

async function compose(folder: string): Promise<void> {
  const dump = join(folder, 'cases')
  mkdirSync(dump)
  const dumped = spawnSync('python3', [join(data, 'bench', 'run_nlr.py'), '--dump', dump, values.split], {
    encoding: 'utf8',
    env: { ...process.env, EVALDATA: data, PYTHONDONTWRITEBYTECODE: '1' },
  })
  if (dumped.status !== 0) throw new Error(dumped.stderr)
  const summaries: Record<string, { text: string; format: string }> = JSON.parse(python('summaries', folder))
  for (const [id, { text, format }] of Object.entries(summaries)) {
    const path = ['jsonl', 'json'].map((end) => join(dump, `${id}.prefix.${end}`)).find((one) => existsSync(one))
    if (path === undefined) throw new Error(`the data has no transcript for ${id}`)
    const transcript = await readTranscriptFile(path, HARNESS_OF[format] ?? format)
    const whole = await recoverTranscript(transcript, { budgetChars: BUDGET_CHARS }, ports)
    const complement = await recoverTranscript(transcript, { budgetChars: BUDGET_CHARS, summary: text }, ports)
    writeFileSync(join(folder, `${id}.whole.txt`), whole?.text ?? '')
    writeFileSync(join(folder, `${id}.complement.txt`), complement?.text ?? '')
  }
}

if (!existsSync(join(data, 'bench', 'run_nlr.py'))) {
  console.error(`There is no data at ${data}: give its folder with --data.`)
  process.exitCode = 2
} else {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-complement-'))
  try {
    await compose(folder)
    console.log(python('score', folder).trim())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
