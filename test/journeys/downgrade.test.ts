import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/storage/sqlite/connection/driver.ts'
import { Product } from '../support/product.ts'

/** As a later version leaves it: a backup from before its upgrade, and a migration that this version does not have. */
function upgradeByHand(home: string): void {
  const backups = join(home, 'backups')
  mkdirSync(backups, { mode: 0o700 })
  const database = openDatabase(join(home, 'data', 'holdfast.db'), { timeout: 5_000 })
  database.prepare('vacuum into ?').run(join(backups, 'before-0099-later.db'))
  database.exec(`insert into schema_migrations values ('0099-later', '2027-01-01T00:00:00.000Z')`)
  database.close()
}

test('a checkout that was downgraded fails no hook, says why once in a session and in every command, and is repaired by doctor', async () => {
  await using product = new Product()
  await product.connect()
  const project = await product.aProject('app')
  const call = (hook: string, session: string, prompt = '') =>
    product.hook(hook, { session_id: session, cwd: project, source: 'startup', prompt })
  const start = async (session: string) => {
    const { code, stdout, stderr } = await call('SessionStart', session)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  await start('first')
  expect(await product.cli(['remember', 'We use tabs'], { cwd: project })).toMatchObject({ code: 0 })
  expect(await product.cli(['daemon', 'stop'])).toMatchObject({ code: 0 })
  upgradeByHand(product.home)

  const reason = 'The store was written by a later version of Holdfast (it has 0099-later).'
  const said = JSON.parse(await start('second'))
  expect(said.systemMessage).toContain(reason)
  expect(said.hookSpecificOutput.additionalContext).toContain(reason)
  expect(await call('UserPromptSubmit', 'second', 'Words for an old version')).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  })
  expect(await start('third')).toBe('')
  expect(await product.cli(['sessions'])).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
  const status = await product.cli(['status'])
  expect(status).toMatchObject({ code: 1, stdout: expect.stringContaining(`✗ ${reason}`) })
  expect(status.stdout).toContain('3 events')
  const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }
  const mcp = await product.cli(['mcp'], { input: `${JSON.stringify(hello)}\n` })
  expect(mcp.stdout).toContain(reason)

  const store = async (...args: readonly string[]) => {
    const { checks } = JSON.parse((await product.cli(['doctor', '--json', ...args])).stdout)
    return checks.find(({ subject }: { subject: string }) => subject === 'store')
  }
  const refused = {
    verdict: 'fail',
    detail: reason.replace(/\.$/, ''),
    advice: expect.stringContaining('doctor --fix'),
  }
  expect(await store()).toMatchObject(refused)
  // Moving a database away is for a person to decide.
  expect(await store('--fix')).toMatchObject(refused)
  const aside = join(product.home, 'backups', 'later-1.db')
  expect(existsSync(aside)).toBe(false)
  expect(await store('--fix', '--yes')).toMatchObject({ verdict: 'warn', detail: expect.stringContaining(aside) })

  expect((await product.cli(['memories', '--json'], { cwd: project })).stdout).toContain('We use tabs')
  expect((await product.cli(['events', '--json'], { cwd: project })).stdout).toContain('Words for an old version')
  expect(await start('fourth')).not.toContain(reason)

  // A manifest of a later version keeps no hook from running, and is named for what it is.
  const manifest = join(product.home, 'install', 'manifest.json')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"format": 1', '"format": 2'))
  const { checks } = JSON.parse((await product.cli(['doctor', '--json'])).stdout)
  expect(checks).toContainEqual(
    expect.objectContaining({
      subject: 'manifest',
      verdict: 'fail',
      detail: `${manifest} was written by a later version of Holdfast (format 2)`,
    }),
  )
  await start('fifth')
}, 120_000)
