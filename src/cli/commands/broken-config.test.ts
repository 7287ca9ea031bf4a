import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../run.ts'

const repository = join(import.meta.dirname, '..', '..', '..')
const entry = process.argv[1]
const SETTINGS = '{\n  "theme": "dark"\n}\n'
let root: string
let configFile: string
let settings: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hf-broken-config-')))
  // The command line finds the rest of its package beside this; one without a build starts no daemon in a test.
  mkdirSync(join(root, 'package', 'bin'), { recursive: true })
  process.argv[1] = join(root, 'package', 'bin', 'holdfast')
  writeFileSync(process.argv[1], '')
  mkdirSync(join(root, 'package', 'dist'))
  writeFileSync(join(root, 'package', 'dist', 'launcher.sh'), '')
  symlinkSync(join(repository, 'skills'), join(root, 'package', 'skills'))
  mkdirSync(join(root, '.holdfast'), { mode: 0o700 })
  configFile = join(root, '.holdfast', 'config.json')
  mkdirSync(join(root, '.claude'), { mode: 0o700 })
  settings = join(root, '.claude', 'settings.json')
  writeFileSync(settings, SETTINGS, { mode: 0o600 })
})
afterEach(() => {
  process.argv[1] = entry ?? ''
  rmSync(root, { recursive: true, force: true })
})

async function holdfast(...words: readonly string[]) {
  const told = { out: '', err: '' }
  const io = {
    out: (text: string) => void (told.out += text),
    err: (text: string) => void (told.err += text),
    stdin: process.stdin,
    isInteractive: false,
    hasColor: false,
  }
  const exitCode = await runCli(words, { env: { HOME: root, PATH: '' }, cwd: root, io })
  return { exitCode, ...told }
}

/** With `--http`, for which init fixes the port. */
const connect = () => holdfast('init', '--harness', 'claude-code', '--yes', '--http')
const portIn = () => /"port":\s*(\d+)/.exec(readFileSync(configFile, 'utf8'))?.[1]

const BROKEN = [
  ['not JSON', '{ "continuity": '],
  ['not an object', '[1, 2]'],
  ['a value of the wrong type', '{ "continuity": { "promptInterval": "ten" } }'],
] as const

test.each(BROKEN)('a configuration that is %s does not keep anything connected', async (_what, text) => {
  expect(await connect()).toMatchObject({ exitCode: 0 })
  writeFileSync(configFile, text)
  const { exitCode, err } = await holdfast('uninstall', '--yes', '--verify')
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
  expect(readFileSync(settings, 'utf8')).toBe(SETTINGS)
  expect(['CLAUDE.md', 'skills'].filter((name) => existsSync(join(root, '.claude', name)))).toEqual([])
  expect(readFileSync(configFile, 'utf8')).toBe(text)
})

test('the port that init fixed is taken out of a configuration that was broken since, and nothing else of it', async () => {
  const mine = '{\n  "continuity": {\n    "promptInterval": 7\n  }\n}\n'
  writeFileSync(configFile, mine)
  expect(await connect()).toMatchObject({ exitCode: 0 })
  expect(portIn()).toMatch(/^\d+$/)
  const broken = (text: string) => text.replace('"promptInterval": 7', '"promptInterval" 7')
  writeFileSync(configFile, broken(readFileSync(configFile, 'utf8')))
  expect(await holdfast('uninstall', '--yes')).toMatchObject({ exitCode: 0, err: '' })
  expect(readFileSync(configFile, 'utf8')).toBe(broken(mine))
})

test('a binary settings file is left alone and named, and the others are restored', async () => {
  expect(await connect()).toMatchObject({ exitCode: 0 })
  const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x00])
  writeFileSync(configFile, bytes)
  const { exitCode, out } = await holdfast('uninstall', '--yes', '--json')
  expect(exitCode).toBe(0)
  const why = 'cannot be read, so daemon.port stays if it is still there'
  expect(JSON.parse(out)).toMatchObject({
    harnesses: [{ isChanged: true, notices: [{ kind: 'config', path: configFile, why }] }],
  })
  expect(readFileSync(settings, 'utf8')).toBe(SETTINGS)
  expect(readFileSync(configFile)).toEqual(bytes)
})

