import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { MemoryId, ProjectId } from '../../src/kernel/id.ts'
import { createRecordFile } from '../../src/transfer/records/io/record-file.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'
import { seededRandom } from './support/random.ts'

/** A home with a clone of its own, at a path of its own. */
interface Machine {
  readonly product: Product
  readonly clone: string
}

async function prepare(count: number): Promise<readonly Machine[]> {
  const machines: Machine[] = []
  for (let index = 0; index < count; index += 1) {
    const product = new Product(PATIENT)
    const clone = join(product.dir, `folder-${index}`, 'app')
    const [first] = machines
    if (first === undefined) {
      mkdirSync(join(product.dir, 'folder-0'))
      await product.aProject(join('folder-0', 'app'))
    } else execFileSync('git', ['clone', '--quiet', first.clone, clone], { env: product.env })
    execFileSync('git', ['config', 'remote.origin.url', 'https://example.com/team/app.git'], {
      cwd: clone,
      env: product.env,
    })
    machines.push({ product, clone })
  }
  return machines
}

async function settle(machines: readonly Machine[]): Promise<void> {
  for (let round = 0; round < 3; round += 1)
    for (const { product, clone } of machines) {
      const ran = await product.cli(['sync', 'run'], { cwd: clone })
      expect(ran.stdout + ran.stderr).not.toContain('refused')
      // With what it printed, if it failed.
      expect(ran).toEqual({ ...ran, code: 0 })
    }
}

const contentsOf = async ({ product, clone }: Machine): Promise<readonly string[]> => {
  const listed = (await product.json(['memories', 'list', '--limit', '500'], { cwd: clone })) as { content: string }[]
  return listed.map(({ content }) => content).toSorted()
}

const textsBelow = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))

function raise(): never {
  throw new Error('unreachable: there is a machine')
}

/** Joined here, so that no scanner takes this file for a leak. A key that repeats itself would be taken for an example. */
const CANARY = ['AKIA', 'Q7RTM2VZ5K3WX6PN'].join('')

test('three daemons over a folder, each killed at random moments: nothing is lost, nothing doubled', async () => {
  const random = seededRandom('sync over a folder')
  const machines = await prepare(3)
  const place = mkdtempSync(join(tmpdir(), 'holdfast-stick-'))
  const stick = join(place, 'stick')
  mkdirSync(stick)
  try {
    for (const { product, clone } of machines) await product.json(['sync', 'add', stick], { cwd: clone })
    const written: string[] = []
    for (let kill = 0; kill < 36; kill += 1) {
      const { product, clone } = machines[kill % machines.length] ?? raise()
      const text = `Fact ${kill} about the release pipeline`
      await product.json(['remember', text], { cwd: clone })
      written.push(text)
      // The transport is away for a while, in the middle of it.
      if (kill === 12) renameSync(stick, `${stick}-away`)
      if (kill === 18) renameSync(`${stick}-away`, stick)
      const running = product.cli(['sync', 'run'], { cwd: clone })
      await waitUntil(() => product.isDaemonReady(), 'the daemon answers')
      await sleep(random.int(0, 700))
      if (product.daemonPid() !== undefined) await product.killDaemon()
      await running
    }
    await settle(machines)
    const expected = written.toSorted()
    for (const machine of machines) expect(await contentsOf(machine)).toEqual(expected)
    const lying = textsBelow(stick)
    expect(lying.filter((text) => text.includes('release pipeline'))).toEqual([])
    for (const { product } of machines)
      expect((await product.cli(['doctor', '--json'])).stdout).not.toContain('damaged')
  } finally {
    for (const { product } of machines) await product[Symbol.asyncDispose]()
    rmSync(place, { recursive: true, force: true })
  }
}, 1_800_000)

