import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { injectedBy, PATIENT, Product, waitUntil } from '../support/product.ts'

const COMMAND = 'npm run build'
const FAILURE = { error: 'Exit code 2\nsrc/parser.ts(1,48): error TS2339: Property "splitt" does not exist' }

async function connected(): Promise<Product> {
  // The content matters here, not the latency: bench/ measures that.
  const product = new Product(PATIENT)
  await product.connect()
  return product
}

async function aboutTo(session: ClaudeSession, command: string): Promise<string> {
  const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: `toolu_${randomUUID()}` }
  return injectedBy(await session.fire('PreToolUse', call))
}

/**
 * What is said before a command, and why, once it is in the ledger. A machine that is busy may answer one call too late, or so
 * late that it does not count: then the next call gets the warning.
 */
async function toldBefore(product: Product, session: ClaudeSession, command: string): Promise<[string, unknown]> {
  let said = ''
  let why: unknown
  await waitUntil(async () => {
    const now = await aboutTo(session, command)
    if (now !== '') said = now
    if (said === '') return false
    why = await product.json(['explain', session.id])
    return JSON.stringify(why).includes(COMMAND)
  }, `something is said before ${command}`)
  return [said, why]
}

async function memoriesOf(product: Product, project: string): Promise<readonly unknown[]> {
  const hits = await product.json(['recall', 'npm', 'build'], { cwd: project })
  if (!Array.isArray(hits)) throw new Error(`not a list: ${JSON.stringify(hits)}`)
  return hits
}

/** A session that ran the same thing three times in vain, and died. */
async function failedAndDied(product: Product, project: string): Promise<ClaudeSession> {
  const pid = product.anAgent()
  const session = new ClaudeSession(product, project, { pid })
  await session.start()
  await session.prompt('Build it.')
  for (let times = 0; times < 3; times += 1) await session.bash(COMMAND, FAILURE)
  await product.kill(pid)
  return session
}

test('a command that failed three times is reported to the next session before it runs again, once, until it succeeds', async () => {
  await using product = await connected()
  const project = await product.aProject('app')
  await failedAndDied(product, project)
  const next = new ClaudeSession(product, project, { pid: product.anAgent() })
  await next.begin()
  await waitUntil(async () => (await memoriesOf(product, project)).length > 0, 'the failed approach is kept')
  expect(await memoriesOf(product, project)).toMatchObject([
    {
      memory: {
        type: 'failed_approach',
        evidence: { kind: 'retry-burst', command: COMMAND, failures: 3, exitStatus: 2 },
      },
    },
  ])
  expect(await aboutTo(next, 'npm run build:docs')).toBe('')
  expect(await aboutTo(next, 'git status')).toBe('')
  const [said, why] = await toldBefore(product, next, `cd ${project} && ${COMMAND} 2>&1 | tail -20`)
  expect(said).toContain('## This was tried before and failed')
  expect(said).toContain(`Tried, failed: \`${COMMAND}\` failed 3 times in a row the same way`)
  expect(said).toContain('error TS2339: Property "splitt" does not exist')
  expect(JSON.stringify(why)).toContain('npm build is about to run, and failed before')
  expect(await aboutTo(next, COMMAND)).toBe('')
  await next.bash(COMMAND)
  await waitUntil(async () => (await memoriesOf(product, project)).length === 0, 'it is retired')
  await next.end()
  const third = new ClaudeSession(product, project, { pid: product.anAgent() })
  await third.begin()
  expect(await aboutTo(third, COMMAND)).toBe('')
})

test('it survives the daemon, and a new daemon reports it', async () => {
  await using product = await connected()
  const project = await product.aProject('app')
  await failedAndDied(product, project)
  await product.killDaemon()
  const next = new ClaudeSession(product, project, { pid: product.anAgent() })
  await next.begin()
  const [said] = await toldBefore(product, next, COMMAND)
  expect(said).toContain('failed 3 times in a row the same way')
})

test('switched off, nothing is kept and nothing is said', async () => {
  await using product = new Product({ HOLDFAST_HOOK_BUDGET_MS: '20000', HOLDFAST_MEMORY_FAILED_APPROACHES: 'false' })
  await product.connect()
  const project = await product.aProject('app')
  const failed = await failedAndDied(product, project)
  const next = new ClaudeSession(product, project, { pid: product.anAgent() })
  await next.begin()
  await waitUntil(
    async () =>
      JSON.stringify(await product.json(['checkpoints', 'list', '--session', failed.id])).includes('interrupted'),
    'what the dead session did is kept',
  )
  expect(await memoriesOf(product, project)).toEqual([])
  expect(await aboutTo(next, COMMAND)).toBe('')
})

test('a session compacted without progress gets less, and its user sees why', async () => {
  await using product = await connected()
  const project = await product.aProject('app')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  await session.prompt('Make the parser keep blank lines.')
  const readAgain = () => session.tool('Read', { file_path: `${project}/src/parser.ts` })
  await readAgain()
  expect(await session.compact()).not.toContain('This session loops')
  await readAgain()
  await session.fire('PreCompact', { trigger: 'auto', custom_instructions: null })
  const { stdout } = await session.fire('SessionStart', { source: 'compact' })
  const answer: { systemMessage?: string; hookSpecificOutput: { additionalContext: string } } = JSON.parse(stdout)
  expect(answer.systemMessage).toContain('Holdfast: The context was compacted twice with nothing new in between')
  expect(answer.hookSpecificOutput.additionalContext).toContain('## This session loops')
  expect(answer.hookSpecificOutput.additionalContext).toContain('## Session Recovery Context')
})

test('a session that repeats a failed command is warned once', async () => {
  await using product = await connected()
  const project = await product.aProject('app')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  for (let times = 0; times < 3; times += 1) await session.bash(COMMAND, FAILURE)
  const [said, why] = await toldBefore(product, session, COMMAND)
  expect(JSON.stringify(why)).toContain('loop-breaker')
  expect(said).toContain('## The same thing keeps failing the same way')
  expect(said).toContain('failed 3 times in a row in this session with nothing edited in between (exit 2)')
  expect(await aboutTo(session, COMMAND)).toBe('')
})
