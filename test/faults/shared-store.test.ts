import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'
import { git, gitRepository } from '../support/temp-dir.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres[Symbol.asyncDispose]()
})

/** The store stands in the user's file: a daemon that a hook starts takes it from nowhere else. */
async function aHome(url: string, more: { readonly person?: string } = {}): Promise<Product> {
  const product = new Product(PATIENT)
  mkdirSync(product.home, { mode: 0o700 })
  writeFileSync(join(product.home, 'config.json'), JSON.stringify({ store: { url, ...more } }), { mode: 0o600 })
  await product.connect()
  return product
}

const personOf = (product: Product) => readFileSync(join(product.home, 'person'), 'utf8').trim()

async function phaseOf(product: Product, id: string): Promise<string> {
  const session = await product.json(['sessions', 'show', id])
  if (typeof session !== 'object' || session === null || !('phase' in session)) throw new Error(JSON.stringify(session))
  return String(session.phase)
}

describe('two homes of one person on one PostgreSQL', () => {
  test('neither judges the other’s session, and another repository at the same path is another project', async () => {
    const url = await postgres.createDatabase()
    await using desk = await aHome(url)
    const shared = gitRepository(join(desk.dir, 'workspace'))
    git(shared, 'remote', 'add', 'origin', 'git@host:team/one.git')
    const pid = desk.anAgent()
    const session = new ClaudeSession(desk, shared, { pid })
    await session.start()
    await session.prompt('Paint the zebra crossing.')
    await desk.json(['remember', 'The zebra crossing needs giraffe paint from the store.'], { cwd: shared })

    await using laptop = await aHome(url, { person: personOf(desk) })
    rmSync(shared, { recursive: true })
    gitRepository(shared)
    git(shared, 'remote', 'add', 'origin', 'git@host:team/two.git')
    const otherPid = laptop.anAgent()
    const other = new ClaudeSession(laptop, shared, { pid: otherPid })
    const told = [await other.start(), await other.prompt('Which paint does the zebra crossing need?')].join('\n')
    const recalled = JSON.stringify(await laptop.json(['recall', 'giraffe paint'], { cwd: shared }))
    expect(`${told}${recalled}`).not.toContain('giraffe paint from')

    const seen = await laptop.cli(['sessions', 'list', '--all'])
    expect(seen.stdout).toMatch(new RegExp(`${session.id} .* on \\S+`))
    expect(seen.stdout).not.toMatch(new RegExp(`${other.id} .* on \\S+`))

    // Both processes are gone, and only the laptop's daemon runs: it finds its own, which shows that it has looked.
    await desk.cli(['daemon', 'stop'])
    await desk.kill(pid)
    await laptop.kill(otherPid)
    const isInterrupted = (product: Product, id: string) => async () => (await phaseOf(product, id)) === 'interrupted'
    await waitUntil(isInterrupted(laptop, other.id), 'the laptop finds its own', 120_000)
    expect(await phaseOf(laptop, session.id)).toBe('working')
    await waitUntil(isInterrupted(desk, session.id), 'the desk finds its own', 120_000)
  })
})

describe('a second person', () => {
  test('is refused by name with a hint, and loses nothing', async () => {
    const url = await postgres.createDatabase()
    await using ada = await aHome(url)
    await ada.json(['remember', 'Ada keeps the giraffe paint in the cellar.'], { cwd: await ada.aProject('app') })
    await using bob = await aHome(url)
    const project = await bob.aProject('app')
    const session = new ClaudeSession(bob, project, { pid: bob.anAgent() })
    const started = await session.fire('SessionStart', { source: 'startup' })
    const asked = await session.fire('UserPromptSubmit', { prompt: 'Where is the giraffe paint?' })
    expect([started.code, asked.code]).toEqual([0, 0])
    expect(`${started.stdout}${started.stderr}${asked.stdout}${asked.stderr}`).not.toContain('cellar')

    const status = await bob.cli(['status'])
    expect(status.code).toBe(1)
    expect(status.stdout).toMatch(/has belonged to \S+@\S+ since \d{4}-\d\d-\d\d/)
    expect(status.stdout).toContain('store.person')
    expect(status.stdout).toMatch(/waiting +2 events/)
    const doctor = await bob.cli(['doctor'])
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(/store {2}This PostgreSQL store has belonged to/)
    const refused = await bob.cli(['recall', 'giraffe paint'], { cwd: project })
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain('has belonged to')

    // With a database of their own everything that waited is there.
    const own = await postgres.createDatabase()
    await waitUntil(async () => {
      const listed = await bob.cli(['sessions', 'list', '--all'], { env: { HOLDFAST_STORE_URL: own } })
      return listed.stdout.includes(session.id)
    }, 'the spool is replayed')
  })

  test('the id of a person is made once for a home, and is for its owner alone', async () => {
    const url = await postgres.createDatabase()
    await using ada = await aHome(url)
    await ada.cli(['status'])
    const first = personOf(ada)
    await ada.cli(['daemon', 'stop'])
    await ada.cli(['status'])
    expect([personOf(ada), first.length]).toEqual([first, 36])
    const mode = await ada.run('stat', ['-c', '%a', join(ada.home, 'person'), join(ada.home, 'machine')])
    expect(mode.stdout).toBe('600\n600\n')
  })
})
