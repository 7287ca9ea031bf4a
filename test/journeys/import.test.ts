import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { inClaudeCode, inCodex, inGeminiCli, inOpenCode, type PastWork } from '../support/past-sessions.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'

const root = join(import.meta.dirname, '..', '..')

/** Shaped like a GitHub token, put together here so that no scanner takes this file for a leak. */
const SECRET = ['ghp', 'R7mQ2xVb9LkT4wZc8NpY3sHd6JfG1aE5uXo0'].join('_')

function aProduct(): Product {
  // The content matters here, not the latency: bench/ measures that.
  return new Product(PATIENT)
}

const user = (product: Product) => join(product.dir, 'user')

function minutesAgo(minutes: number): Date {
  return new Date(Date.now() - minutes * 60_000)
}

function aWork(project: string, key: string, given: Partial<PastWork> = {}): PastWork {
  return {
    key,
    project,
    at: minutesAgo(60),
    goal: `Make the ${key} parser keep blank lines.`,
    file: `src/${key}.ts`,
    failure: `AssertionError: expected ${key} to be 3`,
    lastWords: `The ${key} lines are still dropped.`,
    ...given,
  }
}

/** A harness's own folder in this user's home, and what it writes there. */
const HARNESSES = {
  'claude-code': (product: Product, work: PastWork) => inClaudeCode(product.claudeDir, work),
  codex: (product: Product, work: PastWork) => inCodex(join(user(product), '.codex'), work),
  'gemini-cli': (product: Product, work: PastWork) => inGeminiCli(join(user(product), '.gemini'), work),
  opencode: (product: Product, work: PastWork) => inOpenCode(join(user(product), '.local', 'share'), work),
} as const

/** Everything that is stored of the past; without ids and hashes, which every import and every home makes for itself, and the folder it is in. */
async function keptBy(product: Product): Promise<unknown> {
  const sessions = await product.json(['sessions', 'list', '--all', '--limit', '500'])
  const checkpoints = await product.json(['checkpoints', 'list', '--all', '--limit', '500'])
  const isMadeAnew = (name: string) => /^(?:id|hash|projectId|machine)$/.test(name)
  const kept = JSON.stringify({ sessions, checkpoints }, (name, field: unknown) =>
    isMadeAnew(name) ? undefined : field,
  )
  return JSON.parse(kept.replaceAll(product.dir, '/dir'))
}

