import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { McpClient } from '../support/mcp-client.ts'
import { PATIENT, Product, waitUntil } from '../support/product.ts'

const LIES = [
  'All tests pass.',
  'The parser is fully implemented.',
  'The entry point is src/no-such-parser.ts.',
] as const

async function aLyingSession(product: Product, project: string): Promise<ClaudeSession> {
  writeFileSync(join(project, 'CHECKLIST.md'), '- [ ] keep blank lines\n')
  writeFileSync(join(project, 'src', 'parser.ts'), 'export function parse() {\n  // TODO: implement\n  return []\n}\n')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.begin()
  await session.prompt('Make the parser in src/parser.ts keep blank lines as separators.')
  await session.edit('src/parser.ts', 'a', 'b')
  await session.bash('npm test', { error: 'Exit code 1\nFAIL src/parser.test.ts > keeps blank lines' })
  return session
}

/** What is flagged, each lie by its own line. */
function doubted(text: string): readonly string[] {
  return LIES.filter((lie) => {
    const claim = lie.includes('no-such') ? 'src/no-such-parser.ts' : lie
    return text.includes(`! refuted: "${claim}`)
  })
}

test.each(['save_session_summary', 'checkpoint_save'])(
  'false claims made with %s are flagged at once, and in the next briefing through every entry point',
  async (tool) => {
    await using product = new Product(PATIENT)
    await product.connect()
    const project = await product.aProject('app')
    const session = await aLyingSession(product, project)
    const way = { transport: 'stdio', revision: '2025-11-25', cwd: project } as const
    await using liar = await McpClient.connect(product, { ...way, sessionKey: session.id })
    const said = { summary: LIES.join('\n'), ...(tool === 'checkpoint_save' && { name: 'all-done' }) }
    const { doubts } = Object(await liar.json(tool, said))
    expect(doubts).toHaveLength(LIES.length)
    await session.fire('SessionEnd', { reason: 'exit' })
    await waitUntil(
      async () => doubted((await product.cli(['briefing'], { cwd: project })).stdout).length === LIES.length,
      'the briefing at the keyboard flags them all',
      60_000,
    )
    await using next = await McpClient.connect(product, { ...way, sessionKey: 'the-next' })
    expect(doubted((await next.call('session_briefing')).text)).toEqual(LIES)
  },
)

test('the truth is not flagged', async () => {
  await using product = new Product(PATIENT)
  const project = await product.aProject('app')
  await using mcp = await McpClient.connect(product, { transport: 'stdio', revision: '2025-11-25', cwd: project })
  await mcp.json('save_session_summary', { summary: 'Read src/parser.ts; nothing was changed.' })
  expect((await mcp.call('session_briefing')).text).not.toContain('! refuted')
})
