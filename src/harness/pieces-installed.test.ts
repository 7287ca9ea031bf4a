import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resolveHome } from '../platform/base/home.ts'
import { setup } from './claude-code/setup.ts'
import { inspect, needsInit } from '../install/inspect.ts'
import { findInstallation } from '../install/installation.ts'
import { applyInstall, applyUninstall } from '../install/installer.ts'
import { readManifest } from '../install/manifest.ts'
import { bootstrapEdit, snippetEdit } from '../install/edits/snippet.ts'
import { type InstallOptions, planInstall } from '../install/plan-install.ts'
import { planUninstall } from '../install/plan-uninstall.ts'
import type { HarnessSetup, SetupPorts } from '../install/contract/setup.ts'

let root: string
let ports: SetupPorts
let settings: string
let state: string
let rules: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-pieces-'))
  const env = { HOME: join(root, 'home'), PATH: '' }
  mkdirSync(join(env.HOME, '.claude'), { recursive: true })
  mkdirSync(join(root, 'project'))
  ports = {
    env,
    cwd: join(root, 'project'),
    home: resolveHome({ HOLDFAST_HOME: join(root, 'holdfast') }),
    distDir: '/opt/holdfast/dist',
    skillsDir: join(import.meta.dirname, '..', '..', 'skills'),
    platform: 'linux',
    nodePath: '/usr/bin/node',
  }
  settings = join(env.HOME, '.claude', 'settings.json')
  state = join(env.HOME, '.claude.json')
  rules = join(env.HOME, '.claude', 'CLAUDE.md')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const text = (path: string) => readFileSync(path, 'utf8')
const EVERYTHING = { skills: true, commands: true, snippet: true, bootstrap: true }
const plan = (wants: InstallOptions['wants'] = EVERYTHING, of: HarnessSetup = setup) =>
  planInstall(of, ports, { scope: 'user', fixPort: false, wants })
const install = (wants: InstallOptions['wants'] = EVERYTHING, of: HarnessSetup = setup) =>
  applyInstall(plan(wants, of), ports)
const uninstall = (of: HarnessSetup = setup) => applyUninstall(planUninstall(of, ports, { scope: 'user' }), ports)
const skill = (name: string) => join(dirname(settings), 'skills', name, 'SKILL.md')

function states(): Readonly<Record<string, string>> {
  const record = findInstallation(setup, ports, 'user')
  const reports = inspect(setup, ports, { scope: 'user', record })
  return Object.fromEntries(reports.map(({ id, state: how }) => [id.split('/').slice(0, 2).join('/'), how]))
}

const ALL_SKILLS = ['checkpoint', 'recall', 'remember', 'sesh-briefing', 'sesh-done', 'sesh-intent', 'sesh-save']
const every = (how: string) => Object.fromEntries(ALL_SKILLS.map((name) => [`skills/${name}`, how]))

describe('the pieces of Claude Code', () => {
  test('its MCP server is loaded on demand, and knows the home that is not the usual one', () => {
    ports = { ...ports, env: { ...ports.env, HOLDFAST_HOME: ports.home.root } }
    writeFileSync(state, '{"numStartups":1}')
    install()
    expect(JSON.parse(text(state))).toEqual({
      numStartups: 1,
      mcpServers: {
        holdfast: {
          type: 'stdio',
          command: '/usr/bin/node',
          args: ['/opt/holdfast/bin/holdfast', 'mcp'],
          env: { HOLDFAST_HOME: ports.home.root },
        },
      },
    })
    expect(readdirSync(dirname(state)).filter((name) => name.endsWith('.lock'))).toEqual([])
  })

  test('each scope has its own places, and a project only one for skills', () => {
    const places = (scope: 'user' | 'project' | 'local') =>
      setup.edits(ports, scope, undefined).map(({ id, path }) => [id, path.slice(root.length + 1)])
    expect(places('project').slice(0, 4)).toEqual([
      ['hooks', 'project/.claude/settings.json'],
      ['mcp', 'project/.mcp.json'],
      ['snippet', 'project/CLAUDE.md'],
      ['skills/checkpoint/SKILL.md', 'project/.claude/skills/checkpoint/SKILL.md'],
    ])
    expect(places('local')).toEqual([
      ['hooks', 'project/.claude/settings.local.json'],
      ['mcp', 'home/.claude.json'],
      ['snippet', 'project/CLAUDE.local.md'],
    ])
  })

  test('two projects with a local connection each keep their own entry in the one file of the client', () => {
    const other = { ...ports, cwd: join(root, 'other') }
    const connect = (there: SetupPorts) =>
      applyInstall(planInstall(setup, there, { scope: 'local', fixPort: false }), there)
    writeFileSync(state, '{}')
    connect(ports)
    connect(other)
    applyUninstall(planUninstall(setup, other, { scope: 'local' }), other)
    expect(Object.keys(JSON.parse(text(state)).projects)).toEqual([ports.cwd])
    applyUninstall(planUninstall(setup, ports, { scope: 'local' }), ports)
    expect(text(state)).toBe('{}')
  })

  test('an old name of the state file counts only where the new one is not there', () => {
    const old = join(dirname(settings), '.config.json')
    writeFileSync(old, '{"numStartups":1}')
    expect(setup.edits(ports, 'user', undefined)[1]?.path).toBe(old)
    writeFileSync(state, '{}')
    expect(setup.edits(ports, 'user', undefined)[1]?.path).toBe(state)
  })
})