test('doctor names a broken configuration with the way out, and goes on with its other checks', async () => {
  expect(await connect()).toMatchObject({ exitCode: 0 })
  writeFileSync(configFile, '{ "continuity": ')
  const { exitCode, out } = await holdfast('doctor', '--json')
  expect(exitCode).toBe(1)
  const { checks } = JSON.parse(out)
  expect(checks).toEqual(
    expect.arrayContaining([
      {
        subject: 'config',
        verdict: 'fail',
        detail: expect.stringMatching(/config\.json cannot be read: .*JSON/),
        advice: `Correct the file, or move it away to get the defaults. The daemon cannot start until then; hook events are stored in ${join(root, '.holdfast', 'spool')}.`,
      },
      {
        subject: 'daemon',
        verdict: 'fail',
        detail: 'not running and cannot start',
        advice: 'Fix the configuration first.',
      },
      {
        subject: 'claude-code hooks',
        verdict: 'ok',
        detail: expect.stringContaining('up to date'),
      },
      { subject: 'spool', verdict: expect.any(String), detail: expect.any(String) },
    ]),
  )
})

test('doctor names what a file says in vain: unknown keys, and what a project may not set', async () => {
  const project = join(root, 'project')
  mkdirSync(join(project, '.git'), { recursive: true })
  mkdirSync(join(project, '.holdfast'))
  writeFileSync(configFile, '{ "continuty": { "enabled": false } }')
  const projectFile = join(project, '.holdfast', 'config.json')
  writeFileSync(projectFile, '{ "broken')
  const { checkConfig } = await import('../doctor/checks.ts')
  const { resolveHome } = await import('../../platform/base/home.ts')
  const advice = 'Fix or remove it; `holdfast config` shows the effective settings.'
  expect(checkConfig({ home: resolveHome({ HOME: root }), env: {}, cwd: project })).toEqual([
    {
      subject: 'config',
      verdict: 'warn',
      detail: `${configFile}: unknown setting continuty.enabled; it is ignored`,
      advice,
    },
    {
      subject: 'config',
      verdict: 'warn',
      detail: expect.stringMatching(/project\/\.holdfast\/config\.json cannot be read: .*; it is ignored$/),
      advice,
    },
  ])
})

test('status reports what it can without a daemon, and why none starts, and fails', async () => {
  expect(await connect()).toMatchObject({ exitCode: 0 })
  writeFileSync(configFile, '{ "log": { "level": "loud" } }')
  const { exitCode, out } = await holdfast('status', '--json')
  const { connected, ...told } = JSON.parse(out)
  expect({ exitCode, told }).toEqual({
    exitCode: 1,
    told: {
      version: expect.any(String),
      home: join(root, '.holdfast'),
      configFault: {
        code: 'invalid-input',
        message: `log.level is "loud" in ${configFile}; it must be one of debug, info, warn, error.`,
        hint: 'Correct log.level there, or remove it to get the default.',
      },
      spoolBacklog: 0,
    },
  })
  expect(connected).toMatchObject([{ harness: 'claude-code', needsInit: false }])
  expect((await holdfast('status')).out).toMatch(/config +✗ log\.level is "loud"[\s\S]*daemon +not running/)
})

test('nothing is connected, and no daemon is waited for, without a configuration', async () => {
  writeFileSync(configFile, '{ "log": { "level": "loud" } }')
  for (const words of [['init', '--yes'], ['sessions', 'list'], ['daemon', 'start'], ['config']])
    expect(await holdfast(...words)).toMatchObject({ err: expect.stringContaining('log.level is "loud"'), exitCode: 2 })
  expect(readFileSync(settings, 'utf8')).toBe(SETTINGS)
})

test('a record of what is connected that cannot be read is named by doctor, and stops nothing else', async () => {
  expect(await connect()).toMatchObject({ exitCode: 0 })
  const manifest = join(root, '.holdfast', 'install', 'manifest.json')
  writeFileSync(manifest, '{ broken')
  const { exitCode, out } = await holdfast('doctor', '--json')
  expect(exitCode).toBe(1)
  expect(JSON.parse(out).checks).toEqual(
    expect.arrayContaining([
      { subject: 'config', verdict: 'ok', detail: 'valid' },
      {
        subject: 'manifest',
        verdict: 'fail',
        detail: `${manifest} cannot be read`,
        advice: 'Move it away: uninstall then finds the entries of Holdfast by their shape.',
      },
      { subject: 'spool', verdict: 'ok', detail: 'no events waiting for the daemon' },
    ]),
  )
  rmSync(manifest)
  expect(await holdfast('uninstall', '--harness', 'claude-code', '--yes')).toMatchObject({ exitCode: 0 })
  expect(readFileSync(settings, 'utf8')).toBe(SETTINGS)
})
