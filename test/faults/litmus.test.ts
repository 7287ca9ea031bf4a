import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { httpAgentApi, McpClient } from '../support/mcp-client.ts'
import { injectedBy, PATIENT, Product, waitUntil } from '../support/product.ts'

const LAUNCHER = join(import.meta.dirname, '..', '..', 'dist', 'launcher.sh')
const BUDGET_CHARS = 2_000

/** What must come back byte for byte: repeated and trailing spaces, other scripts, joined emoji, backticks, hashes, things like secrets that are none. */
const LITMUS = {
  intent: 'Keep  blank lines as separators: naïve 日本語 👩‍💻 ✔️ in `src/parser.ts`',
  sentinel: 'SENTINEL-7f3a91c4\t"double" \'single\' C:\\new\\table {a: [1, 2]}   $HOME %PATH% *#_~',
  completed: 'Ran `npm test -- --grep "keeps  blank"`: 41 passed, 0 failed, token handling unchanged',
  artefact: 'dist/app.tgz sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  ',
  decision: 'ACCEPTED (ADR-7): keep the old entry point; 3e2d1c0b9a8f7e6d5c4b3a2918070605f4e3d2c1 stays the base  ',
  next: 'Run `git  diff --stat HEAD~1 -- src/` & then look at line 42 of `src/parser.ts`  ',
} as const

const NOTE = [
  `intent: ${LITMUS.intent}`,
  `sentinel: ${LITMUS.sentinel}`,
  `done: ${LITMUS.completed}`,
  `artefact: ${LITMUS.artefact}`,
].join('\n')

interface Setup {
  readonly product: Product
  readonly project: string
  readonly session: ClaudeSession
}

type Door = (setup: Setup) => Promise<void>

async function viaMcp({ product, project, session }: Setup, tool: string, args: Record<string, unknown>) {
  const way = { transport: 'stdio', revision: '2025-11-25', cwd: project, sessionKey: session.id } as const
  await using mcp = await McpClient.connect(product, way)
  expect(await mcp.json(tool, args)).toMatchObject({ ok: true })
}

/** Every way in which an agent can write something down. */
const DOORS: Readonly<Record<string, Door>> = {
  'MCP digest': (setup) =>
    viaMcp(setup, 'session_digest', { summary: NOTE, decisions: [LITMUS.decision], next_action: LITMUS.next }),
  'MCP summary': (setup) =>
    viaMcp(setup, 'save_session_summary', { summary: [NOTE, LITMUS.decision, LITMUS.next].join('\n') }),
  'MCP named checkpoint': (setup) =>
    viaMcp(setup, 'checkpoint_save', {
      name: 'keep-blank-lines',
      task: LITMUS.intent,
      progress: [LITMUS.completed, LITMUS.artefact],
      context: [LITMUS.sentinel],
      decisions: [LITMUS.decision],
      next_action: LITMUS.next,
    }),
  async 'command line'({ product, project, session }) {
    const said = ['--task', LITMUS.intent, '--next', LITMUS.next, '--decision', LITMUS.decision]
    const more = ['--progress', LITMUS.completed, '--progress', LITMUS.artefact, '--context', LITMUS.sentinel]
    const args = ['checkpoint', 'save', 'keep-blank-lines', ...said, ...more, '--session', session.id]
    await product.json(args, { cwd: project })
  },
  async HTTP({ product, project, session }) {
    const { url, token } = await httpAgentApi(product)
    const event = {
      kind: 'digest-written',
      id: `litmus-${session.id}`,
      harness: 'claude-code',
      sessionKey: session.id,
      at: new Date().toISOString(),
      door: 'api',
      cwd: project,
      summary: NOTE,
      decisions: [{ decision: LITMUS.decision }],
      nextAction: LITMUS.next,
    }
    const answer = await fetch(new URL('/api/events', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ events: [event] }),
    })
    expect(answer.status).toBe(200)
  },
  async 'SESSION-STATE.md'({ project }) {
    const text = [`# Session state`, NOTE, `decision: ${LITMUS.decision}`, `next: ${LITMUS.next}`].join('\n')
    writeFileSync(join(project, 'SESSION-STATE.md'), `${text}\n`)
  },
}

/** Work, then the note, then a short prompt without a new request. */
async function written(product: Product, name: string, door: Door): Promise<Setup & { readonly pid: number }> {
  const project = await product.aProject(name)
  const pid = product.anAgent()
  const session = new ClaudeSession(product, project, { pid })
  await session.begin()
  await session.prompt('Make the parser keep blank lines as separators.')
  await session.edit('src/parser.ts', 'text.split', 'splitLines(text)')
  await session.bash('npm test -- parser', { stdout: '41 passed' })
  await door({ product, project, session })
  await session.prompt('Go on.')
  return { product, project, session, pid }
}

async function nextClaude({ product, project }: Setup): Promise<string> {
  return new ClaudeSession(product, project, { pid: product.anAgent() }).begin()
}

