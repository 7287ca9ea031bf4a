import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Product } from '../support/product.ts'

const root = join(import.meta.dirname, '..', '..')

/** A copy of what runs of a checkout, as small as it can be. */
function copyCheckout(to: string): void {
  mkdirSync(join(to, 'dist'), { recursive: true })
  for (const name of ['bin', 'skills', 'package.json']) cpSync(join(root, name), join(to, name), { recursive: true })
  for (const name of readdirSync(join(root, 'dist')).filter((file) => file !== 'bench'))
    cpSync(join(root, 'dist', name), join(to, 'dist', name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'))
}

test('a moved checkout fails no hook, is reported once, named by doctor, repaired, and made known to the next session', async () => {
  await using product = new Product()
  const [before, after] = [join(product.dir, 'holdfast'), join(product.dir, 'holdfast moved')]
  copyCheckout(before)
  const holdfast = (folder: string, ...args: readonly string[]) =>
    product.run(process.execPath, [join(folder, 'bin', 'holdfast'), ...args])
  const project = await product.aProject('app')
  const start = (session: string) =>
    product.hook('SessionStart', {
      session_id: session,
      cwd: project,
      source: 'startup',
      hook_event_name: 'SessionStart',
    })
  expect(await holdfast(before, 'init', '--harness', 'claude-code', '--yes')).toMatchObject({ code: 0 })
  expect(await start('first')).toMatchObject({ code: 0 })
  expect((await holdfast(before, 'sessions')).stderr).toBe('')
  await product.killDaemon()
  renameSync(before, after)

  // The client sees a hook that succeeds and prints nothing.
  expect(await start('second')).toEqual({ code: 0, stdout: '', stderr: '' })
  const launcher = join(before, 'dist', 'launcher.sh')
  const said = (await holdfast(after, 'sessions')).stderr
  expect(said).toContain(
    `The hooks of claude-code call ${launcher}, which does not exist: its sessions are not recorded.`,
  )
  expect(said).toContain('`holdfast doctor --fix` repairs it.')
  expect((await holdfast(after, 'sessions')).stderr).toBe('')

  const status = (await holdfast(after, 'status')).stdout
  expect(status).toContain(`the hooks of claude-code call ${launcher}, which does not exist`)
  expect(status).not.toContain('from an earlier version')
  const sick = await holdfast(after, 'doctor', '--json')
  expect(sick.code).toBe(1)
  expect(JSON.parse(sick.stdout).checks).toContainEqual({
    subject: 'claude-code hooks',
    verdict: 'fail',
    detail: expect.stringContaining(`call ${launcher}, which does not exist`),
    advice: expect.stringContaining('`holdfast doctor --fix`'),
  })

  const fixed = await holdfast(after, 'doctor', '--fix', '--json')
  expect(JSON.parse(fixed.stdout).checks.filter(({ verdict }: { verdict: string }) => verdict === 'fail')).toEqual([])
  expect(fixed.code).toBe(0)
  const third = await start('third')
  expect(third.code).toBe(0)
  expect(third.stdout).toContain('may be missing from what Holdfast knows')
  expect((await start('fourth')).stdout).not.toContain('may be missing from what Holdfast knows')

  // Deleted without an uninstall: the hooks still fail in no client.
  await product.killDaemon()
  rmSync(after, { recursive: true })
  expect(await start('fifth')).toEqual({ code: 0, stdout: '', stderr: '' })
  // Another installation removes what the deleted one wrote.
  expect(await product.cli(['uninstall', '--all', '--yes', '--verify'])).toMatchObject({ code: 0 })
  const settings = join(product.claudeDir, 'settings.json')
  expect(existsSync(settings) ? readFileSync(settings, 'utf8') : '').not.toContain('launcher.sh')
}, 120_000)
