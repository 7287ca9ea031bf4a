import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resolveHome } from '../platform/base/home.ts'
import { setup } from '../harness/claude-code/setup.ts'
import { applyInstall, applyUninstall, proveUninstalled, withManifestLock } from './installer.ts'
import { readManifest } from './manifest.ts'
import { type InstallOptions, planInstall } from './plan-install.ts'
import { planUninstall } from './plan-uninstall.ts'
import { isReadableByOthers, readSettingsFile, replaceSettingsFile } from './edits/settings-file.ts'
import type { SetupPorts } from './contract/setup.ts'

let root: string
let ports: SetupPorts
let settings: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-install-'))
  const env = { HOME: root, PATH: '' }
  ports = {
    env,
    cwd: join(root, 'project'),
    home: resolveHome(env),
    distDir: '/opt/holdfast/dist',
    skillsDir: join(import.meta.dirname, '..', '..', 'skills'),
    platform: 'linux',
    nodePath: '/usr/bin/node',
  }
  settings = join(root, '.claude', 'settings.json')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const user: InstallOptions = {
  scope: 'user',
  fixPort: false,
  wants: { skills: true, commands: true, snippet: true },
}
const withHttp: InstallOptions = { scope: 'user', fixPort: true, http: { port: 41_999, token: 'hook-token' } }
const install = (options = user) => applyInstall(planInstall(setup, ports, options), ports)
const uninstall = () => applyUninstall(planUninstall(setup, ports, { scope: 'user' }), ports)
const text = (path = settings) => readFileSync(path, 'utf8')

function writeSettings(content: string): void {
  mkdirSync(join(root, '.claude'), { recursive: true })
  writeFileSync(settings, content)
}

/** Every file below a folder with its bytes and mode. */
function treeOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const mode = (lstatSync(path).mode & 0o777).toString(8)
      return [path, entry.isFile() ? `${mode} ${readFileSync(path, 'utf8')}` : mode]
    }),
  )
}

