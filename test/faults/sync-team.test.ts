import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSealing } from '../../src/sync/io/age-sealing.ts'
import type { SpaceKey } from '../../src/sync/sealing.ts'
import { createTeamTransport, openTeamTransport } from '../../src/team/io/client/http-transport.ts'
import type { TeamServer } from '../../src/team/io/server/serve-team.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'
import { addressOf, operatorOf, startTeamServer } from '../support/team-setup.ts'
import { seededRandom } from './support/random.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres[Symbol.asyncDispose]()
})

interface Member {
  readonly product: Product
  readonly clone: string
}

const field = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)
const membershipOf = ({ product }: Member): { person: string; machine: string; key: string } =>
  JSON.parse(readFileSync(join(product.home, 'team', 'membership.json'), 'utf8'))

async function aMember(name: string, from?: Member): Promise<Member> {
  const product = new Product(PATIENT)
  mkdirSync(product.home, { recursive: true, mode: 0o700 })
  const clone = join(product.dir, name, 'app')
  if (from === undefined) {
    mkdirSync(join(product.dir, name))
    await product.aProject(join(name, 'app'))
  } else execFileSync('git', ['clone', '--quiet', from.clone, clone], { env: product.env })
  execFileSync('git', ['-C', clone, 'config', 'remote.origin.url', 'https://example.com/team/app.git'])
  return { product, clone }
}

const contentsOf = async ({ product, clone }: Member): Promise<readonly string[]> => {
  const listed = (await product.json(['memories', 'list', '--limit', '500'], { cwd: clone })) as { content: string }[]
  return listed.map(({ content }) => content).toSorted()
}
const run = ({ product, clone }: Member) => product.cli(['sync', 'run'], { cwd: clone })

/** Until nothing travels any more. */
async function settle(members: readonly Member[]): Promise<void> {
  for (let round = 0; round < 4; round += 1)
    for (const member of members) {
      const ran = await run(member)
      expect([ran.code, ran.stdout + ran.stderr]).toEqual([round === 0 ? ran.code : 0, expect.any(String)])
    }
}

/** Every key of a space that a home has. */
function keysOf({ product }: Member): readonly SpaceKey[] {
  const dir = join(product.home, 'sync', 'spaces')
  return readdirSync(dir).flatMap((file) => JSON.parse(readFileSync(join(dir, file), 'utf8')) as SpaceKey[])
}

/** What a home can decrypt of the batches that it can see with that key of the server. */
async function readAll(reader: Member, author: Member, access: { server: string; key: string }): Promise<string> {
  const transport = createTeamTransport(access)
  const signing = readFileSync(join(author.product.home, 'sync', 'keys.json'), 'utf8')
  const sealing = await createSealing(JSON.parse(signing))
  let text = ''
  for (const { repository, machine } of await transport.listLogs()) {
    if (machine !== membershipOf(author).machine) continue
    for (const batch of await transport.readBatches({ repository, machine, after: 0, maxBytes: 50_000_000 }))
      text += await sealing.open(batch, sealing.keys.signKey, keysOf(reader)).catch(() => '(cannot be read)')
  }
  return text
}

