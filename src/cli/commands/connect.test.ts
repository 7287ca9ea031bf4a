import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../kernel/config.ts'
import { HoldfastError } from '../../kernel/errors.ts'
import { loadConfig } from '../../platform/config.ts'
import { resolveHome } from '../../platform/base/home.ts'
import { loadSetups } from '../../harness/registry.ts'
import { readManifest } from '../../install/manifest.ts'
import type { CliContext, CommandInput } from '../shared/command.ts'
import { describeConnection, inspectConnection } from '../doctor/connection.ts'
import { checkHarness } from '../doctor/harness.ts'
import { createSetupPorts } from '../setup/setup-ports.ts'
import { initCommand } from './connect/init.ts'
import { uninstallCommand } from './connect/uninstall.ts'

let root: string
let packageDir: string
let settings: string
let said: string
const entry = process.argv[1]
beforeEach(() => {
  // The command line finds the rest of its package beside this; one without a build runs no hook in a test.
  packageDir = mkdtempSync(join(tmpdir(), 'holdfast-package-'))
  mkdirSync(join(packageDir, 'dist'))
  writeFileSync(join(packageDir, 'dist', 'launcher.sh'), '')
  mkdirSync(join(packageDir, 'bin'))
  writeFileSync(join(packageDir, 'bin', 'holdfast'), '')
  cpSync(join(import.meta.dirname, '..', '..', '..', 'skills'), join(packageDir, 'skills'), { recursive: true })
  process.argv[1] = join(packageDir, 'bin', 'holdfast')
  root = mkdtempSync(join(tmpdir(), 'holdfast-connect-'))
  settings = join(root, '.claude', 'settings.json')
  said = ''
})
afterEach(() => {
  process.argv[1] = entry ?? ''
  for (const folder of [root, packageDir]) rmSync(folder, { recursive: true, force: true })
})

function contextOf(): CliContext {
  const env = { HOME: root, PATH: '' }
  const home = resolveHome(env)
  return {
    env,
    cwd: root,
    home,
    config: existsSync(home.configFile) ? loadConfig({ home, env }).config : DEFAULT_CONFIG,
    io: {
      out: (text) => {
        said += text
      },
      err: () => undefined,
      stdin: process.stdin,
      isInteractive: false,
      hasColor: false,
    },
    continuity: () => Promise.reject(new HoldfastError('daemon-unavailable', 'There is none in this test.')),
    sync: () => Promise.reject(new Error('no exchange here')),
    agentApi: () => Promise.reject(new HoldfastError('daemon-unavailable', 'There is none in this test.')),
  }
}

const input = (options: CommandInput['options']): CommandInput => ({ args: [], options, context: contextOf() })
const claude = { harness: 'claude-code' }

function writeSettings(text: string): void {
  mkdirSync(join(root, '.claude'), { recursive: true, mode: 0o700 })
  writeFileSync(settings, text)
}

test('a dry run shows the difference, hides the token and writes nothing', async () => {
  writeSettings('{\n  "model": "opus"\n}\n')
  expect(await initCommand.run(input({ ...claude, dryRun: true, http: true }))).toBe(0)
  expect(said).toContain('-  "model": "opus"\n+  "model": "opus",\n+  "hooks": {')
  expect(said).toContain('Bearer <hook token>')
  expect(readFileSync(settings, 'utf8')).toBe('{\n  "model": "opus"\n}\n')
  expect(readdirSync(root)).toEqual(['.claude'])
})

test('without a yes and with nobody to ask, nothing is written, not even a token', async () => {
  writeSettings('{}')
  await expect(initCommand.run(input(claude))).rejects.toMatchObject({ code: 'invalid-input' })
  expect(readFileSync(settings, 'utf8')).toBe('{}')
  expect(readdirSync(root)).toEqual(['.claude'])
})