describe('what a user does not want', () => {
  test('is not written, is remembered, goes when it was there, and comes back when asked for', () => {
    install({ skills: true, mcp: false })
    expect([existsSync(rules), existsSync(state)]).toEqual([false, false])
    expect(states()).toEqual({
      hooks: 'installed',
      mcp: 'left-out',
      snippet: 'left-out',
      bootstrap: 'left-out',
      ...every('installed'),
    })
    install({})
    expect([existsSync(rules), existsSync(skill('recall'))]).toEqual([false, true])
    install({ snippet: true, skills: false })
    expect([existsSync(rules), existsSync(skill('recall')), existsSync(state)]).toEqual([true, false, false])
    expect(existsSync(join(dirname(settings), 'skills'))).toBe(false)
    uninstall()
    expect(readdirSync(dirname(settings))).toEqual([])
  })
})

describe('the bootstrap lines', () => {
  const THEIRS = '<!-- session-continuity-bootstrap -->\nAppend it.\n<!-- /session-continuity-bootstrap -->\n'

  test('are never written unasked, also not over an installation from before there were any', () => {
    install({ mcp: true, skills: true, snippet: true })
    const [record] = readManifest(ports.home)
    if (record === undefined) throw new Error('unreachable')
    const before = { ...record, leftOut: record.leftOut.filter((kind) => kind !== 'bootstrap') }
    writeFileSync(ports.home.manifestFile, JSON.stringify({ format: 1, installations: [before] }))
    expect(states()).toMatchObject({ bootstrap: 'left-out', snippet: 'installed' })
    install({})
    expect(text(rules)).not.toContain('session-continuity-bootstrap')
    install({ bootstrap: true })
    install({})
    expect(text(rules)).toContain('<!-- session-continuity-bootstrap -->')
    install({ bootstrap: false })
    expect(text(rules)).not.toContain('session-continuity-bootstrap')
  })

  test('are not doubled where session-continuity-mcp wrote its own, which is reported only to who asked for ours', () => {
    writeFileSync(rules, `# Rules\n\n${THEIRS}`)
    install({ snippet: false })
    expect(states()).toMatchObject({ bootstrap: 'left-out' })
    expect(plan({ bootstrap: true }).notices).toEqual([
      {
        kind: 'bootstrap',
        path: rules,
        why: 'has a block `session-continuity-bootstrap` of another program, so that of Holdfast was not added',
      },
    ])
    install({ bootstrap: true })
    expect(states()).toMatchObject({ bootstrap: 'not-ours' })
    expect(text(rules)).toBe(`# Rules\n\n${THEIRS}`)
    uninstall()
    expect(text(rules)).toBe(`# Rules\n\n${THEIRS}`)
  })
})

describe("what is the user's own", () => {
  test('an entry of theirs in our place stays, is said, and the rest is installed', () => {
    const own = '{"mcpServers":{"holdfast":{"command":"holdfast","args":["mcp"]}}}'
    writeFileSync(state, own)
    expect(plan().notices).toEqual([
      {
        kind: 'mcp',
        path: state,
        why: 'has an entry of its own at `mcpServers.holdfast`, so that of Holdfast was not added',
      },
    ])
    install()
    expect(text(state)).toBe(own)
    expect(states()).toMatchObject({ hooks: 'installed', mcp: 'not-ours', snippet: 'installed' })
    uninstall()
    expect(text(state)).toBe(own)
  })

  test('our lines with changes of theirs stay through install and uninstall, and both say so', () => {
    const wants = { ...EVERYTHING, bootstrap: false }
    writeFileSync(rules, '# Rules\n')
    install(wants)
    const changed = text(rules).replace('**Start**', '**At the start, if I ask**')
    writeFileSync(rules, changed)
    expect(plan(wants).notices.map(({ path }) => path)).toEqual([rules])
    expect(states()).toMatchObject({ snippet: 'altered' })
    install(wants)
    expect(text(rules)).toBe(changed)
    expect(planUninstall(setup, ports, { scope: 'user' }).notices.map(({ path }) => path)).toEqual([rules])
    uninstall()
    expect(text(rules)).toBe(changed)
  })

  test('what they deleted is reported as gone, and comes back with the next init', () => {
    install()
    rmSync(skill('recall'))
    writeFileSync(state, '{}')
    expect(states()).toMatchObject({ 'skills/recall': 'missing', 'skills/remember': 'installed', mcp: 'missing' })
    install()
    expect(states()).toMatchObject({ 'skills/recall': 'installed', mcp: 'installed' })
  })
})

