import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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

test('a Node that was replaced by one that is too old loses nothing where PATH has another, and is named by doctor and repaired', async () => {
  await using product = new Product()
  const folder = join(product.dir, 'node', 'bin')
  mkdirSync(folder, { recursive: true })
  const node = join(folder, 'node')
  copyFileSync(process.execPath, node)
  const program = join(root, 'bin', 'holdfast')
  const project = await product.aProject('app')
  const call = (hook: string, session: string, env = {}) =>
    product.hook(hook, { session_id: session, cwd: project, source: 'startup', prompt: 'Go on' }, { env })
  expect(await product.run(node, [program, 'init', '--harness', 'claude-code', '--yes'])).toMatchObject({ code: 0 })
  expect(await call('SessionStart', 'first')).toMatchObject({ code: 0, stderr: '' })

  // Another supported Node that runs a command is no fault of the installation.
  const state = async () => {
    const { connected } = JSON.parse((await product.cli(['status', '--json'])).stdout)
    return { needsInit: connected[0].needsInit, missing: connected[0].missing.length }
  }
  expect(await state()).toEqual({ needsInit: false, missing: 0 })

  await product.killDaemon()
  rmSync(join(product.home, 'run', 'launcher'), { force: true })
  // A program that still runs cannot be written to, only replaced.
  rmSync(node, { force: true })
  writeFileSync(node, '#!/bin/sh\necho v18.20.8\n', { mode: 0o755 })
  expect(await call('UserPromptSubmit', 'first')).toMatchObject({ code: 0, stderr: '' })
  const said = (await product.cli(['sessions'])).stderr
  expect(said).toContain(`The hooks of claude-code name ${node}, which is Node 18.20.8, too old for Holdfast`)
  expect((await product.cli(['sessions'])).stderr).toBe('')
  const { checks } = JSON.parse((await product.cli(['doctor', '--json'])).stdout)
  expect(checks).toContainEqual(
    expect.objectContaining({
      subject: 'claude-code mcp',
      verdict: 'fail',
      detail: expect.stringContaining(`calls ${node}, which is Node 18.20.8, too old for Holdfast`),
    }),
  )
  expect(await product.cli(['doctor', '--fix', '--json'])).toMatchObject({ code: 0 })
  expect(await state()).toEqual({ needsInit: false, missing: 0 })
  expect(readFileSync(join(product.claudeDir, 'settings.json'), 'utf8')).not.toContain(node)
  // Nothing was lost, so nothing is reported.
  const next = await call('SessionStart', 'second')
  expect(next.stdout).not.toContain('may be missing from what Holdfast knows')
  const shown = (await product.cli(['events', '--json'], { cwd: project })).stdout
  expect(shown).toContain('Go on')
}, 120_000)