test('init and uninstall with --yes, twice each, end where they began', async () => {
  writeSettings('{\n  "model": "opus"\n}\n')
  const yes = { ...claude, yes: true }
  expect(await initCommand.run(input(yes))).toBe(0)
  const connected = readFileSync(settings, 'utf8')
  expect(await initCommand.run(input(yes))).toBe(0)
  expect(readFileSync(settings, 'utf8')).toBe(connected)
  expect(await uninstallCommand.run(input({ ...yes, verify: true }))).toBe(0)
  expect(said).toContain('restored byte for byte')
  expect(readFileSync(settings, 'utf8')).toBe('{\n  "model": "opus"\n}\n')
  expect(await uninstallCommand.run(input(yes))).toBe(0)
})

test.skipIf(process.platform === 'win32')(
  "an uninstall leaves another home's hooks alone, and names that home",
  async () => {
    const other = join(root, "somebody's other home")
    const env = { HOME: root, PATH: '', HOLDFAST_HOME: other }
    const there = { ...contextOf(), env, home: resolveHome(env) }
    const yes = { ...claude, yes: true }
    await initCommand.run({ args: [], options: yes, context: there })
    const connected = readFileSync(settings, 'utf8')
    await expect(uninstallCommand.run(input(yes))).rejects.toMatchObject({
      code: 'conflict',
      message: `The entries in ${settings} belong to the Holdfast home ${other}.`,
    })
    expect(readFileSync(settings, 'utf8')).toBe(connected)
    await uninstallCommand.run({ args: [], options: yes, context: there })
    expect(existsSync(settings)).toBe(false)
  },
)

test('an uninstall in another folder finds what was installed for a project', async () => {
  mkdirSync(join(root, 'p'))
  const there = { ...contextOf(), cwd: join(root, 'p') }
  await initCommand.run({ args: [], options: { ...claude, yes: true, scope: 'local' }, context: there })
  expect(existsSync(join(root, 'p', '.claude', 'settings.local.json'))).toBe(true)
  await uninstallCommand.run(input({ yes: true }))
  expect(readdirSync(join(root, 'p'))).toEqual([])
})

test('--json says what was done', async () => {
  const names = ['checkpoint', 'recall', 'remember', 'sesh-briefing', 'sesh-done', 'sesh-intent', 'sesh-save']
  const references = ['auto-checkpoint-signals', 'checkpoint-format', 'resume-flow']
  const skills = names.flatMap((name) => [
    join(root, '.claude', 'skills', name, 'SKILL.md'),
    ...(name === 'checkpoint' ? references : []).map((reference) =>
      join(root, '.claude', 'skills', name, 'references', `${reference}.md`),
    ),
  ])
  writeSettings('{}')
  const added = { with: ['skills', 'snippet', 'commands'] }
  await initCommand.run(input({ ...claude, ...added, yes: true, json: true, http: false }))
  expect(JSON.parse(said)).toEqual({
    harnesses: [
      {
        harness: 'claude-code',
        scope: 'user',
        settings,
        isChanged: true,
        isDryRun: false,
        http: false,
        leftOut: ['bootstrap'],
        files: [settings, join(root, '.claude.json'), join(root, '.claude', 'CLAUDE.md'), ...skills],
        notices: [],
        remainingSteps: [],
        diff: expect.stringContaining('+++'),
        silencedBy: [],
      },
    ],
  })
})

test('a skill that the user changed is kept and named by init, status lines and uninstall', async () => {
  await initCommand.run(input({ ...claude, with: ['skills', 'snippet'], yes: true, http: false }))
  const skill = join(root, '.claude', 'skills', 'recall', 'SKILL.md')
  writeFileSync(skill, 'mine now')
  said = ''
  await initCommand.run(input({ ...claude, yes: true, http: false }))
  expect(said).toContain(`! ${skill} was changed since Holdfast wrote it, so it stays as it is.`)
  const ports = createSetupPorts(contextOf())
  const [record] = readManifest(ports.home)
  if (record === undefined) throw new Error('unreachable')
  expect(await describeConnection(await inspectConnection(record, ports))).toEqual([
    `claude-code (user): hooks, mcp, skills, snippet (${settings})`,
    `  skills: changed since Holdfast wrote it (${skill})`,
  ])
  said = ''
  await uninstallCommand.run(input({ ...claude, yes: true, verify: true }))
  expect(said).toContain(`! ${skill} was changed since Holdfast wrote it, so it stays.`)
  expect(readFileSync(skill, 'utf8')).toBe('mine now')
})

