import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readManifest } from '../../install/manifest.ts'
import { getSetup } from '../../harness/registry.ts'
import { createContext } from '../context.ts'
import { checkHarness, type DoctorContinuity } from '../doctor/harness.ts'
import { runCli } from '../run.ts'
import { createSetupPorts } from '../setup/setup-ports.ts'

const repository = join(import.meta.dirname, '..', '..', '..')
const entry = process.argv[1]
let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hf-several-')))
  // The command line finds the rest of its package beside this; one without a build runs no hook in a test.
  mkdirSync(join(root, 'package', 'bin'), { recursive: true })
  process.argv[1] = join(root, 'package', 'bin', 'holdfast')
  writeFileSync(process.argv[1], '')
  mkdirSync(join(root, 'package', 'dist'))
  writeFileSync(join(root, 'package', 'dist', 'launcher.sh'), '')
  symlinkSync(join(repository, 'skills'), join(root, 'package', 'skills'))
})
afterEach(() => {
  process.argv[1] = entry ?? ''
  rmSync(root, { recursive: true, force: true })
})

function environment(cwd = root) {
  const told = { out: '', err: '' }
  const io = {
    out: (text: string) => void (told.out += text),
    err: (text: string) => void (told.err += text),
    stdin: process.stdin,
    isInteractive: false,
    hasColor: false,
  }
  return { told, given: { env: { HOME: root, PATH: '' }, cwd, io } }
}

async function holdfastIn(cwd: string, ...words: readonly string[]) {
  const { told, given } = environment(cwd)
  const exitCode = await runCli(words, given)
  return { exitCode, ...told }
}

const holdfast = (...words: readonly string[]) => holdfastIn(root, ...words)

test('of several harnesses, one whose settings cannot be edited does not keep the others connected', async () => {
  const settings = join(root, '.claude', 'settings.json')
  expect(await holdfast('init', '--harness', 'claude-code', '--harness', 'codex', '--yes')).toMatchObject({
    exitCode: 0,
  })
  writeFileSync(settings, '{ broken')
  const { exitCode, out, err } = await holdfast('uninstall', '--all', '--yes', '--json')
  expect({ exitCode, err }).toEqual({
    exitCode: 1,
    err: expect.stringMatching(/^Claude Code is still connected: .*settings\.json is not a JSON object/),
  })
  expect(JSON.parse(out)).toMatchObject({
    harnesses: [
      { harness: 'claude-code', isChanged: false, error: { code: 'settings-unreadable' } },
      { harness: 'codex', isChanged: true },
    ],
  })
  const { home } = createContext(environment().given)
  expect(readManifest(home).map(({ harness }) => harness)).toEqual(['claude-code'])
  expect(readdirSync(root)).not.toContain('.codex')
})