test('a team server is a space: private and shared, killed daemons, an absent server, revoked and removed', async () => {
  const random = seededRandom('sync over a team server')
  const store = await postgres.createDatabase()
  let server: TeamServer = await startTeamServer([store])
  const { port } = server
  const ada = await aMember('ada')
  const bob = await aMember('bob', ada)
  const laptop = await aMember('laptop', ada)
  const members = [ada, bob, laptop]
  try {
    const link = async (code: Promise<string>) => `${addressOf({ port })}/join#${await code}`
    const invite = { expiresSeconds: 3_600, isForOwnMachine: false }
    const first = link(operatorOf(server).createInvite({ ...invite, role: 'admin' }))
    await ada.product.json(['team', 'join', await first])
    const second = String(field(await ada.product.json(['team', 'invite']), 'link'))
    await bob.product.json(['team', 'join', second])
    const third = String(field(await bob.product.json(['team', 'invite', '--own-machine']), 'link'))
    await laptop.product.json(['team', 'join', third])

    const [privately, shared]: [string[], string[]] = [[], []]
    for (let kill = 0; kill < 12; kill += 1) {
      const author = kill % 2 === 0 ? bob : laptop
      const isShared = kill % 3 === 0
      const text = `${isShared ? 'Shared' : 'Private'} fact ${kill} about releases`
      await author.product.json(['remember', ...(isShared ? ['--team'] : []), text], { cwd: author.clone })
      ;(isShared ? shared : privately).push(text)
      if (kill === 4) await server.stop()
      if (kill === 8) server = await startTeamServer([store], { port })
      const killed = members[kill % 3] ?? author
      const running = run(killed)
      await waitUntil(() => killed.product.isDaemonReady(), 'the daemon answers')
      await sleep(random.int(0, 700))
      if (killed.product.daemonPid() !== undefined) await killed.product.killDaemon()
      await running
      if (kill === 6) {
        const away = await run(bob)
        expect([away.code, away.stdout]).toEqual([1, expect.stringContaining('cannot be reached')])
      }
    }
    await settle(members)
    for (const one of [bob, laptop]) expect(await contentsOf(one)).toEqual([...privately, ...shared].toSorted())
    expect(await contentsOf(ada)).toEqual(shared.toSorted())
    expect((await ada.product.json(['sync', 'status'])) as object).toMatchObject({
      spaces: [{ kind: 'team', members: [{ state: 'accepted' }, { state: 'accepted' }], refused: [] }],
    })
    // Neither the server nor a colleague can read what is private, even with every byte and every key that they have.
    const bobs = { server: addressOf({ port }), key: membershipOf(bob).key }
    expect(await readAll(bob, bob, bobs)).toContain('Private fact')
    expect(await readAll(ada, bob, bobs)).toContain('Shared fact')
    expect(await readAll(ada, bob, bobs)).not.toContain('Private fact')

    // A revoked machine is refused on its next request, and what is written afterwards is encrypted without it.
    await ada.product.json(['team', 'key', 'revoke', membershipOf(laptop).machine])
    const refused = await run(laptop)
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringMatching(/unknown or revoked/)])
    await settle([bob, ada])
    for (const flags of [[], ['--team']])
      await bob.product.json(['remember', ...flags, `After the laptop ${flags.length}`], { cwd: bob.clone })
    await settle([bob, ada])
    expect(await readAll(bob, bob, bobs)).toMatch(/After the laptop 0[^]*After the laptop 1|After the laptop 1[^]*0/)
    expect(await readAll(laptop, bob, bobs)).not.toContain('After the laptop')

    // A person who was removed cannot read what is written afterwards.
    await ada.product.json(['team', 'remove', membershipOf(bob).person, '--yes'])
    await ada.product.json(['remember', '--team', 'After Bob'], { cwd: ada.clone })
    await settle([ada])
    const adas = { server: addressOf({ port }), key: membershipOf(ada).key }
    expect(await readAll(ada, ada, adas)).toContain('After Bob')
    expect(await readAll(bob, ada, adas)).not.toContain('After Bob')
    expect(openTeamTransport({ root: bob.product.home })).toBeDefined()
    expect((await run(bob)).stdout).toMatch(/unknown or revoked/)
    // Whoever left goes on alone, and nothing of the team is an error any more.
    await bob.product.json(['team', 'leave', '--forget'])
    expect((await run(bob)).stderr).toContain('No space was added')
    expect(await contentsOf(bob)).toEqual(expect.arrayContaining([...privately, ...shared]))
  } finally {
    await server.stop()
    for (const { product } of members) await product[Symbol.asyncDispose]()
  }
}, 1_800_000)
