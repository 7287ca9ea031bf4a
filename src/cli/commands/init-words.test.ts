import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../kernel/config.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { resolveHome } from '../../platform/base/home.ts'
import type { CommandInput } from '../shared/command.ts'
import { initCommand } from './connect/init.ts'
import { costCommand } from './inspect/cost.ts'

let root: string
let settings: string
let said: string
let complained: string
const entry = process.argv[1]
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-init-'))
  // The command line finds the rest of its package beside this.
  const packageDir = join(root, 'package')
  mkdirSync(join(packageDir, 'bin'), { recursive: true })
  writeFileSync(join(packageDir, 'bin', 'holdfast'), '')
  cpSync(join(import.meta.dirname, '..', '..', '..', 'skills'), join(packageDir, 'skills'), { recursive: true })
  process.argv[1] = join(packageDir, 'bin', 'holdfast')
  settings = join(root, '.claude', 'settings.json')
  said = ''
  complained = ''
})
afterEach(() => {
  process.argv[1] = entry ?? ''
  rmSync(root, { recursive: true, force: true })
})

function input(options: CommandInput['options']): CommandInput {
  const env = { HOME: root, PATH: '' }
  const none = () => Promise.reject(new HoldfastError('daemon-unavailable', 'There is none in this test.'))
  const io = {
    out: (text: string) => void (said += text),
    err: (text: string) => void (complained += text),
    stdin: process.stdin,
  }
  return {
    args: [],
    options,
    context: {
      env,
      cwd: root,
      home: resolveHome(env),
      config: DEFAULT_CONFIG,
      io: { ...io, isInteractive: false, hasColor: false },
      continuity: none,
      sync: () => Promise.reject(new Error('no exchange here')),
      agentApi: none,
    },
  }
}

const claude = { harness: 'claude-code' }

function writeSettings(text: string): void {
  mkdirSync(join(root, '.claude'), { recursive: true, mode: 0o700 })
  writeFileSync(settings, text)
}

test('before a question the skills are named and everything else is shown; a dry run shows all', async () => {
  writeSettings('{}')
  const skill = join(root, '.claude', 'skills', 'remember', 'SKILL.md')
  const added = { ...claude, with: ['skills', 'snippet'] }
  await expect(initCommand.run(input(added))).rejects.toMatchObject({ code: 'invalid-input' })
  expect(said).toContain('"hooks"')
  expect(said).toContain('+++ ' + join(root, '.claude', 'CLAUDE.md'))
  expect(said).toContain(`skill and command files (full text: --dry-run):\n+ `)
  expect(said).toContain(`\n+ ${skill}\n`)
  expect(said).not.toContain('name: remember')
  said = ''
  await initCommand.run(input({ ...added, dryRun: true }))
  expect(said).toContain(`+++ ${skill}\n`)
  expect(said).toContain('+name: remember')
})

test('init says that sessions are recorded only for a harness with hooks', async () => {
  await initCommand.run(input({ ...claude, yes: true }))
  expect(said).toContain('New sessions are recorded; `holdfast doctor` tests the connection.')
  said = ''
  await initCommand.run(input({ harness: 'roo', yes: true }))
  expect(said).toContain('`holdfast doctor` tests the connection.')
  expect(said).not.toContain('are kept')
})

test('init says that Claude Code reads nothing of a file in which a field is of a wrong type', async () => {
  writeSettings('{ "hooks": [] }\n')
  await expect(initCommand.run(input({ ...claude, yes: true }))).rejects.toMatchObject({
    code: 'settings-unreadable',
    message: `${settings}: \`hooks\` is not an object, so the file was left as it is.`,
  })
  writeSettings('{ "permissions": "none" }\n')
  await initCommand.run(input({ ...claude, yes: true }))
  expect(said).toContain(
    `No hook runs: Claude Code ignores ${settings} because of permissions of a wrong type (object wanted).`,
  )
  expect(said).not.toContain('New sessions are recorded')
})

