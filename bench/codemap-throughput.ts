import { spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isWorthReading } from '../src/codemap/discover.ts'

function secondsOf(program: string, args: readonly string[], cwd: string): number | undefined {
  const startedMs = performance.now()
  const { status } = spawnSync(program, args, { cwd, stdio: 'ignore' })
  return status === 0 ? (performance.now() - startedMs) / 1_000 : undefined
}

/** Everything read anew, process start, history and ranking included, beside ctags on the same files. */
export function throughput(clone: string, holdfast: string): string {
  const listed = spawnSync('git', ['ls-files', '-z'], { cwd: clone, encoding: 'utf8', maxBuffer: 64_000_000 }).stdout
  const files = listed.split('\0').filter(isWorthReading)
  const megabytes =
    files.reduce((sum, file) => sum + (statSync(join(clone, file), { throwIfNoEntry: false })?.size ?? 0), 0) / 1e6
  const list = join(clone, '..', 'files.txt')
  writeFileSync(list, `${files.join('\n')}\n`)
  const rate = (seconds: number | undefined) =>
    seconds === undefined ? 'absent' : `${(megabytes / seconds).toFixed(2)} MB/s`
  const ours = secondsOf(process.execPath, [holdfast, 'index', '--full', '--stdout'], clone)
  const ctags = secondsOf('ctags', ['-f', '/dev/null', '-L', list], clone)
  return `${files.length} files ${megabytes.toFixed(1)} MB: ${rate(ours)}, ctags ${rate(ctags)}`
}