test('a connection by an earlier version is named with what it lacks and the command that mends it', async () => {
  await initCommand.run(input({ ...claude, yes: true, http: false, mcp: false, skills: false, snippet: false }))
  const ports = createSetupPorts(contextOf())
  const [now] = readManifest(ports.home)
  if (now === undefined) throw new Error('unreachable')
  const record = { ...now, version: '0.0.9', leftOut: [] }
  expect(await describeConnection(await inspectConnection(record, ports))).toEqual([
    `claude-code (user): hooks (${settings})`,
    `  mcp: not installed: the connecting version did not have it (${join(root, '.claude.json')})`,
    `  skills: not installed: the connecting version did not have it (${join(root, '.claude', 'skills', 'checkpoint', 'SKILL.md')})`,
    `  snippet: not installed: the connecting version did not have it (${join(root, '.claude', 'CLAUDE.md')})`,
    '  connected by version 0.0.9; run `holdfast init --harness claude-code`',
  ])
})

test('a harness may be named more than once, and is connected once', async () => {
  await initCommand.run(input({ harness: ['claude-code', 'claude-code'], yes: true, json: true, http: false }))
  expect(JSON.parse(said).harnesses).toHaveLength(1)
})

test('settings of one harness that cannot be edited do not keep the others from being connected', async () => {
  const gemini = join(root, '.gemini', 'settings.json')
  mkdirSync(join(root, '.gemini'))
  writeFileSync(gemini, '{ "broken": ')
  const both = { harness: ['gemini-cli', 'claude-code'], yes: true, json: true, http: false }
  expect(await initCommand.run(input(both))).toBe(1)
  expect(JSON.parse(said).harnesses).toMatchObject([
    { harness: 'gemini-cli', isChanged: false, error: { code: 'settings-unreadable' } },
    { harness: 'claude-code', isChanged: true },
  ])
  expect(readFileSync(gemini, 'utf8')).toBe('{ "broken": ')
})

test('a secret in settings beside ours is not shown', async () => {
  writeSettings('{\n  "env": { "GITHUB_TOKEN": "ghp_0123456789abcdefghijABCDEFGHIJ012345" }\n}\n')
  await initCommand.run(input({ ...claude, dryRun: true }))
  expect(said).toContain('GITHUB_TOKEN')
  expect(said).not.toContain('ghp_0123456789')
})

test('invalid options are distinguished from failures', async () => {
  writeSettings('{ "broken": ')
  await expect(initCommand.run(input({ harness: 'emacs', yes: true }))).rejects.toMatchObject({ code: 'invalid-input' })
  await expect(initCommand.run(input({ ...claude, all: true }))).rejects.toMatchObject({ code: 'invalid-input' })
  await expect(initCommand.run(input({ ...claude, scope: 'galaxy' }))).rejects.toMatchObject({ code: 'invalid-input' })
  await expect(initCommand.run(input({ ...claude, yes: true }))).rejects.toMatchObject({ code: 'settings-unreadable' })
  expect(readFileSync(settings, 'utf8')).toBe('{ "broken": ')
})

test('where no harness is found, init says how to name one', async () => {
  await expect(initCommand.run(input({ yes: true }))).rejects.toMatchObject({ code: 'not-found' })
  await expect(uninstallCommand.run(input({ yes: true }))).rejects.toMatchObject({ code: 'not-found' })
})

test('init says when a setting keeps what it connects from ever running', async () => {
  writeSettings('{ "disableAllHooks": true }')
  await initCommand.run(input({ ...claude, yes: true }))
  expect(said).toContain(`No hook runs: ${settings} has \`disableAllHooks\`.`)
  said = ''
  await initCommand.run(input({ ...claude, yes: true }))
  expect(said).toContain('No hook runs')
  writeSettings('{ "disableAllHooks": false }')
  said = ''
  await initCommand.run(input({ ...claude, yes: true }))
  expect(said).not.toContain('No hook runs')
})

