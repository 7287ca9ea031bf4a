import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG, SETTINGS_BY_KEY } from '../kernel/config.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import { loadConfig, readProjectStamp } from './config.ts'
import { toEnvName } from './config-display.ts'

function given(user: unknown, project?: unknown) {
  const dir = tempDir()
  const configFile = user === undefined ? join(dir.path, 'none') : dir.write('home/config.json', JSON.stringify(user))
  const cwd = join(dir.path, 'repo', 'src')
  mkdirSync(cwd, { recursive: true })
  mkdirSync(join(dir.path, 'repo', '.git'))
  const projectFile = join(dir.path, 'repo', '.holdfast', 'config.json')
  if (project !== undefined) dir.write('repo/.holdfast/config.json', JSON.stringify(project))
  return { dir, home: { configFile }, cwd, projectFile, [Symbol.dispose]: () => dir[Symbol.dispose]() }
}

describe('config', () => {
  test('without settings, every key has its default, with that origin', () => {
    using at = given(undefined)
    const loaded = loadConfig({ ...at, env: {} })
    expect(loaded.config).toEqual(DEFAULT_CONFIG)
    expect(loaded.warnings).toEqual([])
    expect(Object.keys(loaded.origins).sort()).toEqual([...SETTINGS_BY_KEY.keys()].sort())
    expect(loaded.origins['continuity.promptInterval']).toEqual({ value: 10, origin: 'default' })
  })

  test('flags win over environment, that over the project, that over the user, and each value knows its origin', () => {
    using at = given(
      { continuity: { promptInterval: 5, retentionDays: 30, recoveryBudgetChars: 1_500 } },
      { continuity: { recoveryBudgetChars: 1_000, recoveryWindowMs: 60_000 } },
    )
    const env = { HOLDFAST_CONTINUITY_RECOVERY_BUDGET_CHARS: '800', HOLDFAST_MEMORY_INJECT: 'off' }
    const { config, origins, warnings } = loadConfig({
      ...at,
      env,
      flags: { 'log.level': 'debug', 'daemon.port': '7777' },
    })
    expect(config).toEqual({
      ...DEFAULT_CONFIG,
      continuity: {
        ...DEFAULT_CONFIG.continuity,
        promptInterval: 5,
        retentionDays: 30,
        recoveryWindowMs: 60_000,
        recoveryBudgetChars: 800,
      },
      memory: { ...DEFAULT_CONFIG.memory, inject: false },
      log: { level: 'debug' },
      daemon: { ...DEFAULT_CONFIG.daemon, port: 7_777 },
    })
    expect(origins).toMatchObject({
      'continuity.promptInterval': { value: 5, origin: 'user', file: at.home.configFile },
      'continuity.retentionDays': { value: 30, origin: 'user', file: at.home.configFile },
      'continuity.recoveryWindowMs': { value: 60_000, origin: 'project', file: at.projectFile },
      'continuity.recoveryBudgetChars': {
        value: 800,
        origin: 'env',
        file: 'HOLDFAST_CONTINUITY_RECOVERY_BUDGET_CHARS',
      },
      'log.level': { value: 'debug', origin: 'flag' },
    })
    expect(warnings).toEqual([])
  })

  test('a project may only tighten: other values are ignored, with a warning each', () => {
    using at = given(undefined, {
      continuity: {
        enabled: true,
        recoveryWindowMs: 3_600_000_000,
        debounceMs: 1,
        recoveryBudgetChars: 8_000,
        promptInterval: 1,
      },
      memory: { minCoverage: 0.1, maxPerPrompt: 20 },
      resume: { confirm: 'never' },
      store: { url: 'postgres://evil.example/x' },
      outbox: { url: 'https://evil.example/x' },
      redaction: { envFiles: false },
      log: { level: 'debug' },
      hooks: { run: 'rm -rf' },
    })
    const { config, warnings } = loadConfig({ ...at, env: {} })
    expect(config).toEqual(DEFAULT_CONFIG)
    expect(warnings.length).toBe(12)
    expect(warnings[0]).toBe(
      `${at.projectFile}: a project may only tighten settings; continuity.recoveryWindowMs is ignored.`,
    )
  })

  test('a project may lower what is captured, never raise it, and off is the same as switched off', () => {
    using quiet = given({ capture: 'commands' }, { capture: 'full' })
    expect(loadConfig({ ...quiet, env: {} }).config.continuity).toMatchObject({ enabled: true, capture: 'commands' })
    using off = given({ capture: 'commands' }, { continuity: { capture: 'off' } })
    expect(loadConfig({ ...off, env: {} }).config.continuity).toMatchObject({ enabled: false, capture: 'off' })
  })

  test.each([
    ['continuity.retentionDays', 3],
    ['continuity.retentionDays', 900],
    ['continuity.eventRetentionDays', 9],
    ['continuity.maxCheckpointsPerSession', 1],
  ])('%s decides what of the user’s work is deleted: %i in a project is ignored, with the reason', (key, value) => {
    const [section = '', leaf = ''] = key.split('.')
    using at = given(undefined, { [section]: { [leaf]: value } })
    const { config, origins, warnings } = loadConfig({ ...at, env: {} })
    expect([config, origins[key]?.origin]).toEqual([DEFAULT_CONFIG, 'default'])
    expect(warnings).toEqual([
      `${at.projectFile}: ${key} controls deletion in the whole store; only the user can set it, so it is ignored here.`,
    ])
  })

  test.each([
    ['continuity.recoveryBudgetChars', 2_000, 1_999, true],
    ['continuity.recoveryBudgetChars', 2_000, 2_001, false],
    ['continuity.recoveryWindowMs', 60_000, 0, true],
    ['continuity.recoveryWindowMs', 60_000, 60_001, false],
    ['memory.failedApproaches', true, false, true],
    ['memory.failedApproaches', false, true, false],
    ['loops.warn', true, false, true],
    ['loops.warn', false, true, false],
    ['loops.repeats', 3, 4, true],
    ['loops.repeats', 3, 2, false],
    ['autosave.mode', 'where-used', 'off', true],
    ['autosave.mode', 'where-used', 'always', false],
    ['index.refreshMs', 60_000, 0, true],
    ['index.refreshMs', 60_000, 30_000, false],
    ['scorer.enabled', true, false, true],
    ['scorer.enabled', false, true, false],
    ['redaction.envFiles', false, true, true],
    ['redaction.envFiles', true, false, false],
    ['daemon.port', 0, 80, false],
    ['safety.probe', '', 'rm -rf', false],
  ])('%s is %s for the user, and %s in a project; the project is heard: %s', (key, user, project, isHeard) => {
    const [section = '', leaf = ''] = key.split('.')
    using at = given({ [section]: { [leaf]: user } }, { [section]: { [leaf]: project } })
    expect(loadConfig({ ...at, env: {} }).origins[key]).toMatchObject(
      isHeard ? { value: project, origin: 'project' } : { value: user, origin: 'user' },
    )
  })

  test('our own file, found as a project’s where a home is a repository, is read once', () => {
    using at = given(undefined)
    const file = at.dir.write('repo/.holdfast/config.json', '{"continuity":{"promptInterval":3},"theme":"dark"}')
    const { origins, warnings } = loadConfig({ ...at, home: { configFile: file }, env: {} })
    expect([origins['continuity.promptInterval']?.origin, warnings]).toEqual([
      'user',
      [`${file}: unknown setting theme; it is ignored.`],
    ])
  })

  test.each([
    [['true', '1', 'yes', 'ON'], true],
    [['false', '0', 'no', 'Off'], false],
  ])('%s in a variable all mean %s', (texts, isOn) => {
    using at = given({ scorer: { enabled: !isOn } })
    for (const text of texts)
      expect(loadConfig({ ...at, env: { HOLDFAST_SCORER_ENABLED: text } }).config.scorer.enabled).toBe(isOn)
  })

  test('a project can switch things off and ask for more confirmation', () => {
    using at = given(undefined, {
      continuity: { enabled: false },
      memory: { inject: false, minCoverage: 0.9, maxPerPrompt: 1 },
      resume: { confirm: 'always' },
    })
    const { config, warnings } = loadConfig({ ...at, env: {} })
    expect([config.continuity.enabled, config.memory, config.resume.confirm, warnings]).toEqual([
      false,
      { ...DEFAULT_CONFIG.memory, inject: false, maxPerPrompt: 1, minCoverage: 0.9 },
      'always',
      [],
    ])
  })

  test('a project file that is broken, a link, or too large is ignored', () => {
    using at = given(undefined)
    at.dir.write('repo/.holdfast/config.json', '{ nope')
    expect(loadConfig({ ...at, env: {} }).warnings[0]).toContain('cannot be read')
    at.dir.write('repo/.holdfast/config.json', '{ "continuity": { "enabled": fal\n')
    expect(loadConfig({ ...at, env: {} }).warnings[0]).toMatch(/cannot be read: [^\n]*; it is ignored\.$/)
    using linked = given(undefined)
    mkdirSync(join(linked.dir.path, 'repo', '.holdfast'))
    symlinkSync(linked.dir.write('secret.json', '{"continuity":{"enabled":false}}'), linked.projectFile)
    expect(loadConfig({ ...linked, env: {} }).config).toEqual(DEFAULT_CONFIG)
    using astray = given(undefined)
    astray.dir.write('elsewhere/config.json', '{"continuity":{"enabled":false},"private":1}')
    symlinkSync(join(astray.dir.path, 'elsewhere'), join(astray.dir.path, 'repo', '.holdfast'))
    const { config, warnings } = loadConfig({ ...astray, env: {} })
    expect([config, warnings]).toEqual([
      DEFAULT_CONFIG,
      [`${astray.projectFile} cannot be read: its folder is a link; it is ignored.`],
    ])
    using large = given(undefined, { x: 'y'.repeat(70_000) })
    expect(loadConfig({ ...large, env: {} }).warnings[0]).toContain('larger than')
  })

  test('unknown keys are ignored with a warning', () => {
    using at = given({ continuity: { promptIntervall: 3 }, theme: 'dark' })
    expect(loadConfig({ ...at, env: {} })).toMatchObject({
      config: DEFAULT_CONFIG,
      warnings: [
        `${at.home.configFile}: unknown setting continuity.promptIntervall; it is ignored.`,
        `${at.home.configFile}: unknown setting theme; it is ignored.`,
      ],
    })
  })

  test.each(['outbox.url', 'safety.probe'])(
    '%s goes in clear to this machine only, whatever its name begins with',
    (key) => {
      using at = given(undefined)
      const load = (value: string) => loadConfig({ ...at, env: {}, flags: { [key]: value } }).origins[key]?.value
      for (const good of [
        '',
        'https://hooks.example/x',
        'http://localhost:9/x',
        'http://127.0.0.1',
        'http://[::1]/?a=b',
      ])
        expect(load(good)).toBe(good)
      for (const bad of [
        'localhost.evil.example',
        '127.evil.example/',
        '127.0.0.1.evil.example',
        'localhost@evil.example',
      ])
        expect(() => load(`http://${bad}`)).toThrow('http:// only on this machine')
    },
  )

  test('a bad value is refused with its source, key, value and a hint', () => {
    using at = given({ continuity: { promptInterval: 'ten' } })
    expect(() => loadConfig({ ...at, env: {} })).toThrow(
      expect.objectContaining({
        code: 'invalid-input',
        message: `continuity.promptInterval is "ten" in ${at.home.configFile}; it must be a whole number from 1 to 1000.`,
        hint: 'Correct continuity.promptInterval there, or remove it to get the default.',
      }),
    )
    using none = given(undefined)
    expect(() => loadConfig({ ...none, env: { HOLDFAST_RESUME_CONFIRM: 'maybe' } })).toThrow(
      'resume.confirm is "maybe" in the environment variable HOLDFAST_RESUME_CONFIRM; it must be one of always, interactive, never.',
    )
    expect(() => loadConfig({ ...none, env: {}, flags: { nope: 1 } })).toThrow('Unknown setting nope.')
  })

  test('an error shows no password: neither of a URL with a typo nor around a parse error', () => {
    using at = given({ store: { url: 'postgre://me:hunter2-is-secret@db.example/x' } })
    expect(() => loadConfig({ ...at, env: {} })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    )
    for (const url of ['host=db password=hunter2-is-secret', 'postgres:/me:hunter2@db', 'pg://db?password=hunter2'])
      expect(() => loadConfig({ ...at, env: { HOLDFAST_STORE_URL: url } })).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
      )
    const configFile = at.dir.write('broken.json', '{"store": hunter2-is-secret}')
    expect(() => loadConfig({ home: { configFile }, env: {} })).toThrow(
      expect.objectContaining({
        code: 'settings-unreadable',
        message: expect.not.stringContaining('hunter2'),
      }),
    )
  })

  test('a user file that does not parse is refused by name; an empty one is ignored', () => {
    using at = given(undefined)
    const configFile = at.dir.write('broken.json', '{ "continuity": ')
    expect(() => loadConfig({ home: { configFile }, env: {} })).toThrow(
      expect.objectContaining({ code: 'settings-unreadable', message: expect.stringContaining(configFile) }),
    )
    expect(loadConfig({ home: { configFile: at.dir.write('empty.json', '\n') }, env: {} }).config).toEqual(
      DEFAULT_CONFIG,
    )
  })

  test('every key has its own variable and a description of its values', () => {
    expect(new Set([...SETTINGS_BY_KEY.keys()].map(toEnvName)).size).toBe(SETTINGS_BY_KEY.size)
    expect(toEnvName('continuity.timeIntervalMs')).toBe('HOLDFAST_CONTINUITY_TIME_INTERVAL_MS')
    expect([...SETTINGS_BY_KEY.values()].filter(({ rule }) => rule.description === '')).toEqual([])
  })

  test("commands that an agent may have run come from the user's own file and from nowhere else", () => {
    const commands = { checklist: { verifyOverMcp: [' npm test ', 'make check'] } }
    using own = given(commands)
    expect(loadConfig({ ...own, env: {} }).config.checklist.verifyOverMcp).toEqual(['npm test', 'make check'])

    using foreign = given({}, commands)
    const env = { HOLDFAST_CHECKLIST_VERIFY_OVER_MCP: '["npm test"]' }
    const loaded = loadConfig({ ...foreign, env })
    expect(loaded.config.checklist.verifyOverMcp).toEqual([])
    expect(loaded.warnings).toEqual([
      expect.stringContaining('checklist.verifyOverMcp is ignored'),
      expect.stringContaining('HOLDFAST_CHECKLIST_VERIFY_OVER_MCP'),
    ])
    const flags = { 'checklist.verifyOverMcp': ['npm test'] }
    expect(() => loadConfig({ ...foreign, env: {}, flags })).toThrow("can be set only in the user's config.json")

    using widened = given({ checklist: { verifyOverMcp: ['npm test'] } }, commands)
    expect(loadConfig({ ...widened, env: {} }).config.checklist.verifyOverMcp).toEqual(['npm test'])
  })
})

test('a folder that cannot be looked at has no stamp, and stops nobody', () => {
  expect(readProjectStamp(`/${'x'.repeat(5_000)}`, { configFile: '/none' })).toBeUndefined()
})