describe('the first session after an install', () => {
  test('knows what each harness left on the disk; a second import adds nothing; no secret is kept', async () => {
    await using product = aProduct()
    const works = new Map<string, PastWork>()
    for (const [harness, write] of Object.entries(HARNESSES)) {
      const work = aWork(await product.aProject(harness), harness, { lastWords: `${harness} stopped at ${SECRET}.` })
      write(product, work)
      works.set(harness, work)
    }
    // Before: there is nothing to know.
    expect(await product.json(['sessions', 'list', '--all'])).toEqual([])

    expect(await product.json(['import'])).toMatchObject({ found: 4, imported: 4, failed: [] })
    await product.connect()
    for (const [harness, { project, goal, file, failure }] of works) {
      const session = new ClaudeSession(product, project, { pid: product.anAgent() })
      const told = await session.begin()
      expect(told).toContain(`${harness} session`)
      expect(told).toContain(goal)
      expect(told).toContain(file)
      expect(told).toContain(failure)
      const briefing = await product.cli(['briefing'], { cwd: project })
      expect(briefing.stdout).toContain(goal)
    }

    const before = await keptBy(product)
    expect(await product.json(['import'])).toMatchObject({ found: 4, imported: 0, unchanged: 4, failed: [], events: 0 })
    expect(await keptBy(product)).toEqual(before)

    const files = readdirSync(product.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files.length).toBeGreaterThan(3)
    const leaks = files.filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(SECRET))
    expect(leaks.map(({ name }) => name)).toEqual([])
  })

  test('does not get work that is days old, but its briefing lists it, newest first, after recent work', async () => {
    await using product = aProduct()
    const project = await product.aProject('app')
    const daysAgo = (days: number) => minutesAgo(days * 24 * 60)
    inCodex(join(user(product), '.codex'), aWork(project, 'older', { at: daysAgo(9) }))
    inClaudeCode(product.claudeDir, aWork(project, 'newer', { at: daysAgo(3) }))
    await product.connect()
    const seen = new ClaudeSession(product, project, { pid: product.anAgent() })
    await seen.start()
    await seen.prompt('Rename the lexer, which somebody saw.')
    await seen.edit('src/parser.ts', 'parse', 'lex')
    await seen.bash('npm run lint')
    await seen.say('The lexer has its new name.')
    await seen.end()
    // The transcript of the session that hooks recorded was written to just now.
    expect(await product.json(['import'])).toMatchObject({ imported: 2, 'in-use': 1, failed: [] })

    const told = await new ClaudeSession(product, project, { pid: product.anAgent() }).begin()
    expect(told).toContain('Rename the lexer')
    expect(told).not.toContain('parser keep blank lines')
    const { stdout } = await product.cli(['briefing'], { cwd: project })
    const places = ['Rename the lexer', 'Make the newer parser', 'Make the older parser'].map((text) =>
      stdout.indexOf(text),
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    const listed = await product.json(['sessions', 'list', '--limit', '3'], { cwd: project })
    expect(listed).toMatchObject([{ harness: 'claude-code' }, { key: seen.id }, { key: 'newer' }])
  })
})

describe('an import that is killed', () => {
  const CHECKS = 150
  const SESSIONS = 8

  const BEGAN = minutesAgo(500)

  function withManySessions(): Product {
    const product = aProduct()
    for (let index = 0; index < SESSIONS; index += 1) {
      const at = new Date(BEGAN.getTime() + index * 1_000)
      inClaudeCode(product.claudeDir, aWork('/nowhere/app', `long-${index}`, { at }), CHECKS)
    }
    return product
  }

  /** Whether it was still at work when it was killed. */
  async function importKilledAtTheFirstSession(product: Product): Promise<boolean> {
    await product.json(['daemon', 'start'])
    const child = spawn(process.execPath, [join(root, 'bin', 'holdfast'), 'import'], {
      env: product.env,
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    const endpoint: { port: number } = JSON.parse(readFileSync(join(product.home, 'run', 'endpoint.json'), 'utf8'))
    const token = readFileSync(join(product.home, 'token'), 'utf8').trim()
    const hasBegun = async () => {
      const answer = await fetch(`http://127.0.0.1:${endpoint.port}/api/sessions?limit=1`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return (await answer.text()).includes('long-')
    }
    await waitUntil(hasBegun, 'the import has begun')
    child.kill('SIGKILL')
    const [, signal] = await ended
    return signal === 'SIGKILL'
  }

  test('goes on when it is run again, and ends where an undisturbed one does', async () => {
    await using undisturbed = withManySessions()
    expect(await undisturbed.json(['import'])).toMatchObject({ imported: SESSIONS, failed: [] })
    const expected = await keptBy(undisturbed)
    expect(expected).toMatchObject({ sessions: { length: SESSIONS }, checkpoints: { length: SESSIONS } })

    // On a machine that gives this process no turn for a while it may be over before anybody can kill it.
    for (let attempt = 1; ; attempt += 1) {
      await using product = withManySessions()
      if (!(await importKilledAtTheFirstSession(product)) && attempt < 5) continue
      const again = await product.json(['import'])
      expect(again).toMatchObject({ found: SESSIONS, failed: [] })
      expect(again).toMatchObject({ imported: expect.toSatisfy((count) => typeof count === 'number' && count > 0) })
      expect(await keptBy(product)).toEqual(expected)
      break
    }
  })
})
