import { describe, expect, test } from 'vitest'
import { COMMANDS, FAMILIES } from './command-table.ts'
import { runCli } from './run.ts'

const run = (...words: readonly string[]) => runWith({}, ...words)

async function runWith(env: NodeJS.ProcessEnv, ...words: readonly string[]) {
  let stdout = ''
  let stderr = ''
  const exitCode = await runCli(words, {
    env: { HOLDFAST_HOME: '/nowhere/holdfast', ...env },
    cwd: '/',
    io: {
      out: (text) => {
        stdout += text
      },
      err: (text) => {
        stderr += text
      },
      stdin: process.stdin,
      isInteractive: false,
      hasColor: false,
    },
  })
  return { exitCode, stdout, stderr }
}

const visible = COMMANDS.filter((entry) => entry.isHidden !== true)

describe('help', () => {
  test('without a word, names every command and family once', async () => {
    const { exitCode, stdout, stderr } = await run()
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const first = new Set(visible.map(({ name }) => name.split(' ')[0]))
    const named = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name)
    expect({ names: new Set(named), count: named.length }).toEqual({ names: first, count: first.size })
  })

  test('`help x` and `x --help` are the same', async () => {
    const asked = await run('help', 'recall')
    expect(asked).toEqual(await run('recall', '--help'))
    expect(asked.exitCode).toBe(0)
    expect(asked.stdout).toContain('Usage: holdfast recall [options] [words...]')
  })

  test('of a command that there is not is refused like the command', async () => {
    expect(await run('help', 'recal')).toEqual(await run('recal'))
  })

  test('of a family lists its commands and no hidden one', async () => {
    const { exitCode, stdout } = await run('daemon', '--help')
    expect(exitCode).toBe(0)
    expect([...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name)).toEqual([
      'start',
      'stop',
      'status',
      'logs',
    ])
  })
})

describe('wrong usage exits 2 and says the way out', () => {
  test('an unknown command, with a suggestion', async () => {
    expect(await run('recal', 'x')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: "holdfast: Unknown command 'recal'. Did you mean recall?\nRun `holdfast --help`.\n",
    })
  })

  test('a family alone, with its commands', async () => {
    const { exitCode, stdout, stderr } = await run('daemon')
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain('Usage: holdfast daemon <command>')
    expect(JSON.parse((await run('daemon', '--json')).stdout)).toMatchObject({ error: { code: 'invalid-input' } })
  })

  test('an unknown command of a family', async () => {
    const { exitCode, stderr } = await run('daemon', 'stat')
    expect(exitCode).toBe(2)
    expect(stderr).toContain("Unknown command 'daemon stat'.\nDid you mean `holdfast daemon start`")
  })

  test('the second word of a command without the first', async () => {
    const { exitCode, stderr } = await run('rename', 'x')
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: "holdfast: Unknown command 'rename'.\nDid you mean `holdfast sessions rename`? Run `holdfast --help`.\n",
    })
  })

  test('an unknown option', async () => {
    const { exitCode, stderr } = await run('version', '--loud')
    expect(exitCode).toBe(2)
    expect(stderr).toContain("Unknown option '--loud'.")
  })

  test('a missing argument', async () => {
    const { exitCode, stderr } = await run('forget')
    expect(exitCode).toBe(2)
    expect(stderr).toContain("Missing required argument 'id'.")
  })

  test('nothing to remember', async () => {
    const { exitCode, stderr } = await run('remember', ' ', '')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('The text is empty.')
  })

  test('a value out of range, also where the family alone stands for its list', async () => {
    const { exitCode, stderr } = await run('events', '--limit', 'many')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('It must be a whole number from 1 to 1000.')
  })

  test.each([
    [['ledger', '--session', '']],
    [['stats', '--session', ' ']],
    [['explain', '--session', '']],
    [['explain', '']],
    [['sessions', 'show', '']],
    [['events', 'list', '--session', '']],
    [['checkpoints', 'list', '--session', '']],
    [['checkpoint', 'save', 'x', '--session', '']],
    [['checkpoint', 'resume', '--session', '']],
    [['briefing', '--session', '']],
    [['session', 'start', '--task', 'x', '--session', '']],
    [['session', 'end', '--task', 'x', '--id', '']],
  ])('an empty name of a session: %j', async (words) => {
    const { exitCode, stderr } = await run(...words)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('It must be a session key: `holdfast sessions list` shows them.\nRun `holdfast ')
  })

  test('a key of a session that nobody can have', async () => {
    const { exitCode, stderr } = await run('ledger', '--session', 'k'.repeat(513))
    expect(exitCode).toBe(2)
    expect(stderr).toContain('A session key has at most 512 characters.')
  })

  test('a missing argument, with the help of that command', async () => {
    const { exitCode, stderr } = await run('checkpoint', 'save')
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: "holdfast: Missing required argument 'name'.\nRun `holdfast checkpoints save --help`.\n",
    })
  })

  test('an unknown second word of a family whose default command takes no arguments', async () => {
    const { exitCode, stderr } = await run('task', 'unblock', 'feat-login')
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr:
        "holdfast: Unknown command 'task unblock'.\nDid you mean `holdfast task block`? Run `holdfast task --help`.\n",
    })
  })

  test('a value out of range', async () => {
    const { exitCode, stderr } = await run('recall', 'x', '--limit', 'many')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('It must be a whole number from 1 to 100.')
  })

  test('as one JSON document with --json', async () => {
    const { exitCode, stdout, stderr } = await run('recal', '--json')
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'invalid-input',
        message: "Unknown command 'recal'. Did you mean recall?",
        hint: 'Run `holdfast --help`.',
      },
    })
  })

  test('a --json after a bare -- is a word of the text, not an option', async () => {
    const { stdout } = await run('recal', '--', '--json')
    expect(stdout).toBe('')
  })
})