test('a comment in the settings is kept, and init says that Claude Code reads none of that file', async () => {
  writeSettings('{\n  // mine\n  "model": "sonnet"\n}\n')
  await initCommand.run(input({ ...claude, yes: true }))
  expect(said).toContain(`No hook runs: Claude Code ignores ${settings} because of comments or trailing commas.`)
  expect(said).toContain('Correct it, then run `holdfast doctor`.')
  expect(said).not.toMatch(/✓|is connected|New sessions are recorded/)
  expect(readFileSync(settings, 'utf8')).toContain('// mine')
  // A file without hooks of ours takes nothing else with it.
  writeSettings('{}')
  mkdirSync(join(root, '.claude'), { recursive: true })
  writeFileSync(join(root, '.claude', 'settings.local.json'), '{ "model": "opus", }')
  said = ''
  await initCommand.run(input({ ...claude, yes: true }))
  expect(said).not.toContain('No hook runs')
})

test('init alone writes hooks and the MCP entry, says what the other parts cost, and cost counts what was written', async () => {
  const connect = async (options: CommandInput['options']) => {
    said = ''
    await initCommand.run(input({ ...claude, yes: true, json: true, http: false, ...options }))
    return JSON.parse(said).harnesses[0].files
  }
  const measure = async () => {
    said = ''
    await costCommand.run(input({ json: true }))
    return JSON.parse(said)
  }
  expect(await measure()).toEqual({ harness: null, parts: [], totalChars: 0 })
  expect(await connect({})).toEqual([settings, join(root, '.claude.json')])
  const light = await measure()
  expect(light.parts.map(({ name }: { name: string }) => name)).toEqual([
    'MCP tools (6, loaded on demand)',
    'added by Claude Code for MCP',
  ])
  expect(light.totalChars).toBeGreaterThan(100)
  expect(light.totalChars).toBeLessThanOrEqual(1_200)
  rmSync(settings)
  said = ''
  await initCommand.run(input({ ...claude, yes: true, http: false }))
  expect(said).toMatch(/Not added: skills: .*\(\d+ characters in every session\)\n.*Not added: snippet: .*\(\d+ char/)
  expect(said).toContain('`holdfast init --harness claude-code --with skills,snippet,bootstrap`')
  await connect({ with: ['snippet'] })
  const withSnippet = await measure()
  expect(withSnippet.parts.at(-1)).toEqual({ name: 'snippet', chars: expect.any(Number) })
  expect(withSnippet.totalChars).toBeGreaterThan(light.totalChars + 1_000)
})

test('a part that has no place in the chosen scope is named', async () => {
  await initCommand.run(input({ ...claude, scope: 'project', with: ['snippet', 'commands', 'bootstrap'], yes: true }))
  expect(complained).toBe('Claude Code has no place for bootstrap in the scope project.\n')
  expect(readFileSync(join(root, 'CLAUDE.md'), 'utf8')).not.toContain('bootstrap')
})

test('the bootstrap lines are offered with their cost, and counted once they are there', async () => {
  await initCommand.run(input({ ...claude, yes: true }))
  const offered = Number(/bootstrap: .*\((\d+) characters in every session\)/.exec(said)?.[1])
  said = ''
  await initCommand.run(input({ ...claude, with: ['bootstrap'], yes: true }))
  expect(said).not.toContain('Not added: bootstrap')
  said = ''
  await costCommand.run(input({ json: true }))
  expect(JSON.parse(said).parts).toContainEqual({ name: 'bootstrap', chars: offered })
  expect(readFileSync(join(root, '.claude', 'CLAUDE.md'), 'utf8')).toHaveLength(offered)
})

test('without hooks nothing is said to be recorded, and they come back with --hooks only', async () => {
  const files = () => JSON.parse(said).harnesses[0].files
  await initCommand.run(input({ ...claude, with: ['snippet'], hooks: false, mcp: false, yes: true }))
  expect(said).not.toMatch(/hooks\. |New sessions are recorded/)
  for (const [options, changed] of [
    [{}, []],
    [{ hooks: true }, [settings]],
  ] as const) {
    said = ''
    await initCommand.run(input({ ...claude, ...options, yes: true, json: true }))
    expect(files()).toEqual(changed)
  }
})
