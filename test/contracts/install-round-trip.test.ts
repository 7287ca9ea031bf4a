import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyInstall, applyUninstall, proveUninstalled } from '../../src/install/installer.ts'
import { inspect } from '../../src/install/inspect.ts'
import { findInstallation } from '../../src/install/installation.ts'
import { parseDescriptor } from '../../src/harness/descriptor/descriptor.ts'
import { readManifest } from '../../src/install/manifest.ts'
import { planInstall } from '../../src/install/plan-install.ts'
import { planUninstall } from '../../src/install/plan-uninstall.ts'
import type { HarnessSetup, Scope, SetupPorts } from '../../src/install/contract/setup.ts'
import { loadSetups } from '../../src/harness/registry.ts'
import { resolveHome } from '../../src/platform/base/home.ts'
import { editsFor, examplesFor, kindOf } from '../support/settings-examples.ts'

const RUNS = { numRuns: 15, seed: 20_261_115 }
const PACKAGE = join(import.meta.dirname, '..', '..')

const EXAMPLE: unknown = JSON.parse(
  /```json\n([\s\S]*?)```/.exec(readFileSync(join(PACKAGE, 'docs', 'generic-harness.md'), 'utf8'))?.[1] ?? '',
)
/** For the one that takes a page: the page that its documentation shows. */
const TYPIST = parseDescriptor(EXAMPLE, 'docs/generic-harness.md')

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-round-trip-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

let worlds = 0

/** A home and a project of their own, with nothing in them. */
function createSetup(): SetupPorts {
  worlds += 1
  const base = join(root, `w${worlds}`)
  const env = { HOME: join(base, 'home'), PATH: '' }
  mkdirSync(env.HOME, { recursive: true })
  mkdirSync(join(base, 'project'))
  return {
    env,
    cwd: join(base, 'project'),
    home: resolveHome({ HOLDFAST_HOME: join(base, 'holdfast') }),
    distDir: join(PACKAGE, 'dist'),
    skillsDir: join(PACKAGE, 'skills'),
    platform: 'linux',
    nodePath: '/usr/bin/node',
    descriptor: TYPIST,
  }
}

