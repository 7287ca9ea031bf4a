import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { waitUntil } from '../support/product.ts'
import { connectTwoMachines } from '../support/two-machines.ts'

const { desk, laptop } = connectTwoMachines()

test('an export is imported on another machine, once, and a damaged one is refused with its line', async () => {
  const app = await desk.aProject('app')
  const clone = join(laptop.dir, 'elsewhere')
  execFileSync('git', ['clone', '--quiet', app, clone], { env: laptop.env })
  execFileSync('git', ['-C', app, 'remote', 'add', 'origin', 'https://example.com/team/app.git'], { env: desk.env })
  execFileSync('git', ['-C', clone, 'remote', 'set-url', 'origin', 'git@example.com:team/app'], { env: laptop.env })

  await desk.json(['remember', 'Releases are tagged by the pipeline'], { cwd: app })
  await desk.json(['remember', '--me', 'I prefer short answers'], { cwd: app })
  await desk.json(['rules', 'add', 'Never push to main.'], { cwd: app })
  const session = new ClaudeSession(desk, app, { pid: desk.anAgent() })
  await session.start()
  await session.prompt('Make the parser keep form feeds.')
  await session.end()

  const nowhere = await desk.cli(['export', '--all', join(desk.dir, 'no-folder', 'backup.jsonl')])
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('no-folder does not exist') })
  const file = join(desk.dir, 'backup.jsonl')
  let report = Object()
  await waitUntil(async () => {
    report = Object(await desk.json(['export', '--all', '--yes', file]))
    return Object(report.counts).checkpoint >= 1
  }, 'the session has its checkpoint')
  expect(report).toMatchObject({ file, counts: { memory: 2, rule: 1, location: expect.any(Number) } })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines).toHaveLength(Number(report.records) + 2)
  expect(readFileSync(file, 'utf8')).toContain('form feeds')
  expect((await desk.cli(['export', '--all', file])).stderr).toContain('already exists')

  const damaged = join(desk.dir, 'damaged.jsonl')
  writeFileSync(
    damaged,
    `${lines.map((line, at) => (at === 2 ? line.replace(/"value":\{/, '"value":{"x":1,') : line)).join('\n')}\n`,
  )
  const refused = await laptop.cli(['import', damaged])
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('damaged in line 3')
  writeFileSync(damaged, `${lines.slice(0, -1).join('\n')}\n`)
  expect((await laptop.cli(['import', damaged])).stderr).toContain('its end is missing')
  writeFileSync(damaged, `${lines.join('\n').replace('holdfast-export/2', 'holdfast-export/9')}\n`)
  expect((await laptop.cli(['import', damaged])).stderr).toMatch(/has the format holdfast-export\/9.*\n.*upgrade/)
  expect(await laptop.json(['memories', 'list'], { cwd: clone })).toEqual([])

  expect(await laptop.json(['import', file])).toMatchObject({
    records: report.records,
    stored: report.records,
    known: 0,
  })
  expect(await laptop.json(['import', file])).toMatchObject({ stored: 0, known: report.records })
  await waitUntil(
    async () => JSON.stringify(await laptop.json(['recall', 'releases tagged'], { cwd: clone })).includes('pipeline'),
    'the clone is recognised',
  )
  expect(JSON.stringify(await laptop.json(['rules', 'list'], { cwd: clone }))).toContain('Never push to main')
  expect(JSON.stringify(await laptop.json(['memories', 'list'], { cwd: clone }))).toContain('short answers')
  expect(JSON.stringify(await laptop.json(['find', 'form feeds']))).toContain('form feeds')
  expect((await laptop.cli(['doctor', '--json'])).stdout).not.toContain('damaged')

  // One session only.
  const one = join(desk.dir, 'one.jsonl')
  const { counts } = Object(await desk.json(['export', '--session', session.id, one]))
  expect(Object.keys(counts).toSorted()).toEqual(['checkpoint', 'event', 'machine', 'session'])
  expect((await desk.cli(['import', join(app, 'src', 'parser.ts')])).stderr).toContain('was not written by')
})