test('version prints one JSON document when asked', async () => {
  const { exitCode, stdout } = await run('version', '--json')
  expect(exitCode).toBe(0)
  expect(Object.keys(JSON.parse(stdout))).toEqual(['holdfast', 'node', 'platform'])
})

describe('the table', () => {
  test('has every name once, and a word for every family', () => {
    const names = COMMANDS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const families = names.flatMap((name) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : []))
    expect(new Set(Object.keys(FAMILIES))).toEqual(new Set(families))
  })

  test.each(COMMANDS.map((entry) => [entry.name, entry] as const))('%s loads from its file', async (_, entry) => {
    expect(Object.keys(await entry.load())).toEqual(['configure', 'run'])
  })

  test('is shown by a help of at most 80 columns', async () => {
    const names = [...Object.keys(FAMILIES), ...COMMANDS.map(({ name }) => name)]
    const helps = await Promise.all(
      [[], ...names.map((name) => name.split(' '))].map((words) => run(...words, '--help')),
    )
    const tooLong = helps.flatMap(({ stdout }) => stdout.split('\n').filter((line) => line.length > 80))
    expect(tooLong).toEqual([])
  })
})

describe('the password of a database is not shown', () => {
  test.each([
    'postgres://me:hunter2-x@db/holdfast',
    'postgres://me@db/holdfast?password=hunter2-x',
    'postgres://me:a@hunter2-x@db/holdfast',
    'postgres://me:a hunter2-x@db/holdfast',
    'postgres://me:12/hunter2-x@db/holdfast',
    'postgres:///holdfast?host=/run/pg&password=hunter2-x',
    'host=db password=hunter2-x',
  ])('%s', async (url) => {
    for (const words of [['config'], ['config', '--json']]) {
      const { stdout, stderr } = await runWith({ HOLDFAST_STORE_URL: url }, ...words)
      expect(stdout + stderr).not.toBe('')
      expect(stdout + stderr).not.toContain('hunter2')
    }
  })
})

test.each([['status'], ['version', '--json'], ['config']])(
  'a relative HOLDFAST_HOME is refused: %s',
  async (...words) => {
    const { exitCode, stdout, stderr } = await runWith({ HOLDFAST_HOME: 'here' }, ...words)
    expect(exitCode).toBe(2)
    expect(stdout + stderr).toContain('HOLDFAST_HOME is')
    expect(stdout + stderr).toContain('not an absolute path')
  },
)
