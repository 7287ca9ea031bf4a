import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveHome } from '../../platform/base/home.ts'
import { asObject } from '../../kernel/json-shape.ts'
import type { SetupPorts } from '../../install/contract/setup.ts'
import { setup as codexSetup } from './setup.ts'
import { readTrust } from './trust.ts'

const PACKAGE = join(import.meta.dirname, '..', '..', '..')

function worldWith(env: NodeJS.ProcessEnv): SetupPorts {
  return {
    env: { HOME: '/home/me', PATH: '', ...env },
    cwd: '/srv/project',
    home: resolveHome({ HOLDFAST_HOME: '/home/me/.holdfast' }),
    distDir: join(PACKAGE, 'dist'),
    skillsDir: join(PACKAGE, 'skills'),
    platform: 'linux',
    nodePath: '/usr/bin/node',
  }
}

const piecesOf = (env: NodeJS.ProcessEnv, scope: 'user' | 'project' = 'user') =>
  codexSetup.edits(worldWith(env), scope, undefined)

function entriesIn(env: NodeJS.ProcessEnv) {
  const hooks = piecesOf(env).find((piece) => piece.kind === 'hooks')
  if (hooks?.shape !== 'entry') throw new Error('Codex has its hooks in a file of its own.')
  return [...hooks.find(hooks.add('').text)].map(([hook, entries]) => ({ hook, ...asObject(entries[0]) }))
}

test('CODEX_HOME says where everything goes; without it, ~/.codex', () => {
  const paths = (env: NodeJS.ProcessEnv) =>
    piecesOf(env)
      .filter((piece) => piece.kind !== 'skills')
      .map((piece) => piece.path)
  expect(paths({})).toEqual(
    ['hooks.json', 'config.toml', 'AGENTS.md', 'AGENTS.md'].map((name) => `/home/me/.codex/${name}`),
  )
  expect(paths({ CODEX_HOME: '/elsewhere' })).toEqual(
    ['hooks.json', 'config.toml', 'AGENTS.md', 'AGENTS.md'].map((name) => `/elsewhere/${name}`),
  )
  const project = piecesOf({}, 'project').map((piece) => piece.path)
  expect(project).toContain('/srv/project/.codex/hooks.json')
  expect(project).toContain('/srv/project/AGENTS.md')
})

test('one unknown handler type voids the whole hooks file: ours are commands, all of them', () => {
  expect(new Set(entriesIn({}).map((entry) => asObject(entry).type))).toEqual(new Set(['command']))
})

test('SessionEnd is clamped to three seconds with a complaint to the user: ours asks for no more', () => {
  const end = entriesIn({}).find((entry) => entry.hook === 'SessionEnd')
  expect(asObject(end).timeout).toBe(3)
})

test('Codex tells no pid of its own: the command names its parent', () => {
  for (const entry of entriesIn({})) expect(asObject(entry).command).toContain('HOLDFAST_PID=$PPID ')
})

test('what keeps Codex from running our hooks at all is named', () => {
  const silencer = (text: string, file: string) => codexSetup.findDisablingSetting(text, `/home/me/.codex/${file}`)
  const ours = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}'
  expect(silencer(ours, 'hooks.json')).toBeUndefined()
  expect(silencer('', 'hooks.json')).toBeUndefined()
  const foreign = '{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://127.0.0.1"}]}]}}'
  expect(silencer(foreign, 'hooks.json')).toBe('"type": "http"')
  expect(silencer(`\uFEFF${ours}`, 'hooks.json')).toBe('byte order mark')
  expect(silencer(`// mine\n${ours}`, 'hooks.json')).toBe('comments or trailing commas')
  expect(silencer('[features]\nhooks = false\n', 'config.toml')).toBe('features.hooks = false')
  expect(silencer('[features]\ncodex_hooks = false\n', 'config.toml')).toBe('features.codex_hooks = false')
  expect(silencer('[features]\nhooks = true\n', 'config.toml')).toBeUndefined()
  expect(silencer('allow_managed_hooks_only = true\n', 'requirements.toml')).toBe('allow_managed_hooks_only = true')
})

test('trust is the user’s to give: it is asked for, never written', () => {
  const hooks = piecesOf({}).find((piece) => piece.kind === 'hooks')
  expect(hooks?.shape === 'entry' && hooks.add('').text).not.toMatch(/trust/)
  const mcp = piecesOf({}).find((piece) => piece.kind === 'mcp')
  expect(mcp?.shape === 'entry' && mcp.add('').text).not.toMatch(/trust/)
  expect(codexSetup.remainingSteps?.(worldWith({}), 'user')).toEqual([expect.stringContaining('/hooks')])
})

test('of Codex’s list our hooks count, trusted or not; a disabled one will not run', () => {
  const [command] = entriesIn({}).map((entry) => asObject(entry).command)
  const hook = (eventName: string, facts: object) => ({
    eventName,
    command,
    enabled: true,
    trustStatus: 'trusted',
    ...facts,
  })
  const data = [
    {
      hooks: [
        hook('sessionStart', {}),
        hook('stop', { trustStatus: 'modified' }),
        hook('userPromptSubmit', { trustStatus: 'untrusted' }),
        hook('sessionEnd', { enabled: false }),
        hook('preCompact', { command: 'somebody-elses', trustStatus: 'untrusted' }),
        hook('subagentStart', { command: null, trustStatus: 'untrusted' }),
      ],
      warnings: ['something is odd'],
    },
  ]
  expect(readTrust({ data })).toEqual({
    trusted: ['SessionStart'],
    untrusted: ['SessionEnd', 'Stop', 'UserPromptSubmit'],
    warnings: ['something is odd'],
  })
  expect(() => readTrust({ surprise: true })).toThrow(/cannot be read/)
})