test('the doctor notices entries that are missing, altered, switched off or unreadable, and hooks that arrive nowhere', async () => {
  const context = contextOf()
  const ports = createSetupPorts(context)
  const [setup] = await loadSetups()
  if (setup === undefined) throw new Error('There is no harness.')
  const explain = () => Promise.reject(new Error('There is no session to explain.'))
  const continuity = { sightings: async () => [], listSessions: async () => [], explain }
  const verdicts = async () => {
    const checks = await checkHarness(context, { setup, ports, continuity })
    return Object.fromEntries(checks.map(({ subject, verdict }) => [subject, verdict]))
  }
  expect(await verdicts()).toMatchObject({ 'claude-code hooks': 'fail' })
  await initCommand.run(input({ ...claude, yes: true, http: false }))
  expect(await verdicts()).toMatchObject({
    'claude-code hooks': 'ok',
    'claude-code command hook': 'fail',
    'claude-code mcp server': 'fail',
    'claude-code events': 'warn',
  })
  const connected = readFileSync(settings, 'utf8')
  writeFileSync(settings, connected.replace('{', '{ "disableAllHooks": true,'))
  expect(await verdicts()).toMatchObject({ 'claude-code silenced': 'fail' })
  writeFileSync(settings, connected)
  expect(await verdicts()).not.toHaveProperty('claude-code silenced')
  // Also from another file that the harness reads here.
  const local = join(root, '.claude', 'settings.local.json')
  writeFileSync(local, '{ "disableAllHooks": true }')
  expect(await verdicts()).toMatchObject({ 'claude-code hooks': 'ok', 'claude-code silenced': 'fail' })
  rmSync(local)
  writeFileSync(settings, connected.replace('"timeout": 10', '"timeout": 11'))
  expect(await verdicts()).toMatchObject({ 'claude-code hooks': 'warn' })
  writeFileSync(settings, readFileSync(settings, 'utf8').replace('"Stop"', '"Stopped"'))
  expect(await verdicts()).toMatchObject({ 'claude-code hooks': 'fail' })
  writeFileSync(settings, '{')
  expect(await verdicts()).toMatchObject({ 'claude-code hooks': 'fail' })
})

const example =
  /```json\n([\s\S]*?)```/.exec(
    readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'generic-harness.md'), 'utf8'),
  )?.[1] ?? ''

/** Connects by the page of the documentation, changed as said. */
function pageWith(change: (page: Record<string, unknown>) => object = (page) => page): string {
  const file = join(root, 'typist.json')
  writeFileSync(file, JSON.stringify(change(JSON.parse(example))))
  return file
}

test('a page of JSON connects a harness that we have no code for, and all of it goes again', async () => {
  const theirs = '{\n  "hooks": { "Boot": [ { "hooks": [ { "type": "command", "command": "mine" } ] } ] }\n}\n'
  mkdirSync(join(root, '.typist'))
  writeFileSync(join(root, '.typist', 'hooks.json'), theirs)
  const generic = { harness: 'generic', config: pageWith() }
  await initCommand.run(input({ ...generic, dryRun: true }))
  expect(said).toContain('Nothing was changed')
  expect(readdirSync(join(root, '.typist'))).toEqual(['hooks.json'])
  await initCommand.run(input({ ...generic, with: ['skills', 'snippet'], yes: true }))
  expect(said).toContain('Typist is connected')
  const hooks = readFileSync(join(root, '.typist', 'hooks.json'), 'utf8')
  expect(hooks).toMatch(
    /launcher\.sh'? generic typist\.session-started\.Boot 2>\/dev\/null \|\| :|"typist\.session-started\.Boot"?/,
  )
  expect(Object.keys(JSON.parse(readFileSync(join(root, '.typist', 'servers.json'), 'utf8')).servers)).toEqual([
    'holdfast',
  ])
  // Without the page: it is known from before, wherever the file went.
  rmSync(generic.config)
  said = ''
  await initCommand.run(input({ harness: 'generic', yes: true }))
  expect(said).toContain('Typist is already connected')
  const [record] = readManifest(createSetupPorts(contextOf()).home)
  if (record === undefined) throw new Error('unreachable')
  expect((await describeConnection(await inspectConnection(record, createSetupPorts(contextOf()))))[0]).toMatch(
    /^generic typist \(user\): hooks, mcp, skills, snippet/,
  )
  await uninstallCommand.run(input({ harness: 'generic', yes: true, verify: true }))
  expect(readFileSync(join(root, '.typist', 'hooks.json'), 'utf8')).toBe(theirs)
  expect(readdirSync(join(root, '.typist'))).toEqual(['hooks.json'])
  expect(readManifest(createSetupPorts(contextOf()).home)).toEqual([])
})

