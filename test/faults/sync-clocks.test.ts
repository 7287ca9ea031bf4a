import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { startPostgres } from '../support/postgres.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'
import { addressOf, operatorOf, startTeamServer } from '../support/team-setup.ts'
import { ENV_FILE, leaksBelow, SECRETS } from './support/canaries.ts'
import { seededRandom } from './support/random.ts'

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'support', 'shifted-clock.mjs')).href
const HOUR_MS = 3_600_000
const KILLS = 6

interface Machine {
  readonly product: Product
  readonly clone: string
}

async function prepare(): Promise<readonly [Machine, Machine]> {
  const env = { ...PATIENT, NODE_OPTIONS: `--import=${PRELOAD}` }
  const [desk, laptop] = [new Product(env), new Product(env)]
  const [app, clone] = [await desk.aProject('app'), join(laptop.dir, 'elsewhere', 'app')]
  execFileSync('git', ['clone', '--quiet', app, clone])
  for (const dir of [app, clone])
    execFileSync('git', ['-C', dir, 'config', 'remote.origin.url', 'https://example.com/team/app.git'])
  for (const product of [desk, laptop]) await product.connect()
  return [
    { product: desk, clone: app },
    { product: laptop, clone },
  ]
}

interface Meeting {
  /** `holdfast sync add` needs it; absent where joining was enough. */
  readonly address?: string
  readonly isShared?: boolean
}

type Meet = (place: string, machines: readonly [Machine, Machine]) => Promise<Meeting & { end?: () => Promise<void> }>

const TRANSPORTS: Readonly<Record<string, Meet>> = {
  folder: async (place) => ({ address: place }),
  async git(place) {
    execFileSync('git', ['init', '--quiet', '--bare', join(place, 'notes.git')])
    return { address: `file://${place}/notes.git`, isShared: true }
  },
  async team(_, [desk, laptop]) {
    const postgres = await startPostgres()
    const server = await startTeamServer([await postgres.createDatabase()])
    const invite = { expiresSeconds: 3_600, isForOwnMachine: false, role: 'admin' } as const
    const code = await operatorOf(server).createInvite(invite)
    await desk.product.json(['team', 'join', `${addressOf(server)}/join#${code}`])
    const { link } = Object(await desk.product.json(['team', 'invite', '--own-machine']))
    await laptop.product.json(['team', 'join', String(link)])
    return {
      async end() {
        await server.stop()
        await postgres[Symbol.asyncDispose]()
      },
    }
  },
}

const contentsOf = async ({ product, clone }: Machine): Promise<readonly string[]> => {
  const listed = (await product.json(['memories', 'list', '--limit', '500'], { cwd: clone })) as { content: string }[]
  return listed.map(({ content }) => content).toSorted()
}

/** The events of each session, in the order of the log of this store. */
async function eventsOf({ product }: Machine): Promise<ReadonlyMap<string, readonly string[]>> {
  const listed = (await product.json(['events', 'list', '--limit', '500'])) as {
    seq: number
    event: { id: string; sessionKey: string }
  }[]
  const sessions = new Map<string, string[]>()
  for (const { event } of listed.toSorted((one, other) => one.seq - other.seq))
    sessions.set(event.sessionKey, [...(sessions.get(event.sessionKey) ?? []), event.id])
  return sessions
}

test.each(Object.keys(TRANSPORTS))(
  'over %s, with daemons killed and clocks that are hours apart and jump: the same records, in the same order',
  async (kind) => {
    const random = seededRandom(`clocks over ${kind}`)
    const place = mkdtempSync(join(tmpdir(), 'holdfast-place-'))
    const machines = await prepare()
    const shift = ({ product }: Machine, hours: number) => {
      product.env['CLOCK_SHIFT_MS'] = String(hours * HOUR_MS)
    }
    shift(machines[0], -9)
    shift(machines[1], 14)
    writeFileSync(join(machines[0].clone, '.env'), ENV_FILE)
    const space = join(place, 'space')
    mkdirSync(space)
    const { address, isShared = false, end } = await (TRANSPORTS[kind] ?? raise())(space, machines)
    try {
      if (address !== undefined)
        for (const { product, clone } of machines) await product.json(['sync', 'add', address], { cwd: clone })
      const written: string[] = []
      for (let kill = 0; kill < KILLS; kill += 1) {
        const machine = machines[kill % 2] ?? machines[0]
        const { product, clone } = machine
        const text = `Fact ${kill} about releases`
        await product.json(['remember', ...(isShared ? ['--team'] : []), text], { cwd: clone })
        written.push(text)
        if (kill < 4) {
          const session = new ClaudeSession(product, clone, { pid: product.anAgent() })
          await session.start()
          for (const part of ['one', 'two', 'three']) await session.prompt(`Part ${part} of ${kill}.\n${SECRETS}`)
          await session.bash(`cat .env # ${kill}`, { stdout: ENV_FILE })
          await session.end()
        }
        const running = product.cli(['sync', 'run'], { cwd: clone })
        await waitUntil(() => product.isDaemonReady(), 'the daemon answers')
        await sleep(random.int(0, 900))
        if (product.daemonPid() !== undefined) await product.killDaemon()
        await running
        // The next daemon has another idea of the time: before or after everything that was written.
        shift(machine, random.int(-36, 36))
      }
      for (let round = 0; round < 3; round += 1)
        for (const { product, clone } of machines) {
          const ran = await product.cli(['sync', 'run'], { cwd: clone })
          expect([ran.code, ran.stdout]).toEqual([0, expect.not.stringContaining('refused')])
        }
      for (const machine of machines) expect(await contentsOf(machine)).toEqual(written.toSorted())
      // No secret in any byte: neither where they meet nor in a home, of which one has the whole content in clear.
      for (const dir of [space, ...machines.map(({ product }) => product.home)]) expect(leaksBelow(dir)).toEqual([])
      const [here, there] = [await eventsOf(machines[0]), await eventsOf(machines[1])]
      if (isShared) expect([here.size, there.size]).toEqual([2, 2])
      else {
        expect(here.size).toBe(4)
        expect(there).toEqual(here)
        for (const ids of here.values()) expect(new Set(ids).size).toBe(ids.length)
        for (const ids of here.values()) expect(ids.length).toBeGreaterThanOrEqual(5)
      }
    } finally {
      for (const { product } of machines) await product[Symbol.asyncDispose]()
      await end?.()
      rmSync(place, { recursive: true, force: true })
    }
  },
  900_000,
)

function raise(): never {
  throw new Error('unreachable: the transport is in the table')
}
