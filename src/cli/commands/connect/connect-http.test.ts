import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TempDir, tempDir } from '../../../../test/support/temp-dir.ts'
import { DEFAULT_CONFIG } from '../../../kernel/config.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { readManifest, writeManifest } from '../../../install/manifest.ts'
import { loadConfig } from '../../../platform/config.ts'
import { resolveHome } from '../../../platform/base/home.ts'
import type { CliContext, CommandInput } from '../../shared/command.ts'
import { inspectConnection } from '../../doctor/connection.ts'
import { createSetupPorts } from '../../setup/setup-ports.ts'
import { initCommand } from './init.ts'
import { uninstallCommand } from './uninstall.ts'

let dir: TempDir
let root: string
let settings: string
const entry = process.argv[1]
beforeEach(() => {
  dir = tempDir()
  root = join(dir.path, 'home')
  settings = join(root, '.claude', 'settings.json')
  // The command line finds the rest of its package beside this.
  process.argv[1] = dir.write(join('package', 'bin', 'holdfast'), '')
  cpSync(join(import.meta.dirname, '..', '..', '..', '..', 'skills'), join(dir.path, 'package', 'skills'), {
    recursive: true,
  })
})
afterEach(() => {
  process.argv[1] = entry ?? ''
  dir[Symbol.dispose]()
})

function contextOf(): CliContext {
  const env = { HOME: root, PATH: '' }
  const home = resolveHome(env)
  const unavailable = () => Promise.reject(new HoldfastError('daemon-unavailable', 'There is none in this test.'))
  return {
    env,
    cwd: root,
    home,
    config: existsSync(home.configFile) ? loadConfig({ home, env }).config : DEFAULT_CONFIG,
    io: {
      out: () => undefined,
      err: () => undefined,
      stdin: process.stdin,
      isInteractive: false,
      hasColor: false,
    },
    continuity: unavailable,
    sync: () => Promise.reject(new Error('no exchange here')),
    agentApi: unavailable,
  }
}

const input = (options: CommandInput['options']): CommandInput => ({ args: [], options, context: contextOf() })
const claude = { harness: 'claude-code' }

function writeSettings(text: string): void {
  mkdirSync(join(root, '.claude'), { recursive: true, mode: 0o700 })
  writeFileSync(settings, text, { mode: 0o600 })
}

const hasHttp = () => readFileSync(settings, 'utf8').includes('"http"')

test('using command hooks unless HTTP is asked for, which the next init remembers', async () => {
  writeSettings('{}')
  await initCommand.run(input({ ...claude, yes: true }))
  expect([hasHttp(), readFileSync(settings, 'utf8').includes('Bearer')]).toEqual([false, false])
  await initCommand.run(input({ ...claude, yes: true, http: true }))
  expect(hasHttp()).toBe(true)
  await initCommand.run(input({ ...claude, yes: true }))
  expect(hasHttp()).toBe(true)
  await initCommand.run(input({ ...claude, yes: true, http: false }))
  await initCommand.run(input({ ...claude, yes: true }))
  expect(hasHttp()).toBe(false)
})

test('HTTP hooks that an older version chose by itself are outdated; init replaces them, and uninstall gives back every byte', async () => {
  const before = '{\n  "model": "opus"\n}\n'
  writeSettings(before)
  await initCommand.run(input({ ...claude, yes: true, http: true }))
  const { home } = contextOf()
  const known = readManifest(home)
  writeManifest(
    home,
    known.map((record) => ({ ...record, http: undefined })),
  )
  const connected = await Promise.all(
    readManifest(home).map((record) => inspectConnection(record, createSetupPorts(contextOf()))),
  )
  expect(connected).toMatchObject([{ harness: 'claude-code', needsInit: true }])
  await initCommand.run(input({ ...claude, yes: true }))
  expect(hasHttp()).toBe(false)
  await uninstallCommand.run(input({ ...claude, yes: true }))
  expect(readFileSync(settings, 'utf8')).toBe(before)
  expect(existsSync(home.configFile)).toBe(false)
})

test('a token goes neither into shared settings nor into a file that others can read, whoever asks for it', async () => {
  await initCommand.run(input({ ...claude, yes: true, scope: 'project', http: true }))
  expect(readFileSync(settings, 'utf8')).not.toContain('Bearer')
  await uninstallCommand.run(input({ ...claude, yes: true }))
  if (process.platform === 'win32') return
  writeSettings('{}')
  for (const folder of [dir.path, root, join(root, '.claude')]) chmodSync(folder, 0o755)
  chmodSync(settings, 0o644)
  await initCommand.run(input({ ...claude, yes: true, http: true }))
  expect(readFileSync(settings, 'utf8')).not.toContain('Bearer')
  chmodSync(settings, 0o600)
  await initCommand.run(input({ ...claude, yes: true, http: true }))
  expect(readFileSync(settings, 'utf8')).toContain('Bearer')
})
