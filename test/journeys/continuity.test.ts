import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'

interface CheckpointRow {
  readonly trigger: string
  readonly promptCount: number
}

async function connected(): Promise<Product> {
  // The content matters here, not the latency: bench/ measures that.
  const product = new Product(PATIENT)
  await product.connect()
  return product
}

async function checkpointsOf(product: Product, sessionKey: string): Promise<readonly CheckpointRow[]> {
  const answer = await product.json(['checkpoints', 'list', '--session', sessionKey])
  if (!Array.isArray(answer)) throw new Error(`not a list: ${JSON.stringify(answer)}`)
  return answer
}

function hasCheckpoint(product: Product, sessionKey: string, trigger: string): () => Promise<boolean> {
  return async () => (await checkpointsOf(product, sessionKey)).some((row) => row.trigger === trigger)
}

const GOAL = 'Make the parser in src/parser.ts keep blank lines as separators.'

/** A session that has done something worth keeping. */
async function workIn(product: Product, project: string, pid: number): Promise<ClaudeSession> {
  const session = new ClaudeSession(product, project, { pid })
  await session.start()
  await session.prompt(GOAL)
  await session.edit('src/parser.ts', 'text.split', 'splitLines(text)')
  await session.bash('npm test -- parser', {
    error: 'Exit code 1\nFAIL src/parser.test.ts > keeps blank lines\nAssertionError: expected 2 to be 3',
  })
  await session.say('The parser test still fails: blank lines are dropped in splitLines.')
  return session
}

