import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { McpClient } from '../support/mcp-client.ts'
import { PATIENT, Product } from '../support/product.ts'

const GOAL = 'Rename every rule of the grammar, one file after the other.'
const RULES = 36

async function connected(): Promise<Product> {
  const product = new Product(PATIENT)
  await product.connect()
  return product
}

const rulesIn = (text: string) => new Set(text.match(/rule-\d+\.ts/g) ?? [])

/** More files than a block can name. */
async function muchWork(product: Product, project: string): Promise<ClaudeSession> {
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.begin()
  await session.prompt(GOAL)
  for (let rule = 0; rule < RULES; rule += 1)
    await session.edit(`src/grammar-of-the-language/rules-by-name/rule-${rule}.ts`, 'old', 'new')
  return session
}

test('the recovery names the overflow, and the tool returns it within the requested budget', async () => {
  await using product = await connected()
  const project = await product.aProject('app')
  const first = await muchWork(product, project)
  await first.end()
  const second = new ClaudeSession(product, project, { pid: product.anAgent() })
  const block = await second.begin()
  expect(block.split('\n').at(-2)).toBe(`| More: MCP tool checkpoint_resume, session_id "${first.id}"`)

  const way = { transport: 'stdio', revision: '2025-11-25', cwd: project, sessionKey: second.id } as const
  await using mcp = await McpClient.connect(product, way)
  const told = rulesIn(block)
  const whole = await mcp.call('checkpoint_resume', { session: first.id, budget_tokens: 2_000 })
  expect(whole.isError).toBe(false)
  const rest = rulesIn(whole.text)
  expect([...rest].filter((rule) => told.has(rule))).toEqual([])
  expect(told.size + rest.size).toBe(RULES)
  expect(whole.text).toContain('Nothing else was left out.')

  const small = await mcp.call('checkpoint_resume', { budget_tokens: 150 })
  expect(small.text).toMatch(/\d+ more did not fit/)
  expect(small.text.length).toBeLessThan(600 + 120)
  expect(await mcp.refusal('checkpoint_resume', { session: 'nobody' })).toMatchObject({
    error: expect.stringContaining('nobody'),
  })
  const atTheKeyboard = await product.cli(['checkpoint', 'resume', '--session', first.id, '--budget', '8000'], {
    cwd: project,
  })
  expect([atTheKeyboard.code, rulesIn(atTheKeyboard.stdout).size > 0]).toEqual([0, true])

  // Without the tools nobody is sent to them, also by a daemon that runs already.
  const again = await product.cli(['init', '--harness', 'claude-code', '--yes', '--no-mcp'])
  expect(again.code).toBe(0)
  const third = await new ClaudeSession(product, project, { pid: product.anAgent() }).begin()
  expect(rulesIn(third).size).toBeGreaterThan(0)
  expect(third).not.toContain('checkpoint_resume')
})

test('what was noted and is no longer so on this disk is said first', async () => {
  await using product = await connected()
  const project = await product.aProject('app')
  writeFileSync(join(project, 'package.json'), '{"scripts":{"test":"true","check":"true"}}')
  writeFileSync(join(project, 'src', 'lexer.ts'), 'export const lex = 1\n')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.begin()
  await session.prompt('Split the parser into a lexer and a grammar.')
  await session.edit('src/lexer.ts', '1', '2')
  const way = { transport: 'stdio', revision: '2025-11-25', cwd: project, sessionKey: session.id } as const
  await using mcp = await McpClient.connect(product, way)
  const note = { summary: 'The lexer is in src/lexer.ts, committed as 0123abc.', next_action: 'Run `npm run check`' }
  await mcp.json('session_digest', note)
  await session.end()
  rmSync(join(project, 'src', 'lexer.ts'))
  writeFileSync(join(project, 'package.json'), '{"scripts":{"test":"true"}}')
  const block = await new ClaudeSession(product, project, { pid: product.anAgent() }).begin()
  const [, , , contradicted, noted, next] = block.split('\n')
  expect(contradicted).toMatch(/^\| Contradicted: /)
  expect(contradicted).toContain('src/lexer.ts is spoken of as there, but it is gone')
  expect(contradicted).toContain('`npm run check` is named, but it is not defined')
  expect(contradicted).toContain('commit 0123abc is named, but this repository does not have it')
  expect([noted, next]).toEqual([`| Noted by the agent: ${note.summary}`, `| Next: ${note.next_action}`])
})

test('before a compaction the hook prints what the summary must keep, as plain text, once for each', async () => {
  await using product = await connected()
  const project = await product.aProject('app')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  const nothing = await session.fire('PreCompact', { trigger: 'auto', custom_instructions: null })
  expect(nothing).toMatchObject({ code: 0, stdout: '' })
  await session.prompt('Split the parser into a lexer and a grammar.')
  await session.edit('src/parser.ts', 'a', 'b')
  const { code, stdout } = await session.fire('PreCompact', { trigger: 'auto', custom_instructions: null })
  expect(code).toBe(0)
  expect(stdout.split('\n')[0]).toMatch(/^The summary must keep these facts of the session/)
  expect(stdout).toContain('| the user\'s ask: "Split the parser into a lexer and a grammar."')
  expect(stdout).toContain('| files being changed: src/parser.ts')
  const explained = await product.json(['explain', '--session', session.id])
  expect(JSON.stringify(explained)).toContain('compaction-advice')
})
