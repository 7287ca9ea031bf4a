import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolveHome } from '../platform/base/home.ts'
import { findInstallation } from '../install/installation.ts'
import { applyInstall, applyUninstall, proveUninstalled } from '../install/installer.ts'
import { type Installation, readManifest } from '../install/manifest.ts'
import { planInstall } from '../install/plan-install.ts'
import { planUninstall } from '../install/plan-uninstall.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../install/contract/setup.ts'
import { loadSetups } from './registry.ts'

const http = { port: 41_999, token: 'hook-token' }

const setups = await loadSetups()

function getSetup(id: string): HarnessSetup {
  const setup = setups.find((known) => known.id === id)
  if (setup === undefined) throw new Error(`There is no harness ${id}.`)
  return setup
}

interface Where {
  readonly setup: HarnessSetup
  readonly scope: Scope
  readonly project: string
}

const places: ReadonlyMap<string, Where> = new Map(
  setups
    .filter((setup) => setup.takesDescriptor !== true)
    .flatMap((setup: HarnessSetup) =>
      setup.scopes.flatMap((scope) =>
        (scope === 'user' ? ['a'] : ['a', 'b']).map((project): [string, Where] => [
          `${setup.id} ${scope} ${project}`,
          { setup, scope, project },
        ]),
      ),
    ),
)

function placeOf(name: string): Where {
  const where = places.get(name)
  if (where === undefined) throw new Error(`There is no place ${name}.`)
  return where
}

const theirs: Readonly<Record<string, string>> = {
  'home/.claude.json': '{"numStartups":3}',
  'home/.claude/CLAUDE.md': '# Mine',
  'home/.codex/config.toml': 'model = "x"\n',
  'home/.holdfast/config.json': '{\n  "continuity": { "promptInterval": 5 }\n}\n',
  'a/AGENTS.md': 'Be terse.\r\n',
  'a/.mcp.json': '{}',
  'a/.claude/settings.json': '{\n\t"model": "opus"\n}',
}

function below(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? [`${path}/`, ...below(path)] : [`${path}: ${readFileSync(path, 'utf8')}`]
  })
}

/** Files and folders with what they hold, besides what the home keeps of its own. */
function everything(root: string): readonly string[] {
  return below(root)
    .filter((line) => !line.startsWith(join(root, 'home', '.holdfast', 'install')))
    .toSorted()
}

