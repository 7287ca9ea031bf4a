import { join } from 'node:path'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { resolveHome } from '../../platform/base/home.ts'
import { asObject } from '../../kernel/json-shape.ts'
import type { SetupPorts } from '../../install/contract/setup.ts'
import { commandText, setup as geminiCliSetup } from './setup.ts'

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

test('GEMINI_CLI_HOME says where everything goes; without it, ~/.gemini', () => {
  const paths = (env: NodeJS.ProcessEnv, scope: 'user' | 'project') =>
    geminiCliSetup
      .edits(worldWith(env), scope, undefined)
      .filter((piece) => piece.shape === 'entry')
      .map((piece) => piece.path)
  const settings = (folder: string) => [`${folder}/settings.json`, `${folder}/settings.json`]
  expect(paths({}, 'user')).toEqual([
    ...settings('/home/me/.gemini'),
    '/home/me/.gemini/GEMINI.md',
    '/home/me/.gemini/GEMINI.md',
  ])
  expect(paths({ GEMINI_CLI_HOME: '/else' }, 'user')).toEqual([
    ...settings('/else/.gemini'),
    '/else/.gemini/GEMINI.md',
    '/else/.gemini/GEMINI.md',
  ])
  expect(paths({}, 'project')).toEqual([...settings('/srv/project/.gemini'), '/srv/project/GEMINI.md'])
})

test('PreCompress fires before every model call: ours is for the one that a person asks for', () => {
  const hooks = geminiCliSetup.edits(worldWith({}), 'user', undefined).find((piece) => piece.kind === 'hooks')
  if (hooks?.shape !== 'entry') throw new Error('Gemini CLI has its hooks in its settings.')
  const settings = asObject(JSON.parse(hooks.add('').text))
  expect(asObject(settings.hooks).PreCompress).toEqual([
    { matcher: 'manual', hooks: [expect.objectContaining({ type: 'command', name: 'holdfast', timeout: 10_000 })] },
  ])
})

test('what keeps Gemini CLI from running our hooks at all is named', () => {
  const silencer = (text: string) => geminiCliSetup.findDisablingSetting(text, '/home/me/.gemini/settings.json')
  expect(silencer('{ // mine\n "hooksConfig": { "enabled": true, "disabled": ["other"] } }')).toBeUndefined()
  expect(silencer('{"hooksConfig":{"enabled":false}}')).toBe('hooksConfig.enabled: false')
  expect(silencer('{"hooksConfig":{"disabled":["x","holdfast"]}}')).toBe('hooksConfig.disabled: "holdfast"')
})

test('a skill is a command, whatever its words', () => {
  const body = 'Say """this""" and \\that\\.\n\n- a `line`\n'
  const text = commandText({ name: 'x', description: 'What it "does"', body })
  expect(parse(text)).toEqual({ description: 'What it "does"', prompt: `${body.trim()}\n\n{{args}}\n` })
})
