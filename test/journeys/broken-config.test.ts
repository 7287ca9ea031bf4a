import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveHome } from '../../src/platform/base/home.ts'
import { ClaudeSession } from '../support/claude-session.ts'
import { Product, waitUntil } from '../support/product.ts'

const SETTINGS = '{\n  "model": "opus"\n}\n'

async function promptsKept(product: Product): Promise<readonly string[]> {
  const { code, stdout } = await product.cli(['events', 'list', '--limit', '200', '--json'])
  if (code !== 0) return []
  return [...stdout.matchAll(/"prompt": "([^"]*)"/g)].map(([, prompt = '']) => prompt)
}

test('a configuration that breaks loses no event: hooks exit 0, the running daemon goes on, the next one replays, and uninstall gives everything back', async () => {
  // Waiting for a daemon that does not come is part of it, and not to be long.
  await using product = new Product({ HOLDFAST_HOOK_BUDGET_MS: '2000' })
  mkdirSync(product.claudeDir, { recursive: true })
  const settings = join(product.claudeDir, 'settings.json')
  writeFileSync(settings, SETTINGS)
  await product.connect()
  const project = await product.aProject('app')
  const configFile = join(product.home, 'config.json')
  const session = new ClaudeSession(product, project, { pid: product.anAgent() })
  await session.start()
  await session.prompt('Asked while all is well.')

  writeFileSync(configFile, '{ "continuity": ')
  await session.prompt('Asked of the daemon that runs.')
  await waitUntil(
    async () => (await promptsKept(product)).includes('Asked of the daemon that runs.'),
    'the running daemon goes on',
  )
  const meanwhile = await product.cli(['status', '--json'])
  expect({ code: meanwhile.code, isRunning: JSON.parse(meanwhile.stdout).daemon !== undefined }).toEqual({
    code: 1,
    isRunning: true,
  })
  await product.killDaemon()
  // Not in the transcript, so it can only come from the hook.
  const { code, stdout } = await session.fire('UserPromptSubmit', { prompt: 'Asked while none can start.' })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  const { startFailureFile, startStampFile } = resolveHome({ HOLDFAST_HOME: product.home })
  await waitUntil(() => existsSync(startFailureFile), 'the daemon that could not start has left the reason')
  expect(JSON.parse(readFileSync(startFailureFile, 'utf8'))).toMatchObject({ code: 'settings-unreadable' })
  const started = readFileSync(startStampFile, 'utf8')
  await session.end()
  // Another hook starts no other daemon, which could not start either.
  expect(readFileSync(startStampFile, 'utf8')).toBe(started)
  const status = await product.cli(['status', '--json'])
  expect(status.code).toBe(1)
  const { configFault, spoolBacklog } = JSON.parse(status.stdout)
  expect(configFault.message).toContain(`${configFile} cannot be read`)
  expect(spoolBacklog).toBeGreaterThan(0)

  rmSync(configFile)
  await waitUntil(async () => {
    const kept = await promptsKept(product)
    return ['all is well', 'daemon that runs', 'none can start'].every((words) =>
      kept.some((prompt) => prompt.includes(words)),
    )
  }, 'everything that was asked is kept')

  writeFileSync(configFile, '{ "continuity": ')
  expect((await product.cli(['uninstall', '--harness', 'claude-code', '--yes', '--verify'])).code).toBe(0)
  expect(readFileSync(settings, 'utf8')).toBe(SETTINGS)
})
