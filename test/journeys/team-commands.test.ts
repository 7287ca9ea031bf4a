import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClaudeSession } from '../support/claude-session.ts'
import { waitUntil } from '../support/product.ts'
import { connectTwoMachines } from '../support/two-machines.ts'

const { desk, laptop } = connectTwoMachines()

test('share, take, undo and erase between two homes, as typed', async () => {
  const app = await desk.aProject('app')
  const clone = join(laptop.dir, 'elsewhere')
  execFileSync('git', ['clone', '--quiet', app, clone], { env: laptop.env })
  for (const folder of [app, clone])
    execFileSync('git', ['-C', folder, 'config', 'remote.origin.url', 'https://example.com/team/app.git'])
  const own = Object(await desk.json(['remember', 'Deploys wait for the smoke test'], { cwd: app }))
  const team = await desk.cli(['remember', '--team', 'Releases are tagged by the pipeline'], { cwd: app })
  expect(team.stdout).toContain('Remembered for the team as ')
  expect(team.stdout).toContain('No team is connected, so it stays on this machine')
  expect((await desk.cli(['share', own.id], { cwd: app })).code).toBe(0)
  expect((await desk.cli(['unshare', own.id], { cwd: app })).code).toBe(0)
  expect((await desk.cli(['share', 'mem-none'], { cwd: app })).code).not.toBe(0)
  const session = new ClaudeSession(desk, app, { pid: desk.anAgent() })
  await session.start()
  await session.prompt('Make the parser keep form feeds.')
  await session.end()
  const file = join(desk.dir, 'work.jsonl')
  await waitUntil(
    async () => Object(Object(await desk.json(['export', '--all', '--yes', file])).counts).checkpoint >= 1,
    'the session has its checkpoint',
  )

  await laptop.json(['import', file])
  await laptop.json(['remember', 'The clone is here'], { cwd: clone })
  const listed = await laptop.cli(['sessions', '--team'], { cwd: clone })
  expect(listed.stdout).toContain(session.id.slice(0, 8))
  const memories = JSON.stringify(await laptop.json(['memories', 'list'], { cwd: clone }))
  expect(memories).toContain('tagged by the pipeline')
  expect((await laptop.cli(['take', session.id.slice(0, 8)], { cwd: clone })).stdout).toContain('form feeds')
  expect((await laptop.cli(['take', '--undo'], { cwd: clone })).code).toBe(0)

  // A home that never met the desk: its erasure is left out, with what it would delete, until it is accepted.
  await waitUntil(
    async () => (await desk.cli(['erase', '--person', '--yes'], { cwd: app })).code === 0,
    'nothing runs any more',
  )
  expect(await desk.json(['memories', 'list'], { cwd: app })).toEqual([])
  const erasure = join(desk.dir, 'erased.jsonl')
  await desk.json(['export', '--all', erasure])
  const stranger = join(laptop.dir, 'other-home')
  const env = { HOLDFAST_HOME: stranger }
  try {
    const skipped = await laptop.cli(['import', erasure, '--json'], { env })
    expect(JSON.parse(skipped.stdout)).toMatchObject({ skippedErasures: { unknown: 1, invalid: 0, sessions: 0 } })
    const printed = await laptop.cli(['import', erasure], { env })
    expect(printed.stdout).toContain('--accept-erasures')
  } finally {
    await laptop.cli(['daemon', 'stop'], { env })
  }
  // The laptop knows the desk and its key from the first file.
  expect(await laptop.json(['import', erasure])).toMatchObject({ skippedErasures: { unknown: 0, invalid: 0 } })
  const left = JSON.stringify(await laptop.json(['memories', 'list'], { cwd: clone }))
  expect(left).not.toContain('tagged by the pipeline')
  expect(left).toContain('The clone is here')
})