test('of two pages, doctor says of each what its own harness told', async () => {
  const guide = readFileSync(join(repository, 'docs', 'generic-harness.md'), 'utf8')
  const typist = /```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
  for (const page of [typist, typist.replaceAll('typist', 'scribe').replace('Typist', 'Scribe')]) {
    writeFileSync(join(root, 'page.json'), page)
    expect(await holdfast('init', '--config', 'page.json', '--yes')).toMatchObject({ exitCode: 0 })
  }
  const hook = 'typist.session-started.Boot'
  const continuity: DoctorContinuity = {
    sightings: async () => [{ harness: 'generic', harnessVersion: 'unknown', hook, count: 3, lastSeenAt: '' }],
    listSessions: async () => [],
    explain: () => Promise.reject(new Error('There is no session to ask about.')),
  }
  const context = createContext(environment().given)
  const ports = createSetupPorts(context)
  const seen = []
  for (const record of readManifest(context.home)) {
    const checks = await checkHarness(context, { setup: await getSetup('generic'), ports, record, continuity })
    seen.push(...checks.filter(({ subject }) => subject.endsWith('events')))
  }
  expect(seen).toEqual([
    { subject: 'generic typist events', verdict: 'ok', detail: `version unknown: ${hook} 3` },
    {
      subject: 'generic scribe events',
      verdict: 'warn',
      detail: 'none seen yet',
      advice: 'Start a session of Scribe, then run this again.',
    },
  ])
})

/** Every file below a folder with its text. */
function treeOf(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    paths.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')]
    }),
  )
}

describe('uninstall --project', () => {
  const MINE = '{\n  // mine\n  "model": "opus"\n}\n'
  let shop: string
  let blog: string
  beforeEach(async () => {
    shop = join(root, 'shop')
    blog = join(root, 'blog')
    for (const project of [shop, blog]) {
      mkdirSync(join(project, '.claude'), { recursive: true })
      writeFileSync(join(project, '.claude', 'settings.json'), MINE)
      for (const harness of ['claude-code', 'codex'])
        await holdfastIn(project, 'init', '--harness', harness, '--scope', 'project', '--yes')
    }
    await holdfast('init', '--harness', 'claude-code', '--yes')
  })
  const known = () =>
    readManifest(createContext(environment().given).home).map(({ harness, scope, cwd }) => [harness, scope, cwd])

  test('takes one project out, every harness of it, byte for byte, and leaves the others and the user alone', async () => {
    const others = { blog: treeOf(blog), user: treeOf(join(root, '.claude')) }
    const { exitCode, out, err } = await holdfast('uninstall', '--project', 'shop', '--yes', '--verify', '--json')
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
    expect(JSON.parse(out)).toMatchObject({
      harnesses: [
        { harness: 'claude-code', scope: 'project', cwd: shop, isChanged: true },
        { harness: 'codex', scope: 'project', cwd: shop, isChanged: true },
      ],
    })
    expect(treeOf(shop)).toEqual({ '.claude/settings.json': MINE })
    expect(readdirSync(shop)).toEqual(['.claude'])
    expect({ blog: treeOf(blog), user: treeOf(join(root, '.claude')) }).toEqual(others)
    expect(known()).toEqual([
      ['claude-code', 'project', blog],
      ['codex', 'project', blog],
      ['claude-code', 'user', undefined],
    ])
  })

  test('without a folder means the one here, through a link too, and a dry run writes nothing', async () => {
    const before = treeOf(shop)
    symlinkSync(shop, join(root, 'link'))
    const dry = await holdfastIn(shop, 'uninstall', '--project', '--harness', 'codex', '--dry-run')
    expect({ exitCode: dry.exitCode, isOther: dry.out.includes(blog) }).toEqual({ exitCode: 0, isOther: false })
    expect(dry.out).toContain(join(shop, '.codex', 'hooks.json'))
    expect(treeOf(shop)).toEqual(before)
    expect(await holdfast('uninstall', '--project', 'link', '--harness', 'codex', '--yes')).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining(`Codex CLI in ${shop} is disconnected`),
    })
    expect(known()).not.toContainEqual(['codex', 'project', shop])
    expect(known()).toContainEqual(['claude-code', 'project', shop])
  })

  test('forgets what was connected in a folder that is gone', async () => {
    rmSync(shop, { recursive: true })
    expect(await holdfast('uninstall', '--project', shop, '--yes')).toMatchObject({ exitCode: 0, err: '' })
    expect(known()).toEqual([
      ['claude-code', 'project', blog],
      ['codex', 'project', blog],
      ['claude-code', 'user', undefined],
    ])
  })

  test('says what is connected where, in a folder where nothing is, and refuses the scope that is about no project', async () => {
    expect(await holdfast('uninstall', '--project', 'elsewhere', '--yes')).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(
        /Nothing is connected in .*elsewhere\.\nConnected: claude-code \(project, .*shop\); .*claude-code \(user\)\./,
      ),
    })
    expect(await holdfast('uninstall', '--project', '--scope', 'user', '--yes')).toMatchObject({ exitCode: 2 })
    expect(await holdfast('uninstall', '--scope', 'local', '--yes')).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('Nothing is connected with the scope local.'),
    })
  })
})

describe('links in a project', () => {
  test.each(['CLAUDE.md', '.claude', '.mcp.json'])('%s that leads out of it is not written through', async (name) => {
    const project = join(root, 'cloned')
    const victim = join(root, 'victim')
    mkdirSync(project)
    if (name === '.claude') mkdirSync(victim)
    else writeFileSync(victim, 'export A=1\n')
    symlinkSync(victim, join(project, name))
    const before = treeOf(root)
    const { exitCode, err } = await holdfastIn(
      project,
      'init',
      '--harness',
      'claude-code',
      '--scope',
      'project',
      '--yes',
    )
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: expect.stringContaining(name) })
    expect(err).toContain('leads out of the project through a link')
    expect(treeOf(root)).toEqual(before)
  })

  test('to another file of it are followed', async () => {
    const project = join(root, 'cloned')
    mkdirSync(project)
    writeFileSync(join(project, 'AGENTS.md'), 'Be terse.\n')
    symlinkSync('AGENTS.md', join(project, 'CLAUDE.md'))
    const words = ['--harness', 'claude-code', '--yes'] as const
    const snippet = ['--with', 'snippet']
    expect(await holdfastIn(project, 'init', '--scope', 'project', ...words, ...snippet)).toMatchObject({ exitCode: 0 })
    expect(readFileSync(join(project, 'AGENTS.md'), 'utf8')).toContain('holdfast')
    expect(await holdfastIn(project, 'uninstall', '--project', ...words)).toMatchObject({ exitCode: 0 })
    expect(treeOf(project)).toEqual({ 'AGENTS.md': 'Be terse.\n' })
  })
})
