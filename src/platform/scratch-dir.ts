import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessRef } from '../kernel/event.ts'
import { ensurePrivateDir } from './files/atomic-file.ts'
import { wallMs } from './base/clock.ts'
import { type Home, resolveHome } from './base/home.ts'
import { onProcessEnd } from './process/process-end.ts'
import { systemProcesses } from './process/processes.ts'

type ScratchHome = Pick<Home, 'root'>

/** Earlier versions made their copies here and left them when they were killed. */
const FORMER = /^holdfast-(?:patch|handoff)-[A-Za-z0-9]{6}$/
const FORMER_AGE_MS = 3_600_000

function folderOf(home: ScratchHome): string {
  return join(home.root, 'scratch')
}

function nameFor(pid: number): string {
  const startedAt = Buffer.from(systemProcesses.startedAt(pid) ?? '').toString('base64url')
  return `${pid}.${startedAt}.${randomBytes(6).toString('hex')}`
}

function ownerOf(name: string): ProcessRef | undefined {
  const [, pid = '', startedAt = ''] = /^(\d+)\.([\w-]*)\.[0-9a-f]{12}$/.exec(name) ?? []
  if (pid === '') return undefined
  return {
    pid: Number(pid),
    ...(startedAt !== '' && { startedAt: Buffer.from(startedAt, 'base64url').toString('utf8') }),
  }
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 3 })
}

/** The next command tries again. */
function removeQuietly(path: string): void {
  try {
    remove(path)
  } catch {
    return
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Missing, which is the usual case, or not readable: nothing to remove.
    return []
  }
}

/** Removes what killed processes left. */
export function removeAbandonedScratch(home: ScratchHome = resolveHome(process.env)): void {
  for (const name of namesIn(folderOf(home))) {
    const owner = ownerOf(name)
    if (owner !== undefined && !systemProcesses.isAlive(owner)) removeQuietly(join(folderOf(home), name))
  }
}

/** Removes the copies that earlier versions left in the system's temporary folder. */
export function removeFormerScratch(folder: string = tmpdir()): void {
  for (const name of namesIn(folder).filter((entry) => FORMER.test(entry))) {
    const path = join(folder, name)
    const facts = lstatSync(path, { throwIfNoEntry: false })
    const isOurs = facts?.isDirectory() === true && facts.uid === (process.getuid?.() ?? facts.uid)
    if (isOurs && wallMs() - facts.mtimeMs > FORMER_AGE_MS) removeQuietly(path)
  }
}

/**
 * A private folder in the home for the duration of `use`: copies of the user's files are never readable by others, and
 * are removed when this process ends, also by Ctrl-C. After SIGKILL the next command removes them.
 */
export async function withScratchDir<T>(
  use: (dir: string) => Promise<T>,
  home: ScratchHome = resolveHome(process.env),
): Promise<T> {
  removeAbandonedScratch(home)
  const dir = join(folderOf(home), nameFor(process.pid))
  ensurePrivateDir(dir, home.root)
  const forget = onProcessEnd(() => remove(dir))
  try {
    return await use(dir)
  } finally {
    forget()
    remove(dir)
  }
}