describe('a newer version', () => {
  /** As 0.1.0 wrote it before there was anything but hooks. */
  function connectedByTheFirst(): void {
    install({ mcp: false, skills: false, snippet: false })
    const [record] = readManifest(ports.home)
    const [file] = record?.files ?? []
    if (record === undefined || file === undefined) throw new Error('unreachable')
    const { piece: _piece, shape: _shape, entriesHash: _hash, ...known } = file
    const { leftOut: _leftOut, ...rest } = record
    const first = { ...rest, version: '0.0.9', files: [{ ...known, role: 'settings' }] }
    writeFileSync(ports.home.manifestFile, JSON.stringify({ format: 1, installations: [first] }))
  }

  test('says what the one that connected did not have, adds it, and an uninstall gives back the first bytes', () => {
    writeFileSync(settings, '{\n  "theme": "dark"\n}\n')
    connectedByTheFirst()
    expect(states()).toEqual({
      hooks: 'installed',
      mcp: 'not-installed',
      snippet: 'not-installed',
      bootstrap: 'left-out',
      ...every('not-installed'),
    })
    const record = findInstallation(setup, ports, 'user')
    expect(needsInit(inspect(setup, ports, { scope: 'user', record }))).toBe(true)
    install()
    expect(new Set(Object.values(states()))).toEqual(new Set(['installed']))
    uninstall()
    expect(text(settings)).toBe('{\n  "theme": "dark"\n}\n')
    expect([existsSync(rules), existsSync(state), readdirSync(dirname(settings))]).toEqual([
      false,
      false,
      ['settings.json'],
    ])
  })

  test('replaces its own skills and lines, and drops those it no longer has', () => {
    const older = join(root, 'older-skills')
    for (const name of ['recall', 'retired']) {
      mkdirSync(join(older, name), { recursive: true })
      writeFileSync(join(older, name, 'SKILL.md'), `old ${name}`)
    }
    writeFileSync(
      join(older, 'snippet.md'),
      '<!-- holdfast:session-continuity -->\nOld.\n<!-- /holdfast:session-continuity -->\n',
    )
    const bootstrap = ['<!-- session-continuity-bootstrap -->', '<!-- /session-continuity-bootstrap -->']
    writeFileSync(join(older, 'bootstrap.md'), `${bootstrap.join('\n(Holdfast) Older.\n')}\n`)
    writeFileSync(rules, '# Rules\n')
    const newer = ports
    ports = { ...ports, skillsDir: older, distDir: '/opt/older/dist' }
    install()
    ports = newer
    expect(states()).toMatchObject({
      hooks: 'outdated',
      mcp: 'outdated',
      snippet: 'outdated',
      bootstrap: 'outdated',
      'skills/recall': 'outdated',
      'skills/remember': 'not-installed',
    })
    install()
    expect(new Set(Object.values(states()))).toEqual(new Set(['installed']))
    expect(text(rules)).not.toMatch(/Old/)
    expect(existsSync(dirname(skill('retired')))).toBe(false)
    uninstall()
    expect(text(rules)).toBe('# Rules\n')
  })
})

test('a write that fails in the middle gives back what was written before it', () => {
  writeFileSync(settings, '{}')
  const planned = plan()
  writeFileSync(rules, 'somebody was faster')
  expect(() => applyInstall(planned, ports)).toThrow(expect.objectContaining({ code: 'conflict' }))
  expect([text(settings), existsSync(state), text(rules)]).toEqual(['{}', false, 'somebody was faster'])
  expect(readdirSync(dirname(settings)).sort()).toEqual(['CLAUDE.md', 'settings.json'])
  expect(readManifest(ports.home)).toEqual([])
})

test('lines that two harnesses read are written once, and go with the last of them', () => {
  const another: HarnessSetup = {
    ...setup,
    id: 'another',
    name: 'Another',
    edits: (there) => [
      snippetEdit({ path: rules, ports: there }),
      bootstrapEdit({ path: rules, ports: there, harness: setup.id, projectFile: 'CLAUDE.md' }),
    ],
  }
  writeFileSync(rules, '# Rules\n')
  install()
  const once = text(rules)
  install(EVERYTHING, another)
  expect(text(rules)).toBe(once)
  uninstall()
  expect(text(rules)).toBe(once)
  uninstall(another)
  expect(text(rules)).toBe('# Rules\n')
  expect(readManifest(ports.home)).toEqual([])
})

test('when the manifest is lost, everything that is plainly ours is found and taken out', () => {
  writeFileSync(rules, '# Rules\n')
  writeFileSync(state, '{"numStartups":1}')
  install()
  rmSync(ports.home.manifestFile)
  uninstall()
  expect([text(rules), text(state)]).toEqual(['# Rules\n\n\n', '{"numStartups":1}'])
  expect(existsSync(skill('recall'))).toBe(false)
})

test('folders that are links are written through, and found again', () => {
  const dotfiles = join(root, 'dotfiles')
  mkdirSync(dotfiles)
  rmSync(dirname(settings), { recursive: true })
  symlinkSync(dotfiles, dirname(settings))
  install()
  expect(readdirSync(dotfiles).sort()).toEqual(['CLAUDE.md', 'settings.json', 'skills'])
  expect(plan().changes).toEqual([])
  uninstall()
  expect(readdirSync(dotfiles)).toEqual([])
})
