import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'

// What is put before a prompt, through the hook as Claude Code runs it: nothing wrong, whatever there is to be found.

let product: Product
let project: string
let session: ClaudeSession

beforeAll(async () => {
  // The content matters here, not the latency: bench/ measures that.
  product = new Product(PATIENT)
  await product.connect()
  project = await product.aProject('app')
  session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  // The first prompt may still get the recovery; after it only memories are injected.
  await session.prompt('Hello.')
})
afterAll(() => product[Symbol.asyncDispose]())

async function remember(content: string, ...options: readonly string[]): Promise<string> {
  const kept = Object(await product.json(['remember', content, ...options], { cwd: project }))
  return String(kept.id ?? Object(kept.memory).id)
}

/** On a busy machine the answer may be too late for one prompt; then the next one gets it. */
async function toldFor(prompt: string): Promise<string> {
  let said = ''
  await waitUntil(async () => {
    said = await session.prompt(prompt)
    return said !== ''
  }, `something is put before "${prompt}"`)
  return said
}

interface Considered {
  readonly id: string
  readonly outcome: string
  readonly reason: string
}

async function explained(prompt: string): Promise<readonly Considered[]> {
  const { prompts } = Object(await product.json(['explain', '--session', session.id], { cwd: project }))
  const found: unknown = Object(
    [...prompts].find((considered: { prompt: string }) => considered.prompt === prompt),
  ).memories
  return Array.isArray(found) ? found : []
}

test('a relevant memory is injected once; one that is absent, adjacent, superseded or contradicted is not, and explain says why', async () => {
  // Absent.
  expect(await session.prompt('What is the staging database port?')).toBe('')

  const port = await remember('The staging database listens on port 5433.')
  expect(await toldFor('What is the staging database port?')).toContain('port 5433')
  expect(await session.prompt('And what was the staging database port again?')).toBe('')
  expect(await explained('And what was the staging database port again?')).toMatchObject([
    { id: port, outcome: 'already-shown' },
  ])

  // Merely adjacent.
  expect(await session.prompt('What is the production database port?')).toBe('')
  expect(await explained('What is the production database port?')).toMatchObject([
    {
      id: port,
      outcome: 'below-bar',
      reason: "matches 66 % of the prompt's keywords (minimum 70 %): database, port",
    },
  ])

  // Superseded.
  const old = await remember('Releases are tagged by hand on Fridays.')
  const now = await remember('Releases are tagged by the pipeline.', '--supersedes', old)
  const released = await toldFor('How are releases tagged?')
  expect(released).toContain('by the pipeline')
  expect(released).not.toContain('by hand')
  expect(await explained('How are releases tagged?')).toMatchObject([
    { id: now, outcome: 'shown' },
    { id: old, outcome: 'superseded', reason: `replaced by ${now}` },
  ])

  // Contradictory, and nobody said which holds.
  const first = await remember('The cache server runs on host alpha.')
  const second = await remember('The cache server runs on host beta.')
  const cached = await toldFor('Which host does the cache server run on?')
  expect(cached).toContain('host beta')
  expect(cached).not.toContain('host alpha')
  expect(await explained('Which host does the cache server run on?')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: first, outcome: 'older-on-the-subject' }),
      expect.objectContaining({ id: second, outcome: 'shown' }),
    ]),
  )

  // A search finds what is current, through every entry point.
  const hits = await product.json(['recall', 'releases', 'tagged'], { cwd: project })
  expect(hits).toMatchObject([{ memory: { id: now } }])
  const everything = await product.json(['recall', '--all', 'releases', 'tagged'], { cwd: project })
  expect(everything).toMatchObject([{ kind: 'memory', id: now }])
})

test("the README's own example arrives for whatever is plainly about it, and for nothing else", async () => {
  const memory = 'We use tabs, because of the formatter'
  const id = await remember(memory)
  // Said again in other words, it is still one memory.
  expect(await remember('We always use tabs because of the formatter')).toBe(id)
  expect(await remember(memory)).toBe(id)
  const about = [
    'which formatter settings: tabs or spaces?',
    'should I use tabs or spaces here?',
    'add a new formatter rule',
    'tabs',
    'what do we use for indentation, tabs or spaces',
    'format the file with the formatter using tabs',
  ]
  for (const prompt of [...about, 'rename the release script', 'fix the failing tests']) {
    const another = new ClaudeSession(product, project, { pid: product.anAgent() })
    await another.start()
    const said = await another.prompt(prompt)
    expect([prompt, said.split(memory).length - 1]).toEqual([prompt, about.includes(prompt) ? 1 : 0])
    await another.end()
  }
})

test('preferences, decisions and what is important arrive at every start, once, and explain says why', async () => {
  const kept = await remember('Commits are signed off by Maria.', '--type', 'decision')
  const replaced = await remember('We use jest', '--type', 'preference')
  await remember('We use vitest now', '--type', 'preference')
  const another = new ClaudeSession(product, project, { pid: product.anAgent() })
  const said = await another.start()
  expect(said).toContain('Commits are signed off by Maria.')
  expect(said).toContain('We use vitest now')
  expect(said).not.toContain('We use jest')
  expect(await another.prompt('who signs off commits?')).not.toContain('Maria')
  const { injections } = Object(await product.json(['explain', '--session', another.id], { cwd: project }))
  const given = [...injections].find(({ sources }: { sources: readonly string[] }) => sources.includes(kept))
  expect(given).toMatchObject({ kind: 'memories', reasons: expect.any(Array) })
  expect(given.sources).not.toContain(replaced)
  await another.end()
})

test("what is remembered in an agent's shell belongs to its session", async () => {
  const inShell = { cwd: project, env: { CLAUDE_CODE_SESSION_ID: session.id } }
  await product.json(['remember', 'The heron nests on the roof.'], inShell)
  const events = JSON.stringify(await product.json(['events', '--session', session.id], { cwd: project }))
  expect(events).toContain('remembered')
})

test("a search in an agent's shell leaves out its own session, unless --own is given", async () => {
  const words = ['recall', '--all', 'checkout', 'totals']
  const own = { cwd: project, env: { CLAUDE_CODE_SESSION_ID: session.id } }
  await session.prompt('Why do checkout totals differ from the invoice?')
  await session.end()
  await waitUntil(
    async () => JSON.stringify(await product.json(words, { cwd: project })).includes('"checkpoint"'),
    'the session is found by others',
  )
  expect(await product.json(words, own)).toEqual([])
  expect(await product.json([...words, '--own'], own)).toMatchObject([{ kind: 'checkpoint' }])
})