describe('a session and the next one', () => {
  test('ten prompts make a periodic checkpoint', async () => {
    await using product = await connected()
    const session = new ClaudeSession(product, await product.aProject('app'), { pid: product.anAgent() })
    await session.start()
    for (let count = 1; count <= 10; count += 1) await session.prompt(`Step ${count} of the plan.`)
    await waitUntil(hasCheckpoint(product, session.id, 'periodic'), 'there is a periodic checkpoint')
    const [newest] = await checkpointsOf(product, session.id)
    expect(newest?.promptCount).toBe(10)
  })

  test('ten prompts, a periodic checkpoint, the end, a new session: the recovery is not empty', async () => {
    await using product = await connected()
    const project = await product.aProject('app')
    const session = new ClaudeSession(product, project, { pid: product.anAgent() })
    await session.start()
    await session.prompt(GOAL)
    for (let count = 2; count <= 10; count += 1) await session.prompt(`Step ${count} of the plan.`)
    await waitUntil(hasCheckpoint(product, session.id, 'periodic'), 'there is a periodic checkpoint')
    await session.end()
    const next = await new ClaudeSession(product, project, { pid: product.anAgent() }).begin()
    expect(next).toContain('## Session Recovery Context')
    expect(next).toContain('Step 10 of the plan.')
  })

  test('nine prompts, kill -9 of the daemon, twelve more prompts: there is a checkpoint', async () => {
    await using product = await connected()
    const session = new ClaudeSession(product, await product.aProject('app'), { pid: product.anAgent() })
    await session.start()
    for (let count = 1; count <= 9; count += 1) await session.prompt(`Step ${count} of the plan.`)
    await product.killDaemon()
    for (let count = 10; count <= 21; count += 1) await session.prompt(`Step ${count} of the plan.`)
    await waitUntil(hasCheckpoint(product, session.id, 'periodic'), 'there is a periodic checkpoint')
  })

  test('after compaction the same session gets its own state back', async () => {
    await using product = await connected()
    const session = await workIn(product, await product.aProject('app'), product.anAgent())
    const injected = await session.compact()
    expect(injected).toContain('## Session Recovery Context')
    expect(injected).toContain('keep blank lines')
    expect(injected).toContain('src/parser.ts')
    expect(injected.length).toBeLessThanOrEqual(2_000)
    expect(await session.prompt('Go on.')).toBe('')
  })

  test('kill -9 of agent and daemon: the next session starts where the last one stopped', async () => {
    await using product = await connected()
    const project = await product.aProject('app')
    const pid = product.anAgent()
    const session = await workIn(product, project, pid)
    await product.kill(pid)
    await waitUntil(() => product.daemonPid() !== undefined, 'there is a daemon')
    await product.killDaemon()
    const injected = await new ClaudeSession(product, project, { pid: product.anAgent() }).begin()
    expect(injected).toContain('keep blank lines')
    expect(injected).toContain('expected 2 to be 3')
    await waitUntil(hasCheckpoint(product, session.id, 'interrupted'), 'the lost session has its last checkpoint')
  })

  test('a second live session gets none of the first one’s state', async () => {
    await using product = await connected()
    const project = await product.aProject('app')
    await workIn(product, project, product.anAgent())
    const second = new ClaudeSession(product, project, { pid: product.anAgent() })
    const named = await second.start()
    expect(named).toContain('Also at work in this worktree: claude-code session')
    expect(named).not.toContain('blank lines')
    expect(await second.prompt('Something else entirely.')).toBe('')
  })

  test('the same project through a symbolic link is the same project', async () => {
    await using product = await connected()
    const project = await product.aProject('app')
    symlinkSync(project, join(product.dir, 'alias'))
    const session = await workIn(product, project, product.anAgent())
    await session.end()
    const next = new ClaudeSession(product, join(product.dir, 'alias'), { pid: product.anAgent() })
    expect(await next.begin()).toContain('keep blank lines')
  })

  test('two worktrees have two live states and one memory', async () => {
    await using product = await connected()
    const project = await product.aProject('app')
    const sibling = join(product.dir, 'app-topic')
    await product.run('git', ['worktree', 'add', '-q', '-b', 'topic', sibling], { cwd: project })
    const session = await workIn(product, project, product.anAgent())
    await session.end()
    expect(await new ClaudeSession(product, sibling, { pid: product.anAgent() }).start()).not.toContain(
      'keep blank lines',
    )
    await product.cli(['remember', 'Blank lines separate paragraphs in the parser grammar.'], { cwd: project })
    expect(JSON.stringify(await product.json(['recall', 'parser grammar'], { cwd: sibling }))).toContain(
      'Blank lines separate',
    )
  })

  test('another project gets nothing', async () => {
    await using product = await connected()
    const session = await workIn(product, await product.aProject('app'), product.anAgent())
    await session.end()
    const other = new ClaudeSession(product, await product.aProject('other'), { pid: product.anAgent() })
    expect(await other.start()).toBe('')
    expect(await other.prompt('Make the parser keep blank lines.')).toBe('')
  })

  test('a file that changed since is said to have changed', async () => {
    await using product = await connected()
    const project = await product.aProject('app')
    const session = await workIn(product, project, product.anAgent())
    await session.end()
    await waitUntil(hasCheckpoint(product, session.id, 'session_end'), 'the session has its last checkpoint')
    writeFileSync(join(project, 'src', 'parser.ts'), 'export const parse = undefined\n')
    const injected = await new ClaudeSession(product, project, { pid: product.anAgent() }).begin()
    expect(injected).toContain('changed src/parser.ts (changed since)')
  })
})

describe('what the hooks could not say', () => {
  test('tool calls whose hook was lost are made good from the transcript, each once', async () => {
    await using product = await connected()
    const session = new ClaudeSession(product, await product.aProject('app'), { pid: product.anAgent() })
    await session.start()
    await session.prompt(GOAL)
    await session.bash('npm run build', { stdout: 'built' })
    await session.bash('npm run lint', { stdout: 'clean', isHookLost: true })
    await session.bash('npm test', { stdout: 'ok' })
    await session.end()
    await waitUntil(hasCheckpoint(product, session.id, 'session_end'), 'the session has its last checkpoint')
    const events = await product.json(['events', 'list', '--session', session.id, '--limit', '100'])
    if (!Array.isArray(events)) throw new Error('not a list')
    const commands = events.flatMap(({ event }): string[] =>
      event.kind === 'tool-finished' ? [String(event.tool.command)] : [],
    )
    expect(commands.length).toBe(3)
    expect(new Set(commands)).toEqual(new Set(['npm run build', 'npm run lint', 'npm test']))
  })
})
