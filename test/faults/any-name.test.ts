import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../support/any-text.ts'
import { commandOf, run } from '../support/hook-programs.ts'
import { isAlive, Product } from '../support/product.ts'
import { ask, Daemon, dist } from './support/daemon.ts'
import { changesBetween, walk } from './support/file-walk.ts'
import { seedOf } from './support/random.ts'

/** In every made-up name, so that a file that came of one is known wherever it lands. */
const MARK = 'hfm4rk'

const SEEDS = [
  '../',
  `../${MARK}`,
  `../../${MARK}`,
  `../../../../../../../../${MARK}`,
  `..%2f${MARK}`,
  `%2e%2e%2f${MARK}`,
  `..\\${MARK}`,
  `/${MARK}`,
  `//${MARK}`,
  `~/${MARK}`,
  `\\\\?\\${MARK}`,
  `a\0b${MARK}`,
  `${MARK}\n\r\x1b[31m`,
  'con',
  'nul.json',
  '.',
  '..',
  '-rf',
  `$(touch ${MARK})`,
  `\`touch ${MARK}\``,
  `'; touch ${MARK}; '`,
  `${MARK}${'x'.repeat(300)}`,
  '\ud800',
  '__proto__',
]

const anyName = fc.oneof(
  fc.constantFrom(...SEEDS),
  anyText({ minLength: 1, maxLength: 60 }),
  fc
    .array(fc.constantFrom('..', '/', '\\', '%2f', '%00', '\0', '~', '.', MARK, 'a'), { minLength: 1, maxLength: 12 })
    .map((parts) => parts.join('')),
)

/** Folders where a path that escaped would most likely end, by the names that came of ours. */
function strays(): readonly string[] {
  return ['/', tmpdir(), process.cwd(), '/tmp'].flatMap((dir) =>
    readdirSync(dir).flatMap((name) => (name.includes(MARK) ? [join(dir, name)] : [])),
  )
}

/** Everything around the home, before and after. */
function watch(product: Product): () => readonly string[] {
  const before = walk(product.dir, [product.home])
  return () => [
    ...changesBetween(before, walk(product.dir, [product.home])),
    ...strays(),
    ...[...walk(product.home).keys()].filter((path) => path.includes(MARK)),
  ]
}

const part = (name: string) => encodeURIComponent(name.toWellFormed())

/** Everything the API takes a name for, with this one in its place. */
function requestsWith(name: string, other: string) {
  const payload = { hook_event_name: name, session_id: name, cwd: other, transcript_path: other, prompt: name }
  const event = { id: name, harness: name, sessionKey: name, at: '2026-01-02T03:04:05.000Z', door: 'api', cwd: other }
  return [
    { path: `/hook/${part(name)}/${part(other)}`, body: payload },
    { path: `/hook/claude-code/${part(name)}`, body: payload },
    { path: '/hook/claude-code/UserPromptSubmit', body: payload, headers: { 'Holdfast-Client': 'hook' } },
    { path: '/hook/claude-code/SessionEnd', body: { ...payload, reason: name } },
    {
      path: '/api/events',
      body: { events: [{ ...event, kind: 'session-started', source: 'startup', transcriptPath: other }] },
    },
    { path: '/api/events', body: { events: [{ ...event, id: `${name}!`, kind: 'session-ended', reason: 'other' }] } },
    { path: '/api/checkpoints', body: { sessionId: `${name}/${name}`, trigger: 'explicit' } },
    { path: '/api/memories', body: { content: name, cwd: other, source: 'cli', tags: [name.slice(0, 64)] } },
    { path: `/api/sessions/${part(name)}` },
    { path: `/api/checkpoints/${part(name)}` },
    { path: `/api/checkpoints/id/${part(name)}`, method: 'DELETE' },
    { path: `/api/memories/${part(name)}`, method: 'DELETE' },
    { path: `/api/recovery?cwd=${part(other)}` },
    { path: `/api/locate?cwd=${part(name)}` },
  ]
}

describe('any string as a session, a harness, a hook or a path', () => {
  test('over HTTP: nothing is written outside the home, nothing breaks', async () => {
    await using product = new Product()
    const daemon = await new Daemon(product.env).ready()
    const changes = watch(product)
    const check = fc.asyncProperty(anyName, anyName, async (name, other) => {
      for (const request of requestsWith(name, other)) {
        const { status, body } = await ask(product.home, request)
        expect(status, `${request.path}: ${body.toString('utf8').slice(0, 300)}`).toBeLessThan(500)
      }
    })
    const seed = seedOf('any name')
    console.log(`any name: FAULT_SEED=${seed}`)
    await fc.assert(check, { numRuns: 60, seed, examples: SEEDS.map((name, at) => [name, SEEDS.at(-1 - at) ?? name]) })
    expect(changes()).toEqual([])
    expect(isAlive(daemon.pid)).toBe(true)
    expect((await ask(product.home, { path: '/api/health' })).status).toBe(200)
  })

  test('as arguments and surroundings of the hook, with and without a daemon', async () => {
    await using product = new Product()
    mkdirSync(product.home, { mode: 0o700 })
    const changes = watch(product)
    for (const [index, name] of SEEDS.entries()) {
      if (name.includes('\0')) continue
      const env = { ...product.env, HOLDFAST_EVENT_ID: name, HOLDFAST_PID: name, HOLDFAST_TRIED: name }
      const input = JSON.stringify({
        session_id: name,
        cwd: name,
        transcript_path: name,
        hook_event_name: name,
        prompt: name,
      })
      const args = index % 2 === 0 ? [name, 'Stop'] : ['claude-code', name]
      const runner = (['node', 'bash', 'dash'] as const)[index % 3] ?? 'node'
      const ran = await run([...commandOf(runner, dist), ...args], { env, input, cwd: product.dir })
      expect({ name, runner, exit: ran.exit, stderr: ran.stderr }).toEqual({ name, runner, exit: 0, stderr: '' })
    }
    expect(changes()).toEqual([])
  })

  test('at the keyboard', async () => {
    await using product = new Product()
    await new Daemon(product.env).ready()
    const changes = watch(product)
    const names = [
      '../',
      `../../${MARK}`,
      `..%2f${MARK}`,
      'con',
      '-rf',
      `$(touch ${MARK})`,
      `${MARK}${'x'.repeat(300)}`,
    ]
    const commands = (name: string) => [
      ['events', 'list', '--session', name],
      ['checkpoints', 'list', '--session', name],
      ['explain', '--', name],
      ['forget', '--', name],
      ['remember', '--tag', name.slice(0, 60), '--', name],
      ['recover', '--harness', name, '--', name],
    ]
    for (const [index, name] of names.entries()) {
      // Each name meets two commands; together all of them have their turn.
      for (const args of [0, 3].map((step) => commands(name)[(index + step) % 6] ?? [])) {
        const ran = await product.cli(args)
        expect([0, 1, 2], `${args.join(' ')}: ${ran.stderr}`).toContain(ran.code)
        expect(ran.stderr).not.toMatch(/^\s+at /m)
      }
    }
    expect(changes()).toEqual([])
  })

  test('control: a file outside the home is found, wherever it was put', async () => {
    await using product = new Product()
    mkdirSync(product.home)
    const changes = watch(product)
    const stray = join(product.dir, 'user', 'x')
    writeFileSync(stray, '')
    expect(changes()).toContain(stray)
    const inside = join(product.home, `s-${MARK}.json`)
    writeFileSync(inside, '')
    expect(changes()).toContain(inside)
  })
})