test('a home from an old backup continues its own log, and one that was deleted is another machine', async () => {
  const machines = await prepare(2)
  const [desk, laptop] = [machines[0] ?? raise(), machines[1] ?? raise()]
  const place = mkdtempSync(join(tmpdir(), 'holdfast-stick-'))
  const remember = ({ product, clone }: Machine, text: string) => product.json(['remember', text], { cwd: clone })
  const stop = async ({ product }: Machine) => {
    await product.cli(['daemon', 'stop'])
  }
  try {
    for (const { product, clone } of machines) await product.json(['sync', 'add', place], { cwd: clone })
    await remember(desk, 'Umbrellas are counted on Mondays')
    await settle(machines)
    await stop(desk)
    const backup = join(desk.product.dir, 'backup')
    cpSync(desk.product.home, backup, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    await remember(desk, 'The lighthouse file is sealed with wax')
    await settle(machines)
    await stop(desk)
    rmSync(desk.product.home, { recursive: true })
    renameSync(backup, desk.product.home)
    await remember(desk, 'Penguins prefer the northern cache')
    await settle(machines)
    const three = [
      'Penguins prefer the northern cache',
      'The lighthouse file is sealed with wax',
      'Umbrellas are counted on Mondays',
    ]
    for (const machine of machines) expect(await contentsOf(machine)).toEqual(three)

    await stop(desk)
    rmSync(desk.product.home, { recursive: true })
    await remember(desk, 'A violin needs two build servers')
    await desk.product.json(['sync', 'add', place], { cwd: desk.clone })
    await settle(machines)
    for (const machine of machines)
      expect(await contentsOf(machine)).toEqual(['A violin needs two build servers', ...three])
    const { spaces } = Object(await laptop.product.json(['sync', 'status']))
    expect(Object(spaces)[0]).toMatchObject({ members: [{ state: 'accepted' }, { state: 'accepted' }], refused: [] })
  } finally {
    for (const { product } of machines) await product[Symbol.asyncDispose]()
    rmSync(place, { recursive: true, force: true })
  }
}, 600_000)

async function importTeamMemory({ product, clone }: Machine, name: string, content: string): Promise<void> {
  await product.json(['remember', `Private ${name}`], { cwd: clone })
  const listed = (await product.json(['memories', 'list'], { cwd: clone })) as { projectId: string }[]
  const file = await createRecordFile(join(product.dir, `${name}.jsonl`), {
    madeAt: new Date().toISOString(),
    machine: 'm',
  })
  const value = {
    id: MemoryId(`mem-${name}`),
    projectId: ProjectId(listed[0]?.projectId ?? ''),
    scope: 'team',
    type: 'decision',
    content,
    importance: 5,
    tags: [],
    source: 'cli',
    createdAt: new Date().toISOString(),
    hits: 0,
  } as const
  await file.add([{ kind: 'memory', value }])
  await file.finish()
  await file.close()
  await product.json(['import', join(product.dir, `${name}.jsonl`)], { cwd: clone })
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

test.each(['file', 'git daemon'])(
  'two daemons over a git remote (%s), killed at random: only what is shared arrives, as ciphertext',
  async (kind) => {
    const random = seededRandom(`sync over git, ${kind}`)
    const machines = await prepare(2)
    const place = mkdtempSync(join(tmpdir(), 'holdfast-git-'))
    const bare = join(place, 'notes.git')
    execFileSync('git', ['init', '--quiet', '--bare', bare])
    const port = await freePort()
    const serve = () =>
      spawn(
        'git',
        [
          'daemon',
          '--reuseaddr',
          '--export-all',
          '--enable=receive-pack',
          '--listen=127.0.0.1',
          `--port=${port}`,
          `--base-path=${place}`,
          place,
        ],
        {
          stdio: 'ignore',
          detached: true,
        },
      )
    let server = kind === 'file' ? undefined : serve()
    const stop = () => {
      if (server?.pid !== undefined) process.kill(-server.pid, 'SIGKILL')
    }
    try {
      const address = kind === 'file' ? `file://${bare}` : `git://127.0.0.1:${port}/notes.git`
      if (server !== undefined)
        await waitUntil(
          async () => (await (machines[0] ?? raise()).product.run('git', ['ls-remote', address])).code === 0,
          'git daemon answers',
        )
      for (const { product, clone } of machines) {
        const refused = await product.cli(['sync', 'add', address], { cwd: clone })
        expect(refused.code).toBe(kind === 'file' ? 0 : 1)
        if (refused.code !== 0) await product.json(['sync', 'add', address, '--yes-public'], { cwd: clone })
      }
      const shared: string[] = []
      for (let kill = 0; kill < 12; kill += 1) {
        const machine = machines[kill % 2] ?? raise()
        const { product, clone } = machine
        const text = `Shared decision ${kill} with ${kill === 0 ? CANARY : 'nothing secret'}`
        await importTeamMemory(machine, `t${kill}`, text)
        shared.push(`mem-t${kill}`)
        if (kill === 4) stop()
        if (kill === 7 && server !== undefined) server = serve()
        const running = product.cli(['sync', 'run'], { cwd: clone })
        await waitUntil(() => product.isDaemonReady(), 'the daemon answers')
        await sleep(random.int(0, 1_500))
        if (product.daemonPid() !== undefined) await product.killDaemon()
        await running
      }
      await settle(machines)
      for (const [index, { product, clone }] of machines.entries()) {
        const listed = (await product.json(['memories', 'list', '--limit', '500'], { cwd: clone })) as {
          id: string
          content: string
        }[]
        expect(
          listed
            .map(({ id }) => id)
            .filter((id) => id.startsWith('mem-t'))
            .toSorted(),
        ).toEqual(shared.toSorted())
        // Six private ones each, and none of the other machine.
        const own = listed.flatMap(({ content }) => /^Private t(\d+)$/.exec(content)?.[1] ?? [])
        expect(own.map(Number).toSorted((one, other) => one - other)).toEqual(
          [0, 2, 4, 6, 8, 10].map((number) => number + index),
        )
        expect(JSON.stringify(listed)).not.toContain(CANARY)
      }
      const blobs = execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], {
        cwd: bare,
        encoding: 'latin1',
      })
      for (const word of ['Shared decision', 'Private t', CANARY]) expect(blobs.includes(word)).toBe(false)
    } finally {
      stop()
      for (const { product } of machines) await product[Symbol.asyncDispose]()
      rmSync(place, { recursive: true, force: true })
    }
  },
  1_800_000,
)
