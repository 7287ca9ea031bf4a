// bench: re-checking five hundred files in flight, against only reading them
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EMPTY_WORK, type FileWork } from '../src/kernel/checkpoint.ts'
import { SessionKey } from '../src/kernel/id.ts'
import type { RecoveryView } from '../src/recovery/merge/merge-checkpoints.ts'
import { revalidate } from '../src/recovery/revalidate/revalidate.ts'
import { systemTimers } from '../src/daemon/process/timers.ts'
import { systemClock } from '../src/platform/base/clock.ts'
import { localFiles } from '../src/platform/files/files.ts'
import { createGit } from '../src/platform/git/git.ts'
import { benchArguments } from './arguments.ts'

const { values } = benchArguments({
  options: {
    files: { type: 'string', default: '500' },
    bytes: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '20' },
  },
})
const [count, bytes, rounds] = [Number(values.files), Number(values.bytes), Number(values.rounds)]
/** What a session's start waits at most. */
const WITHIN_MS = 200

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = systemClock.monotonicMs()
  await run()
  return systemClock.monotonicMs() - startedAt
}

function makeRepository(root: string): readonly FileWork[] {
  mkdirSync(join(root, 'src'))
  const files = Array.from({ length: count }, (_, index): FileWork => {
    const path = `src/f${index}.ts`
    const content = `// ${index}\n${'export const value = 1\n'.repeat(bytes)}`.slice(0, bytes)
    writeFileSync(join(root, path), content)
    const contentHash = createHash('sha256').update(content).digest('hex')
    return { path, action: 'edited', contentHash, reads: 1, edits: 1, lastOrder: index }
  })
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', root, ...args], { stdio: 'ignore' })
  git('init', '-q')
  git('add', '.')
  git('-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid', 'commit', '-qm', 'all')
  return files
}

const root = mkdtempSync(join(tmpdir(), 'holdfast-recheck-'))
try {
  const files = makeRepository(root)
  const at = systemClock.now()
  const view: RecoveryView = {
    origin: {
      harness: 'claude-code',
      sessionKey: SessionKey('bench'),
      trigger: 'session_end',
      createdAt: at,
      trueAt: at,
      worktree: root,
    },
    sources: [],
    waitOrContinue: 'continue',
    remembers: [],
    work: { ...EMPTY_WORK, files },
  }
  const ports = { files: localFiles, git: createGit(), worktree: root }
  const deadline = { timers: systemTimers, withinMs: WITHIN_MS }
  const readAll = () => Promise.all(files.map(({ path }) => readFile(join(root, path))))
  const hashAll = async () =>
    files.map(({ path }) =>
      createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest(),
    )
  const took = { read: [] as number[], hash: [] as number[], whole: [] as number[], given: [] as number[] }
  let verdicts: readonly string[] = []
  for (let round = 0; round < rounds; round += 1) {
    took.read.push(await timed(readAll))
    took.hash.push(await timed(hashAll))
    took.whole.push(await timed(() => revalidate(view, ports)))
    took.given.push(
      await timed(async () => {
        verdicts = [...(await revalidate(view, { ...ports, deadline })).files.values()]
      }),
    )
  }
  const [read, hash, whole, given] = [took.read, took.hash, took.whole, took.given].map(median)
  const holds = verdicts.filter((verdict) => verdict === 'holds').length
  console.log(`${count} files of ${bytes} bytes, median of ${rounds}:`)
  console.log(`  reading them at once        ${read?.toFixed(1)} ms`)
  console.log(`  reading and hashing in turn ${hash?.toFixed(1)} ms`)
  console.log(
    `  re-checking, no deadline    ${whole?.toFixed(1)} ms (${((whole ?? 0) / (read ?? 1)).toFixed(2)} x reading)`,
  )
  console.log(
    `  re-checking in ${WITHIN_MS} ms       ${given?.toFixed(1)} ms; ${holds} of ${count} reported as unchanged`,
  )
} finally {
  rmSync(root, { recursive: true, force: true })
}
