import { spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isWorthReading } from '../src/codemap/parse/discover.ts'

/** In turns, so that what else the machine does falls on both. */
const ROUNDS = 5

function secondsOf(program: string, args: readonly string[], cwd: string): number | undefined {
  const startedMs = performance.now()
  const { status } = spawnSync(program, args, { cwd, stdio: 'ignore' })
  return status === 0 ? (performance.now() - startedMs) / 1_000 : undefined
}

function medianOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined).toSorted((a, b) => a - b)
  return known[Math.floor(known.length / 2)]
}

/** A full run with process start, history and ranking, compared with ctags on the same files. */
export function throughput(clone: string, holdfast: string): string {
  const listed = spawnSync('git', ['ls-files', '-z'], { cwd: clone, encoding: 'utf8', maxBuffer: 64_000_000 }).stdout
  const files = listed.split('\0').filter(isWorthReading)
  const megabytes =
    files.reduce((sum, file) => sum + (statSync(join(clone, file), { throwIfNoEntry: false })?.size ?? 0), 0) / 1e6
  const list = join(clone, '..', 'files.txt')
  writeFileSync(list, `${files.join('\n')}\n`)
  const rounds = Array.from({ length: ROUNDS }, () => ({
    ours: secondsOf(process.execPath, [holdfast, 'index', '--full', '--stdout'], clone),
    ctags: secondsOf('ctags', ['-f', '/dev/null', '-L', list], clone),
  }))
  const ours = medianOf(rounds.map((round) => round.ours))
  const ctags = medianOf(rounds.map((round) => round.ctags))
  const rate = (seconds: number | undefined) =>
    seconds === undefined ? 'absent' : `${(megabytes / seconds).toFixed(2)} MB/s`
  const times = ours === undefined || ctags === undefined ? '' : `, ${(ours / ctags).toFixed(1)} times its time`
  return `${files.length} files ${megabytes.toFixed(1)} MB: ${rate(ours)}, ctags ${rate(ctags)}${times}`
}