function treeOf(world: SetupPorts): Readonly<Record<string, string>> {
  const base = dirname(world.cwd)
  const entries = readdirSync(base, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(({ path }) => !path.startsWith(world.home.root))
  return Object.fromEntries(
    entries.map(({ entry, path }) => [
      path.slice(base.length + 1),
      entry.isFile() ? `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, 'utf8')}` : 'folder',
    ]),
  )
}

interface Original {
  readonly path: string
  readonly text: string
}

function sharedPaths(setup: HarnessSetup, scope: Scope, world: SetupPorts): readonly string[] {
  const pieces = setup.edits(world, scope, undefined)
  return [...new Set(pieces.flatMap((piece) => (piece.shape === 'entry' ? [piece.path] : [])))]
}

/** A number for each shared file: which example stands in it before; none where it is one past the last. */
function originalsFor(setup: HarnessSetup, scope: Scope, world: SetupPorts, choices: readonly number[]): Original[] {
  return sharedPaths(setup, scope, world).flatMap((path, index) => {
    const examples = examplesFor(path)
    const text = examples[(choices[index] ?? 0) % (examples.length + 1)]
    return text === undefined ? [] : [{ path, text }]
  })
}

function put({ path, text }: Original): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const EVERYTHING = { skills: true, commands: true, snippet: true, bootstrap: true }
const install = (setup: HarnessSetup, world: SetupPorts, scope: Scope) =>
  applyInstall(planInstall(setup, world, { scope, fixPort: false, wants: EVERYTHING }), world)

function uninstall(setup: HarnessSetup, world: SetupPorts, scope: Scope) {
  const plan = planUninstall(setup, world, { scope })
  applyUninstall(plan, world)
  return proveUninstalled(plan)
}

const choices = fc.array(fc.nat(60), { minLength: 6, maxLength: 6 })
const setups = await loadSetups()
const cases = setups.flatMap((setup) => setup.scopes.map((scope) => ({ id: setup.id, setup, scope })))

describe.each(cases)('$id, scope $scope', ({ setup, scope }) => {
  test('whatever was there, an uninstall gives back every byte, mode and folder', () => {
    fc.assert(
      fc.property(choices, (chosen) => {
        const world = createSetup()
        for (const original of originalsFor(setup, scope, world, chosen)) put(original)
        const before = treeOf(world)
        install(setup, world, scope)
        expect(treeOf(world)).not.toEqual(before)
        for (const { outcome } of uninstall(setup, world, scope)) expect(['restored', 'gone']).toContain(outcome)
        expect(treeOf(world)).toEqual(before)
        expect(readManifest(world.home)).toEqual([])
      }),
      RUNS,
    )
  })

  test('what a user edits in between is there afterwards, and nothing else differs', () => {
    fc.assert(
      fc.property(choices, choices, (chosen, edits) => {
        const world = createSetup()
        const originals = originalsFor(setup, scope, world, chosen).filter(({ text }) => text !== '')
        for (const original of originals) put(original)
        const edited = originals.map(({ path, text }, index) => {
          const known = editsFor[kindOf(path)] ?? []
          return { path, text, edit: known[(edits[index] ?? 0) % known.length] ?? ((same: string) => same) }
        })
        install(setup, world, scope)
        for (const { path, edit } of edited) writeFileSync(path, edit(readFileSync(path, 'utf8')))
        uninstall(setup, world, scope)
        for (const { path, text, edit } of edited) expect(readFileSync(path, 'utf8')).toBe(edit(text))
      }),
      RUNS,
    )
  })

  test('installing again changes nothing, and every piece is reported as installed', () => {
    const world = createSetup()
    for (const original of originalsFor(setup, scope, world, [3, 3, 3, 3, 3, 3])) put(original)
    install(setup, world, scope)
    const first = treeOf(world)
    expect(planInstall(setup, world, { scope, fixPort: false, wants: EVERYTHING }).changes).toEqual([])
    install(setup, world, scope)
    expect(treeOf(world)).toEqual(first)
    const record = findInstallation(setup, world, scope)
    const states = inspect(setup, world, { scope, record }).map(({ id, state }) => [id, state])
    expect(states.filter(([, state]) => state !== 'installed')).toEqual([])
  })

  test('whole files that a user changed or had before stay, and the plans say so', () => {
    const world = createSetup()
    const files = setup.edits(world, scope, undefined).filter((piece) => piece.shape === 'file')
    const [had, changed] = files
    if (had === undefined) return
    put({ path: had.path, text: 'somebody else’s' })
    const plan = planInstall(setup, world, { scope, fixPort: false, wants: EVERYTHING })
    expect(plan.notices.map(({ path }) => path)).toEqual([had.path])
    applyInstall(plan, world)
    if (changed !== undefined) writeFileSync(changed.path, `${changed.content}\nand mine\n`)
    expect(planUninstall(setup, world, { scope }).notices.map(({ path }) => path)).toEqual(
      changed === undefined ? [] : [changed.path],
    )
    uninstall(setup, world, scope)
    expect(readFileSync(had.path, 'utf8')).toBe('somebody else’s')
    if (changed !== undefined) expect(readFileSync(changed.path, 'utf8')).toBe(`${changed.content}\nand mine\n`)
    for (const { path } of files.slice(2)) expect(existsSync(path)).toBe(false)
  })
})

test('a control: bytes left behind are seen', () => {
  const world = createSetup()
  const [setup] = setups
  if (setup === undefined) throw new Error('There is no harness.')
  const before = treeOf(world)
  install(setup, world, 'user')
  applyUninstall({ ...planUninstall(setup, world, { scope: 'user' }), changes: [] }, world)
  expect(treeOf(world)).not.toEqual(before)
})