/** Codex starts in the same worktree: what its hook puts before the agent. */
async function nextCodex({ product, project }: Setup): Promise<string> {
  const env = { HOLDFAST_NODE: process.execPath }
  const session_id = randomUUID()
  const fire = (hook: string, fields: Record<string, unknown>) => {
    const payload = { session_id, transcript_path: null, cwd: project, hook_event_name: hook, ...fields }
    const input = JSON.stringify({ model: 'gpt-5', permission_mode: 'default', ...payload })
    return product.run('/bin/bash', ['-p', LAUNCHER, 'codex', hook], { input, env })
  }
  let told = injectedBy(await fire('SessionStart', { source: 'startup' }))
  for (let turn = 1; told === '' && turn <= 40; turn += 1)
    told = injectedBy(await fire('UserPromptSubmit', { prompt: 'Where were we?', turn_id: `turn-${turn}` }))
  return told
}

async function fullToEightyPercent({ product, project, session }: Setup): Promise<void> {
  const must = async (...args: readonly string[]) => {
    const ran = await product.cli(args, { cwd: project })
    if (ran.code === 0) return
    const { stdout } = await product.cli(['sessions', 'list', '--task', 'feat-lines', '--json'], { cwd: project })
    throw new Error(`holdfast ${args.join(' ')} exited ${ran.code}: ${ran.stderr}${ran.stdout}\n${stdout}`)
  }
  await must('task', 'new', 'feat-lines')
  await must('session', 'start', '--task', 'feat-lines', '--session', session.id)
  const rows: unknown = await product.json(['sessions', 'list', '--task', 'feat-lines'], { cwd: project })
  const [row] = Array.isArray(rows) ? rows : []
  const log = join(project, 'tasks/feat-lines/logs/sessions', `${String(row?.session_id)}.log`)
  for (const contextTokens of [40_000, 62_000, 72_000, 85_000, 86_000, 87_000])
    await session.say('Going on.', { contextTokens })
  await waitUntil(() => readFileSync(log, 'utf8').includes('Context budget reached'), 'the budget was reached')
  // While its harness lives: the daemon suspends a task session whose harness has gone.
  await must('session', 'end', '--task', 'feat-lines')
  await must('session', 'start', '--task', 'feat-lines', '--resume')
  // Its harness stays open, as it does when a person goes on in another window.
}

function governed(project: string): void {
  mkdirSync(join(project, '.agentic-governance'))
  const options = { smokeCommand: [process.execPath, '-e', ''], contextWindow: 100_000 }
  const governance = { identity: { logPrefix: 'shop' }, packOptions: { 'session-continuity': options } }
  writeFileSync(join(project, '.agentic-governance', 'config.json'), JSON.stringify(governance))
}

/** Every way in which a context is lost, and the text that the next one gets. */
const ENDINGS: Readonly<Record<string, (setup: Setup & { readonly pid: number }) => Promise<string>>> = {
  async 'a clean end'(setup) {
    await setup.session.end()
    return nextClaude(setup)
  },
  async 'kill -9 of agent and daemon'(setup) {
    const { product, pid } = setup
    await product.kill(pid)
    await waitUntil(() => product.daemonPid() !== undefined, 'there is a daemon')
    await product.killDaemon()
    return nextClaude(setup)
  },
  async 'a compaction'({ session }) {
    let told = await session.compact()
    for (let asked = 0; told === '' && asked < 40; asked += 1) told = await session.prompt('Where were we?')
    return told
  },
  async 'a fork at 80 %'(setup) {
    governed(setup.project)
    await fullToEightyPercent(setup)
    return nextClaude(setup)
  },
  async 'another harness'(setup) {
    await setup.session.end()
    return nextCodex(setup)
  },
}

function lost(told: string): readonly string[] {
  return Object.entries(LITMUS).flatMap(([field, text]) => (told.includes(text) ? [] : [field]))
}

describe.each(Object.keys(ENDINGS))('the six fields after %s', { timeout: 600_000 }, (ending) => {
  test('come back byte for byte, whichever entry point wrote them', async () => {
    await using product = new Product(PATIENT)
    await product.connect()
    const outcomes: Record<string, unknown> = {}
    for (const [index, [name, door]] of Object.entries(DOORS).entries()) {
      const setup = await written(product, `project-${index}`, door)
      const told = (await ENDINGS[ending]?.(setup)) ?? ''
      outcomes[name] = { lost: lost(told), isWithinBudget: told.length <= BUDGET_CHARS }
    }
    const whole = Object.keys(DOORS).map((name) => [name, { lost: [], isWithinBudget: true }])
    expect(outcomes).toEqual(Object.fromEntries(whole))
  })
})

test('control: what nobody wrote down does not come back by itself', async () => {
  await using product = new Product(PATIENT)
  await product.connect()
  const setup = await written(product, 'project', async () => undefined)
  await setup.session.end()
  const told = await nextClaude(setup)
  expect(told).toContain('## Session Recovery Context')
  expect(lost(told)).toEqual(Object.keys(LITMUS))
})