function inTemporaryFolder(files: readonly string[], use: (root: string) => void): void {
  const root = mkdtempSync(join(tmpdir(), 'hf-many-'))
  try {
    for (const folder of ['home/.holdfast', 'a', 'b']) mkdirSync(join(root, folder), { recursive: true, mode: 0o700 })
    for (const file of files) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), theirs[file] ?? '')
    }
    use(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function portsIn(root: string, project: string): SetupPorts {
  const env = { HOME: join(root, 'home'), PATH: '' }
  return {
    env,
    cwd: join(root, project),
    home: resolveHome(env),
    distDir: '/opt/holdfast/dist',
    skillsDir: join(import.meta.dirname, '..', '..', 'skills'),
    platform: 'linux',
    nodePath: '/usr/bin/node',
  }
}

function install(root: string, { setup, scope, project }: Where): void {
  const ports = portsIn(root, project)
  const isFixed = existsSync(ports.home.configFile) && readFileSync(ports.home.configFile, 'utf8').includes('"port"')
  const wiring = setup.usesHttp ? { http, fixPort: !isFixed } : { fixPort: false }
  // Skills are many files of one kind: the project's own are enough of them.
  const wants = { skills: scope === 'project', commands: scope === 'project', snippet: true, bootstrap: true }
  applyInstall(planInstall(setup, ports, { scope, ...wiring, wants }), ports)
}

function toggle(root: string, where: Where): void {
  const { setup, scope, project } = where
  const record = findInstallation(setup, portsIn(root, project), scope)
  if (record === undefined) install(root, where)
  else uninstall(root, record)
}

function uninstall(root: string, record: Installation) {
  // From another project: what was installed knows where it is.
  const ports = portsIn(root, 'b')
  const plan = planUninstall(getSetup(record.harness), ports, { scope: record.scope, record })
  applyUninstall(plan, ports)
  return proveUninstalled(plan)
}

/** Each name once more changes its mind: what is connected goes, what is not is connected. */
const turns = fc.array(fc.constantFrom(...places.keys()), { minLength: 1, maxLength: 7 })

test('however many installations share files and folders, taking all of them out leaves every byte as it was', () => {
  fc.assert(
    fc.property(turns, fc.subarray(Object.keys(theirs)), fc.boolean(), (names, files, isReversed) => {
      inTemporaryFolder(files, (root) => {
        const before = everything(root)
        for (const name of names) toggle(root, placeOf(name))
        const { home } = portsIn(root, 'a')
        // As a command's list of them is when it begins: one uninstall may rewrite the record of another.
        const records = readManifest(home)
        for (const record of isReversed ? records.toReversed() : records) uninstall(root, record)
        expect({ left: readManifest(home), files: everything(root) }).toEqual({ left: [], files: before })
      })
    }),
    { numRuns: 25 },
  )
})

test('the last of two to leave a file that was restored is believed to have restored it', () => {
  inTemporaryFolder(['home/.claude.json'], (root) => {
    install(root, placeOf('claude-code local a'))
    install(root, placeOf('claude-code user a'))
    const [local, user] = readManifest(portsIn(root, 'a').home)
    if (local !== undefined) uninstall(root, local)
    const proof = user === undefined ? [] : uninstall(root, user)
    const state = join(root, 'home', '.claude.json')
    expect(proof.find(({ path }) => path === state)).toEqual({ path: state, outcome: 'restored' })
  })
})

test('the port that the first of two fixed stays while the other calls it, and goes with that one', () => {
  inTemporaryFolder([], (root) => {
    const { home } = portsIn(root, 'a')
    install(root, placeOf('claude-code user a'))
    install(root, placeOf('claude-code local a'))
    const [user, local] = readManifest(home)
    if (user !== undefined) uninstall(root, user)
    expect(JSON.parse(readFileSync(home.configFile, 'utf8'))).toEqual({ daemon: { port: http.port } })
    if (local !== undefined) uninstall(root, local)
    expect(existsSync(home.configFile)).toBe(false)
  })
})

test('lines that two harnesses read are known to both in the version that one of them brought', () => {
  inTemporaryFolder(['a/AGENTS.md'], (root) => {
    const before = everything(root)
    install(root, placeOf('codex project a'))
    install(root, placeOf('opencode project a'))
    const next = join(root, 'b', 'skills')
    cpSync(portsIn(root, 'a').skillsDir, next, { recursive: true })
    const snippet = join(next, 'snippet.md')
    writeFileSync(snippet, readFileSync(snippet, 'utf8').replace('## ', '## The new '))
    const ports = { ...portsIn(root, 'a'), skillsDir: next }
    const wants = { skills: true, commands: true }
    applyInstall(planInstall(getSetup('codex'), ports, { scope: 'project', fixPort: false, wants }), ports)
    expect(readFileSync(join(root, 'a', 'AGENTS.md'), 'utf8')).toContain('## The new ')
    rmSync(next, { recursive: true })
    // The one that brought it goes first.
    for (const record of readManifest(ports.home).toReversed()) {
      const plan = planUninstall(getSetup(record.harness), portsIn(root, 'a'), { scope: 'project', record })
      expect(plan.notices).toEqual([])
      applyUninstall(plan, portsIn(root, 'a'))
    }
    expect(everything(root)).toEqual(before)
  })
})

test('a control: an installation that stays is seen', () => {
  inTemporaryFolder([], (root) => {
    const before = everything(root)
    install(root, placeOf('codex project a'))
    expect(everything(root)).not.toEqual(before)
  })
})