describe('install and uninstall', () => {
  test('leave no trace in a home that had nothing', () => {
    install(withHttp)
    expect(existsSync(settings)).toBe(true)
    uninstall()
    expect(existsSync(join(root, '.claude'))).toBe(false)
    expect(existsSync(ports.home.configFile)).toBe(false)
  })

  test('give back every byte and mode of what others had', () => {
    writeSettings('{\n\t"env": {"API_KEY": "x"}, // mine\n\t"hooks": {"Stop": []}\n}')
    chmodSync(settings, 0o640)
    const before = treeOf(join(root, '.claude'))
    install()
    expect(treeOf(join(root, '.claude'))).not.toEqual(before)
    expect(statSync(settings).mode & 0o777).toBe(0o640)
    uninstall()
    expect(treeOf(join(root, '.claude'))).toEqual(before)
  })

  test('installing twice changes nothing', () => {
    writeSettings('{"a": 1}\n')
    install(withHttp)
    const first = treeOf(root)
    expect(planInstall(setup, ports, { ...withHttp, fixPort: false }).changes).toEqual([])
    install({ ...withHttp, fixPort: false })
    expect(treeOf(root)).toEqual(first)
  })

  test('installing again after the user put hooks of theirs behind ours changes nothing', () => {
    writeSettings('{"a": 1}\n')
    install()
    const parsed = JSON.parse(text())
    parsed.hooks.Stop.push({ hooks: [{ type: 'command', command: 'mine' }] })
    writeSettings(JSON.stringify(parsed, undefined, 2))
    expect(planInstall(setup, ports, user).changes).toEqual([])
  })

  test('a newer version replaces the entries of an older one, and uninstall still gives back the first bytes', () => {
    const original = '{\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n  }\n}\n'
    writeSettings(original)
    install()
    ports = { ...ports, distDir: '/opt/holdfast-2/dist' }
    install(withHttp)
    expect(text()).not.toContain('/opt/holdfast/dist')
    expect(text()).toContain('/opt/holdfast-2/dist')
    expect(readManifest(ports.home)).toHaveLength(1)
    uninstall()
    expect(text()).toBe(original)
    expect(readManifest(ports.home)).toEqual([])
  })

  test('edits in between survive, and the proof says that there were some', () => {
    writeSettings('{\n  "theme": "dark"\n}\n')
    install()
    writeFileSync(settings, text().replace('dark', 'light'))
    const plan = planUninstall(setup, ports, { scope: 'user' })
    applyUninstall(plan, ports)
    expect(text()).toBe('{\n  "theme": "light"\n}\n')
    expect(proveUninstalled(plan)[0]).toEqual({ path: settings, outcome: 'removed-around-edits' })
  })

  test('the proof of an untouched file is its hash', () => {
    writeSettings('{}')
    install()
    const plan = planUninstall(setup, ports, { scope: 'user' })
    applyUninstall(plan, ports)
    expect(proveUninstalled(plan)[0]).toEqual({ path: settings, outcome: 'restored' })
  })

  test('a control: entries left behind fail the proof', () => {
    writeSettings('{}')
    install()
    const plan = planUninstall(setup, ports, { scope: 'user' })
    expect(() => proveUninstalled(plan)).toThrow('still contains entries')
  })

  test('uninstall works from the shape alone when the manifest is gone', () => {
    writeSettings('{\n  "theme": "dark"\n}\n')
    install()
    rmSync(ports.home.manifestFile)
    const plan = planUninstall(setup, ports, { scope: 'user' })
    applyUninstall(plan, ports)
    expect(text()).toBe('{\n  "theme": "dark"\n}\n')
    expect(proveUninstalled(plan)[0]).toEqual({ path: settings, outcome: 'removed-by-shape' })
  })

  test('a created file to which the user added something stays with that', () => {
    install()
    writeFileSync(settings, text().replace('{', '{\n  "theme": "dark",'))
    uninstall()
    expect(text()).toBe('{\n  "theme": "dark"\n}\n')
  })

  test('uninstalling what was never installed does nothing', () => {
    writeSettings('{"a":1}')
    expect(planUninstall(setup, ports, { scope: 'user' }).changes).toEqual([])
    uninstall()
    expect(text()).toBe('{"a":1}')
  })

  test('a linked settings file stays a link, and its target is edited', () => {
    mkdirSync(join(root, '.claude'))
    mkdirSync(join(root, 'dotfiles'))
    const target = join(root, 'dotfiles', 'claude.json')
    writeFileSync(target, '{"a":1}')
    symlinkSync(join('..', 'dotfiles', 'claude.json'), settings)
    install()
    expect(lstatSync(settings).isSymbolicLink()).toBe(true)
    expect(text(target)).toContain('launcher.sh')
    uninstall()
    expect(text(target)).toBe('{"a":1}')
  })

  test('a file that does not parse is refused and stays as it is', () => {
    writeSettings('{ "a": ')
    expect(() => planInstall(setup, ports, user)).toThrow(expect.objectContaining({ code: 'settings-unreadable' }))
    expect(text()).toBe('{ "a": ')
    expect(existsSync(ports.home.manifestFile)).toBe(false)
  })

  test('bytes that are not UTF-8 are refused', () => {
    mkdirSync(join(root, '.claude'))
    for (const bytes of [Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from('{"name":"caf\u00e9"}', 'latin1')]) {
      writeFileSync(settings, bytes)
      expect(() => planInstall(setup, ports, user)).toThrow('is not UTF-8')
    }
  })

  test('a file that somebody changed in between is not overwritten, and the manifest says so', () => {
    writeSettings('{"a":1}')
    const plan = planInstall(setup, ports, user)
    writeFileSync(settings, '{"a":2}')
    expect(() => applyInstall(plan, ports)).toThrow(expect.objectContaining({ code: 'conflict' }))
    expect(text()).toBe('{"a":2}')
    expect(readManifest(ports.home)).toEqual([])
  })

  test('a file of ours that somebody changed in between is not deleted', () => {
    install()
    const plan = planUninstall(setup, ports, { scope: 'user' })
    const skill = join(root, '.claude', 'skills', 'recall', 'SKILL.md')
    writeFileSync(skill, 'mine now')
    expect(() => applyUninstall(plan, ports)).toThrow(expect.objectContaining({ code: 'conflict' }))
    expect(text(skill)).toBe('mine now')
  })

  test('the manifest holds what was written and none of the user’s own text', () => {
    writeSettings('{"env":{"TOKEN":"users-own-secret"}}')
    install()
    const manifest = readFileSync(ports.home.manifestFile, 'utf8')
    expect(manifest).not.toContain('users-own-secret')
    expect(statSync(ports.home.manifestFile).mode & 0o777).toBe(0o600)
    const written = readManifest(ports.home)[0]?.files[0]
    expect(written?.insertions.map((insertion) => insertion.text).join('')).toContain('launcher.sh')
  })

  test('HOLDFAST_HOME at install time is the home that hooks will use', () => {
    const env = { ...ports.env, HOLDFAST_HOME: join(root, 'my home') }
    ports = { ...ports, env, home: resolveHome(env) }
    install()
    expect(text()).toContain(`HOLDFAST_HOME='${join(root, 'my home')}'`)
  })

  test('a port we fixed in our own configuration goes when the last harness goes', () => {
    mkdirSync(ports.home.root)
    writeFileSync(ports.home.configFile, '{\n  "continuity": { "promptInterval": 5 }\n}\n')
    install(withHttp)
    expect(JSON.parse(text(ports.home.configFile))).toEqual({
      continuity: { promptInterval: 5 },
      daemon: { port: 41_999 },
    })
    uninstall()
    expect(text(ports.home.configFile)).toBe('{\n  "continuity": { "promptInterval": 5 }\n}\n')
  })

  test('a file that the user deleted in between is made again, and goes again', () => {
    writeSettings('{"a":1}')
    install()
    rmSync(settings)
    install()
    uninstall()
    expect(existsSync(settings)).toBe(false)
  })

  test('a file that held nothing but a piece that is no longer wanted goes with it', () => {
    const client = join(root, '.claude.json')
    install()
    expect(existsSync(client)).toBe(true)
    install({ ...user, wants: { mcp: false } })
    expect(existsSync(client)).toBe(false)
  })

  test('a piece is taken out by the lock that it was put in by', () => {
    install()
    const client = join(root, '.claude.json')
    const [change] = planInstall(setup, ports, { ...user, wants: { mcp: false } }).changes
    expect([change?.before.path, change?.lockPath]).toEqual([client, `${client}.lock`])
  })

  test('a folder of ours that became something else does not stop an uninstall', () => {
    install()
    const folder = join(root, '.claude', 'skills', 'recall')
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'a file of mine')
    uninstall()
    expect([readManifest(ports.home), text(folder)]).toEqual([[], 'a file of mine'])
  })

  test('while another process changes what the manifest says, nothing is written, and it is waited for', () => {
    const lock = `${ports.home.manifestFile}.lock`
    install()
    const before = treeOf(root)
    writeFileSync(lock, JSON.stringify({ pid: process.ppid }))
    expect(() => withManifestLock(ports.home, () => rmSync(root, { recursive: true }), 100)).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
    rmSync(lock)
    expect(treeOf(root)).toEqual(before)
    // One that was killed at it holds nobody up.
    writeFileSync(lock, JSON.stringify({ pid: process.ppid, startedAt: 'long ago' }))
    uninstall()
    expect([readManifest(ports.home), existsSync(lock)]).toEqual([[], false])
  })

  test('each scope has its own file', () => {
    mkdirSync(ports.cwd)
    applyInstall(planInstall(setup, ports, { scope: 'local', fixPort: false }), ports)
    expect(existsSync(join(ports.cwd, '.claude', 'settings.local.json'))).toBe(true)
    applyUninstall(planUninstall(setup, ports, { scope: 'local' }), ports)
    expect(readdirSync(ports.cwd)).toEqual([])
  })
})

