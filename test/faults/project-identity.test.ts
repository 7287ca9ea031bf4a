import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'
import { git, gitRepository } from '../support/temp-dir.ts'

const GOAL = 'Make the parser in src/parser.ts keep zebra lines as separators.'
const MEMORY = 'The zebra parser keeps its grammar in the giraffe folder of the build.'
/** What only the first repository's sessions and memories say. */
const FORMER = /zebra lines|giraffe folder|splitZebra|zebra-work|zebra test|zebra parsing|another zebra/

async function connected(): Promise<Product> {
  // The content matters here, not the latency: bench/ measures that.
  const product = new Product(PATIENT)
  await product.connect()
  return product
}

/** A repository to clone from; each has a history of its own. */
function anOrigin(product: Product, name: string): string {
  const path = gitRepository(join(product.dir, 'origins', name))
  git(path, 'commit', '-q', '--allow-empty', '-m', name)
  return path
}

function clone(product: Product, origin: string, name = 'app'): string {
  const path = join(product.dir, name)
  rmSync(path, { recursive: true, force: true })
  git(product.dir, 'clone', '-q', origin, path)
  return path
}

/** Work, a memory, a named checkpoint, an intent and a summary: everything that is kept for a project. */
async function fill(product: Product, project: string): Promise<{ session: ClaudeSession; memoryId: string }> {
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  await session.prompt(GOAL)
  await session.edit('src/parser.ts', 'text.split', 'splitZebra(text)')
  await session.say('The zebra test still fails.')
  const kept = await product.json(['remember', MEMORY, '--importance', '9'], { cwd: project })
  if (typeof kept !== 'object' || kept === null || !('id' in kept)) throw new Error(JSON.stringify(kept))
  await product.json(['checkpoint', 'save', 'zebra-work', '--task', 'zebra parsing'], { cwd: project })
  await session.end()
  return { session, memoryId: String(kept.id) }
}

/** Everything that a user or an agent sees in a folder. */
async function toldIn(product: Product, project: string): Promise<string> {
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  const hooks = [await session.start(), await session.prompt('How does the zebra parser keep its giraffe grammar?')]
  const commands = [
    ['sessions', 'list'],
    ['checkpoints', 'list'],
    ['checkpoint', 'list'],
    ['recall', 'zebra parser grammar'],
    ['briefing'],
    ['ledger'],
  ]
  const said: string[] = []
  for (const command of commands) {
    const { stdout, stderr } = await product.cli(command, { cwd: project })
    said.push(stdout, stderr)
  }
  const status = await product.cli(['status', '--json'], { cwd: project })
  const { lastCheckpoint }: { lastCheckpoint?: unknown } = JSON.parse(status.stdout)
  await session.end()
  return [...hooks, ...said, JSON.stringify(lastCheckpoint ?? '')].join('\n')
}

describe('another repository at the same path', () => {
  test('sees nothing of the former one and cannot delete it', async () => {
    await using product = await connected()
    const [one, two] = [anOrigin(product, 'one'), anOrigin(product, 'two')]
    const app = clone(product, one)
    const { session, memoryId } = await fill(product, app)
    clone(product, two)
    expect(await toldIn(product, app)).not.toMatch(FORMER)

    const resumed = new ClaudeSession(product, app, { pid: product.anAgent(), id: session.id })
    const again = [await resumed.start('resume'), await resumed.prompt('Go on.'), await resumed.compact()].join('\n')
    expect(again).not.toMatch(FORMER)
    await resumed.end()
    expect(await toldIn(product, app)).not.toMatch(FORMER)

    const named = await product.cli(['checkpoint', 'resume', 'zebra-work'], { cwd: app })
    expect([named.code, named.stdout]).toEqual([1, ''])
    expect((await product.cli(['checkpoint', 'delete', 'zebra-work'], { cwd: app })).code).toBe(1)
    expect((await product.cli(['forget', memoryId], { cwd: app })).code).toBe(1)

    clone(product, one)
    expect(JSON.stringify(await product.json(['recall', 'zebra grammar'], { cwd: app }))).toContain(memoryId)
    expect(JSON.stringify(await product.json(['checkpoint', 'list'], { cwd: app }))).toContain('zebra-work')
  })

  test('the same in a folder whose first repository never had a remote, and after the daemon was started again', async () => {
    await using product = await connected()
    const app = await product.aProject('app')
    await fill(product, app)
    rmSync(app, { recursive: true })
    gitRepository(app)
    await product.cli(['daemon', 'stop'])
    expect(await toldIn(product, app)).not.toMatch(FORMER)
  })

  test('a session that lives while its repository is replaced stays with its own project', async () => {
    await using product = await connected()
    const [one, two] = [anOrigin(product, 'one'), anOrigin(product, 'two')]
    const app = clone(product, one)
    const session = new ClaudeSession(product, app, { pid: product.anAgent() })
    await session.start()
    await session.prompt(GOAL)
    clone(product, two)
    await session.prompt('Now fetch another zebra repository.')
    await session.end()
    expect(await toldIn(product, app)).not.toMatch(FORMER)
  })

  test('control: a second session in the same repository gets the recovery and finds what was stored', async () => {
    await using product = await connected()
    const app = clone(product, anOrigin(product, 'one'))
    await fill(product, app)
    const next = new ClaudeSession(product, app, { pid: product.anAgent() })
    expect(await next.begin()).toMatch(FORMER)
    await next.end()
    const told = await toldIn(product, app)
    for (const words of ['zebra lines', 'giraffe folder', 'zebra-work']) expect(told).toContain(words)
  })
})

