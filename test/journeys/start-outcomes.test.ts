import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveHome } from '../../src/platform/base/home.ts'
import { ClaudeSession } from '../support/claude-session.ts'
import { PATIENT, Product } from '../support/product.ts'

async function connected(): Promise<Product> {
  // The content matters here, not the latency: bench/ measures that.
  const product = new Product(PATIENT)
  await product.connect()
  return product
}

/** What the daemon answers on its socket. */
function asked(product: Product, path: string): Promise<string> {
  const { socket } = resolveHome({ HOLDFAST_HOME: product.home })
  return new Promise((resolve, reject) => {
    request({ socketPath: socket, path, headers: { host: 'localhost' } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve(text))
    })
      .on('error', reject)
      .end()
  })
}

function read(session: ClaudeSession, project: string, path: string): Promise<void> {
  return session.tool(
    'Read',
    { file_path: join(project, path) },
    { response: { file: { filePath: join(project, path) } } },
  )
}

test('session 1 works and dies; session 2 gets the recovery, reads one file again and repeats a command: stats and ledger show exactly that', async () => {
  await using product = await connected()
  const project = await product.aProject('app')
  writeFileSync(join(project, 'src', 'lexer.ts'), 'export const lex = (text: string) => [...text]\n')
  const agent = product.anAgent()
  const first = new ClaudeSession(product, project, { pid: agent })
  await first.start()
  await first.prompt('Make the parser in src/parser.ts keep blank lines as separators.')
  await read(first, project, 'src/lexer.ts')
  await first.edit('src/parser.ts', 'text.split', 'splitLines(text)')
  await first.bash('npm test', { error: 'Exit code 1\nFAIL src/parser.test.ts > keeps blank lines' })
  await first.say('The parser test still fails.')
  await product.kill(agent)

  const second = new ClaudeSession(product, project, { pid: product.anAgent() })
  const told = await second.begin()
  expect(told).toContain('## Session Recovery Context')
  await second.prompt('Go on.')
  await read(second, project, 'src/lexer.ts')
  await read(second, project, 'src/unheard-of.ts')
  await second.bash('npm test', { error: 'Exit code 1\nFAIL src/parser.test.ts > keeps blank lines' })
  await second.edit('src/parser.ts', 'splitLines(text)', 'text.split(/\\n/)')
  await second.bash('npm test', { stdout: 'ok' })
  await second.say('The parser keeps blank lines now.')

  const stats = await product.json(['stats', '--project'], { cwd: project })
  expect(stats).toMatchObject({
    projects: [
      {
        comparisons: [
          {
            circumstance: 'start',
            warm: {
              starts: 1,
              filesReread: { n: 1, median: 1 },
              commandsRepeated: { n: 1, median: 1 },
              decisionsReopened: { n: 1, median: 0 },
              callsToFirstEdit: { n: 1, median: 3 },
            },
            cold: { starts: 1, callsToFirstEdit: { n: 1, median: 1 } },
            isEnough: false,
          },
        ],
      },
    ],
    receipts: [
      {
        sessionKey: second.id,
        isWarm: true,
        source: 'startup',
        calls: 5,
        callsToFirstEdit: 3,
        earlierSessions: [`claude-code/${first.id}`],
        rework: {
          filesReread: [{ path: 'src/lexer.ts', standing: 'unchanged', isEditedAfter: false }],
          commandsRepeated: ['npm test'],
          decisionsReopened: [],
          novel_context_count: expect.any(Number),
        },
      },
      { sessionKey: first.id, isWarm: false, calls: 3, earlierSessions: [] },
    ],
    scorer: { isEnabled: false },
  })

  const ledger = await product.json(['ledger', '--session', second.id], { cwd: project })
  expect(ledger).toMatchObject({
    entries: [
      {
        kind: 'recovery',
        sessionKey: second.id,
        harness: 'claude-code',
        why: 'the latest work in this worktree, on this branch',
        chars: told.length,
        estimatedTokens: Math.ceil(told.length / 4),
        lines: expect.arrayContaining([
          expect.objectContaining({ section: 'files', line: 'src/parser.ts', use: { status: 'used', afterCalls: 4 } }),
        ]),
      },
    ],
    totals: { injections: 1, chars: told.length },
  })

  const page = await product.cli(['stats', '--scorer'], { cwd: project })
  expect(page.stdout).toContain('Too few to compare (1 warm, 1 cold; at least 10 of each are needed).')
  expect(page.stdout).toContain('Use of injected lines by section')
  const detail = await product.cli(['stats', '--session', second.id], { cwd: project })
  expect(detail.stdout).toContain('read again: src/lexer.ts\n')
  expect(detail.stdout).toContain('repeated: npm test\n')
  expect((await product.cli(['ledger'], { cwd: project })).stdout).toContain('✓ files: src/parser.ts')
})

test('what followed a start is in the API and in the metrics', async () => {
  await using product = await connected()
  const project = await product.aProject('app')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  await session.prompt('Make the parser in src/parser.ts keep blank lines.')
  await session.edit('src/parser.ts', 'text.split', 'splitLines(text)')
  await session.end()
  expect(await asked(product, '/api/metrics')).toContain('holdfast_starts{told="false"} 1\n')
  expect(JSON.parse(await asked(product, `/api/receipts/${session.id}`))).toMatchObject({
    receipts: [{ sessionKey: session.id, isWarm: false, callsToFirstEdit: 0 }],
  })
  expect(JSON.parse(await asked(product, '/api/ledger'))).toMatchObject({ ledger: { entries: [] } })
})