describe('settings files', () => {
  test('CLAUDE_CONFIG_DIR is respected, and Claude Code is found by it', () => {
    expect(setup.isPresent(ports)).toBe(false)
    const folder = join(root, 'elsewhere')
    mkdirSync(folder)
    const moved = { ...ports, env: { ...ports.env, CLAUDE_CONFIG_DIR: folder } }
    expect(setup.edits(moved, 'user', undefined)[0]?.path).toBe(join(folder, 'settings.json'))
    expect(setup.isPresent(moved)).toBe(true)
  })

  test.skipIf(process.platform === 'win32')('who else can read a file depends on every folder above it', () => {
    writeSettings('{}')
    chmodSync(root, 0o755)
    chmodSync(join(root, '.claude'), 0o755)
    chmodSync(settings, 0o644)
    expect(isReadableByOthers(settings)).toBe(true)
    chmodSync(join(root, '.claude'), 0o700)
    expect(isReadableByOthers(settings)).toBe(false)
    chmodSync(join(root, '.claude'), 0o755)
    chmodSync(settings, 0o600)
    expect(isReadableByOthers(settings)).toBe(false)
    // One that we make is for its user alone.
    rmSync(settings)
    expect(isReadableByOthers(settings)).toBe(false)
  })

  test('a folder in the way of a settings file is refused', () => {
    mkdirSync(settings, { recursive: true })
    expect(() => readSettingsFile(settings)).toThrow(expect.objectContaining({ code: 'settings-unreadable' }))
  })

  test.each([
    ['a file in the place of its folder', () => writeFileSync(join(root, '.claude'), '')],
    ['links that lead in a circle', () => symlinkSync(join(root, '.claude'), join(root, '.claude'))],
  ])('%s is refused by name, with the way out', (_, make) => {
    make()
    expect(() => planInstall(setup, ports, user)).toThrow(
      expect.objectContaining({ code: 'settings-unreadable', message: expect.stringContaining(settings) }),
    )
  })

  test('no temporary file is left beside what was written', () => {
    writeSettings('{}')
    replaceSettingsFile(readSettingsFile(settings), '{"a":1}')
    expect(readdirSync(join(root, '.claude'))).toEqual(['settings.json'])
  })
})
