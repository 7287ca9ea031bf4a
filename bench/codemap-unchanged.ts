import { spawnSync } from 'node:child_process'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILES = 5_000
const FUNCTIONS_PER_FILE = 12
const RUNS = 5

function sourceOf(file: number): string {
  return Array.from({ length: FUNCTIONS_PER_FILE }, (_, n) => {
    const other = (file * 7 + n * 13) % FILES
    return `export function step${file}x${n}(input: Input${file}) {\n  return step${other}x${n}(input)\n}\n`
  }).join('\n')
}

/** A repository of 5,000 files, indexed once; then how long it takes when nothing has changed. */
export function unchangedSeconds(folder: string, holdfast: string): string {
  const longAgo = new Date('2020-01-01T00:00:00Z')
  for (let file = 0; file < FILES; file += 1) {
    const parent = join(folder, 'src', `part${file % 100}`)
    if (file < 100) mkdirSync(parent, { recursive: true })
    const path = join(parent, `step${file}.ts`)
    writeFileSync(path, sourceOf(file))
    utimesSync(path, longAgo, longAgo)
  }
  const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: folder, stdio: 'ignore' })
  git('init', '--quiet')
  git('add', '.')
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '--quiet', '--message', 'all')
  const secondsOf = (args: readonly string[]) => {
    const startedMs = performance.now()
    spawnSync(process.execPath, args, { cwd: folder, stdio: 'ignore' })
    return (performance.now() - startedMs) / 1_000
  }
  const first = secondsOf([holdfast, 'index'])
  const pairs = Array.from({ length: RUNS }, () => [secondsOf([holdfast, 'index']), secondsOf(['-e', '0'])] as const)
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  const again = median(pairs.map(([seconds]) => seconds))
  const best = Math.min(...pairs.map(([seconds]) => seconds))
  const empty = median(pairs.map(([, seconds]) => seconds))
  return `${FILES} files first ${first.toFixed(2)} s, unchanged ${again.toFixed(2)} s (best ${best.toFixed(2)}, node -e 0 ${empty.toFixed(2)})`
}
