import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Processes } from '../../kernel/ports/ports.ts'
import { ensurePrivateDir } from '../../platform/files/atomic-file.ts'
import { wallMs } from '../../platform/base/clock.ts'
import type { Home } from '../../platform/base/home.ts'

const OWNER = 'owner.json'
const Owner = z.object({ pid: z.number(), startedAt: z.string().optional() })

export interface RunDirOptions {
  readonly home: Pick<Home, 'root'>
  readonly runId: string
  readonly pid: number
  readonly processes: Processes
}

/** A run writes its owner file right after creating its folder. */
const UNOWNED_MS = 60_000

function isAbandoned(dir: string, processes: Processes): boolean {
  try {
    return !processes.isAlive(Owner.parse(JSON.parse(readFileSync(join(dir, OWNER), 'utf8'))))
  } catch {
    // No readable owner: another run is just creating it, or was killed while doing so.
    const facts = statSync(dir, { throwIfNoEntry: false })
    return facts !== undefined && Math.abs(wallMs() - facts.mtimeMs) > UNOWNED_MS
  }
}

function removeAbandoned(runs: string, processes: Processes): void {
  for (const name of readdirSync(runs))
    if (/^run-[\w-]+$/.test(name) && isAbandoned(join(runs, name), processes))
      rmSync(join(runs, name), { recursive: true, force: true })
}

/** Creates a private folder for one run and removes those of killed runs. */
export function createRunDir({ home, runId, pid, processes }: RunDirOptions): Disposable & { readonly path: string } {
  const runs = join(home.root, 'runs')
  ensurePrivateDir(runs, home.root)
  removeAbandoned(runs, processes)
  const dir = join(runs, runId)
  ensurePrivateDir(dir, home.root)
  const startedAt = processes.startedAt(pid)
  writeFileSync(join(dir, OWNER), JSON.stringify({ pid, ...(startedAt !== undefined && { startedAt }) }), {
    mode: 0o600,
  })
  return { path: dir, [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) }
}
