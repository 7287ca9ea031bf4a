import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { McpClient } from '../support/mcp-client.ts'
import { Product } from '../support/product.ts'
import { SplitKeys } from '../support/split-keys.ts'

// Every field of every command, tool, route and hook: test/faults/split-keys.test.ts.
test('a private key that becomes lines of a checkpoint, a digest, a task or todos reaches no file and no answer', async () => {
  await using product = new Product()
  await product.connect()
  const project = await product.aProject('app')
  const keys = new SplitKeys('journey')
  const said: string[] = []
  const cli = async (label: string, ...words: readonly string[]) => {
    const { code, stdout, stderr } = await product.cli(words, { cwd: project })
    said.push(stdout, stderr)
    expect(`${label}: ${code}`).toBe(`${label}: 0`)
  }
  const each = (flag: string, label: string) => keys.lines(label).map((line) => `${flag}=${line}`)

  await cli(
    'save',
    'checkpoint',
    'save',
    'list-files',
    `--task=${keys.text('task')}`,
    ...each('--progress', 'progress'),
  )
  await cli('new', 'task', 'new', 'deploy', '--title=Deploy', ...each('--criterion', 'criteria'))
  const [begin, ...body] = keys.lines('armour apart')
  await cli(
    'apart',
    'checkpoint',
    'save',
    'armour-apart',
    `--task=${begin}`,
    ...body.map((line) => `--progress=${line}`),
  )
  await cli('start', 'session', 'start', '--task=deploy')
  await cli('checkpoint', 'task', 'checkpoint', 'deploy', '--summary=Done', ...each('--next', 'next'))
  {
    await using client = await McpClient.connect(product, { transport: 'stdio', revision: '2025-11-25', cwd: project })
    const [first = '', ...more] = keys.lines('mcp armour apart')
    const apart = { summary: first, blockers: more.slice(0, -1), next_action: more.at(-1) }
    const decisions = keys.lines('decisions').map((decision) => ({ decision }))
    for (const { isError, text } of [
      await client.call('checkpoint_save', { name: 'mcp-armour', task: keys.text('mcp task') }),
      await client.call('session_digest', apart),
      await client.call('session_digest', { summary: 'Done', decisions, blockers: keys.lines('blockers') }),
    ]) {
      expect(isError).toBe(false)
      said.push(text)
    }
  }
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  const todos = keys.lines('todos').map((content) => ({ content, status: 'pending', activeForm: 'x' }))
  await session.tool('TodoWrite', { todos })
  await session.end()
  const { stdout, stderr } = await product.cli(['checkpoint', 'save', keys.text('a name')], { cwd: project })
  said.push(stdout, stderr)
  expect(keys.size).toBe(11)
  // The harness's own transcript is the harness's.
  const leaks = keys.leaksBelow(product.dir).filter((leak) => !leak.startsWith('claude/'))
  expect([...keys.foundIn(said.join('\n')), ...leaks]).toEqual([])
  expect(readFileSync(join(project, 'memory', 'checkpoints', 'list-files.md'), 'utf8')).toContain(
    '[REDACTED:private-key]',
  )

  // Control: the search sees what is there.
  expect(keys.leaksBelow(product.dir).every((leak) => leak.endsWith(': todos'))).toBe(true)
  expect(keys.leaksBelow(product.dir).length).toBeGreaterThan(0)
})
