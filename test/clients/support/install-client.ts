import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

const LOCK_POLL_MS = 200
const INSTALL_TIMEOUT_MS = 300_000

/** A harness's own program, by npm, at one version. */
export interface PinnedClient {
  readonly id: string
  readonly package: string
  readonly version: string
}

/** Outside the tree and kept: a client is hundreds of megabytes and never changes at one version. */
export function cacheDir(): string {
  const root = process.env.HOLDFAST_TEST_CACHE
  return root || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast-test')
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    // ESRCH: nobody has that pid. EPERM cannot be: the cache is one user's.
    return false
  }
}

async function isHeldByTheDead(lock: string): Promise<boolean> {
  const pid = Number(await readFile(lock, 'utf8').catch(() => ''))
  return pid > 0 && !isAlive(pid)
}

async function takeLock(lock: string): Promise<void> {
  for (;;) {
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      if (await isHeldByTheDead(lock)) await rm(lock, { force: true })
      else await sleep(LOCK_POLL_MS)
    }
  }
}

async function install(client: PinnedClient, target: string): Promise<void> {
  const spec = `${client.package}@${client.version}`
  const staging = `${target}.installing`
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  await writeFile(join(staging, 'package.json'), '{"private":true}\n')
  try {
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...flags, spec], { cwd: staging, timeout: INSTALL_TIMEOUT_MS })
  } catch (error) {
    throw new Error(`The client ${client.id} could not be installed: npm install ${spec} failed.`, { cause: error })
  }
  await rename(staging, target)
}

/** The folder that holds the client's `node_modules`, installing it first when it is missing. A failed install is an error, never a skip. */
export async function installClient(client: PinnedClient): Promise<string> {
  const target = join(cacheDir(), 'clients', `${client.id}-${client.version}`)
  if (existsSync(join(target, 'node_modules'))) return target
  await mkdir(dirname(target), { recursive: true })
  const lock = `${target}.lock`
  await takeLock(lock)
  try {
    if (!existsSync(join(target, 'node_modules'))) await install(client, target)
  } finally {
    await rm(lock, { force: true })
  }
  return target
}