describe('the same repository', () => {
  const changes: Readonly<Record<string, (product: Product, app: string) => string>> = {
    'cloned again from the same remote': (product, app) => {
      const origin = git(app, 'remote', 'get-url', 'origin')
      return clone(product, origin)
    },
    'moved elsewhere, with another repository at its former path': (product, app) => {
      renameSync(app, join(product.dir, 'moved'))
      clone(product, anOrigin(product, 'two'))
      return join(product.dir, 'moved')
    },
    'with other remotes and another history': (_product, app) => {
      git(app, 'remote', 'set-url', 'origin', 'git@host:team/renamed.git')
      git(app, 'remote', 'add', 'upstream', 'git@host:original/app.git')
      git(app, 'checkout', '-q', '--orphan', 'fresh')
      git(app, 'commit', '-q', '--allow-empty', '-m', 'rewritten')
      git(app, 'branch', '-q', '-D', 'main')
      git(app, 'branch', '-q', '-m', 'main')
      return app
    },
  }

  test.each(Object.entries(changes))('%s goes on as the project it was', async (_how, change) => {
    await using product = await connected()
    const app = clone(product, anOrigin(product, 'one'))
    const { memoryId } = await fill(product, app)
    const now = change(product, app)
    const next = new ClaudeSession(product, now, { pid: product.anAgent() })
    expect(await next.begin()).toContain('zebra')
    expect(JSON.stringify(await product.json(['recall', 'zebra grammar'], { cwd: now }))).toContain(memoryId)
  })

  test('from `git init` over the first commit to a remote', async () => {
    await using product = await connected()
    const app = join(product.dir, 'app')
    mkdirSync(app)
    git(app, 'init', '-q')
    const { memoryId } = await fill(product, app)
    const recalled = async () => JSON.stringify(await product.json(['recall', 'zebra grammar'], { cwd: app }))
    for (const args of [
      ['commit', '-q', '--allow-empty', '-m', 'first'],
      ['remote', 'add', 'origin', 'git@host:team/app.git'],
      ['remote', 'rename', 'origin', 'mirror'],
    ]) {
      git(app, ...args)
      await product.cli(['daemon', 'stop'])
      expect(await recalled()).toContain(memoryId)
    }
  })

  test('restored from a copy, without a remote', async () => {
    await using product = await connected()
    const app = await product.aProject('app')
    const { memoryId } = await fill(product, app)
    cpSync(app, join(product.dir, 'backup'), { recursive: true })
    rmSync(app, { recursive: true })
    cpSync(join(product.dir, 'backup'), app, { recursive: true })
    expect(JSON.stringify(await product.json(['recall', 'zebra grammar'], { cwd: app }))).toContain(memoryId)
  })
})

test('a session is shown with the machine that it is on only where that is another one', async () => {
  await using product = await connected()
  const app = await product.aProject('app')
  const session = new ClaudeSession(product, app, { pid: product.anAgent() })
  await session.start()
  await waitUntil(async () => (await product.cli(['sessions', 'list'], { cwd: app })).stdout !== '', 'it is listed')
  const { stdout } = await product.cli(['sessions', 'list'], { cwd: app })
  expect(stdout.trimEnd().endsWith(app)).toBe(true)
})