test('two pages are connected beside each other in one file, and one goes without the other', async () => {
  const typist = pageWith()
  await initCommand.run(input({ config: typist, yes: true, snippet: false, skills: false, mcp: false }))
  const alone = readFileSync(join(root, '.typist', 'hooks.json'), 'utf8')
  const second = join(root, 'second.json')
  writeFileSync(second, JSON.stringify({ ...JSON.parse(example), name: 'second' }))
  await initCommand.run(input({ config: second, yes: true, snippet: false, skills: false, mcp: false }))
  expect(readFileSync(join(root, '.typist', 'hooks.json'), 'utf8')).toContain('second.session-started.Boot')
  await uninstallCommand.run(input({ harness: 'generic', config: second, yes: true }))
  expect(readFileSync(join(root, '.typist', 'hooks.json'), 'utf8')).toBe(alone)
  await uninstallCommand.run(input({ harness: 'generic', yes: true }))
  expect(existsSync(join(root, '.typist'))).toBe(false)
})

test('a page without a file for hooks has its commands told, and says so again at the next init', async () => {
  const config = pageWith(({ name, hooks }) => ({
    name,
    hooks: { events: Object(hooks).events },
  }))
  await initCommand.run(input({ harness: 'generic', config, yes: true }))
  expect(said).toMatch(/Let typist run at its Boot: .*generic typist\.session-started\.Boot/)
  expect(readManifest(createSetupPorts(contextOf()).home)).toMatchObject([{ harness: 'generic', files: [] }])
  await uninstallCommand.run(input({ harness: 'generic', yes: true }))
  expect(readManifest(createSetupPorts(contextOf()).home)).toEqual([])
})

test('a page is asked for, read as a whole, and refused with what is wrong in it', async () => {
  const init = (options: CommandInput['options']) => initCommand.run(input({ yes: true, ...options }))
  await expect(init({ harness: 'generic' })).rejects.toMatchObject({ code: 'invalid-input', hint: /--config FILE/ })
  await expect(init({ ...claude, config: pageWith() })).rejects.toMatchObject({ code: 'invalid-input' })
  await expect(init({ config: 'nowhere.json' })).rejects.toMatchObject({ code: 'not-found' })
  writeFileSync(join(root, 'typist.json'), '{ "name": ')
  await expect(init({ config: 'typist.json' })).rejects.toThrow(/is not JSON/)
  await expect(init({ config: pageWith((page) => ({ ...page, hoks: 1 })) })).rejects.toThrow(/hoks: unknown entry/)
  await expect(
    init({ config: pageWith(({ name, instructions }) => ({ name, instructions })), scope: 'project' }),
  ).rejects.toThrow(/does not support the scope project/)
  await init({ config: pageWith() })
  const moved = pageWith((page) => ({ ...page, hooks: { ...Object(page.hooks), file: '~/.typist/other.json' } }))
  await expect(init({ config: moved })).rejects.toMatchObject({ code: 'conflict' })
  expect(existsSync(join(root, '.typist', 'other.json'))).toBe(false)
})
