import { describe, expect, test } from 'vitest'
import { AgentApiSetup, ROOT } from '../../test/support/agent-api-setup.ts'

const LIVE = { pid: 11, startedAt: 'a' }
const KILLED = { pid: 22, startedAt: 'b' }

describe('intents', () => {
  test('conflict with those of live sessions on normalized paths and globs only', async () => {
    await using world = await AgentApiSetup.open()
    const { door } = world
    await world.happen('live', { kind: 'session-started', source: 'startup', process: LIVE })
    await world.happen('killed', { kind: 'session-started', source: 'startup', process: KILLED })
    await world.happen('ended', { kind: 'session-started', source: 'startup', process: { pid: 33, startedAt: 'c' } })
    await world.happen('ended', { kind: 'session-ended', reason: 'exit' })
    world.dead.add(KILLED.pid)
    for (const sessionLabel of ['live', 'killed', 'ended', 'stranger'])
      await door.recordIntent({ cwd: ROOT, intent: `work of ${sessionLabel}`, files: ['src/**/*.ts'], sessionLabel })
    await door.recordIntent({ cwd: ROOT, intent: 'elsewhere', files: ['docs'], sessionLabel: 'writer' })

    const { conflicts, intent } = await door.recordIntent({
      cwd: ROOT,
      intent: 'Fix the cart',
      files: [`${ROOT}/./src/x/../cart.ts`, 'src/cart.ts'],
      sessionLabel: 'me',
    })
    expect(intent.files).toEqual(['src/cart.ts'])
    expect(
      conflicts.map((conflict) => [conflict.intent.sessionLabel, conflict.intent.standing, conflict.files]),
    ).toEqual([
      ['stranger', 'unknown', ['src/**/*.ts']],
      ['live', 'live', ['src/**/*.ts']],
    ])
    const listed = await door.listIntents({ cwd: ROOT, limit: 9 })
    expect(Object.fromEntries(listed.map((one) => [one.sessionLabel, one.standing]))).toEqual({
      live: 'live',
      killed: 'dead',
      ended: 'dead',
      stranger: 'unknown',
      writer: 'unknown',
      me: 'unknown',
    })
  })

  test('an unknown session counts as alive for hours, not for days', async () => {
    await using world = await AgentApiSetup.open()
    await world.door.recordIntent({ cwd: ROOT, intent: 'x', files: ['a.ts'], sessionLabel: 'stranger' })
    world.time.advance(24 * 3_600_000)
    expect(await world.door.findConflicts({ cwd: ROOT, files: ['a.ts'], sessionLabel: 'me' })).toEqual([])
    expect(await world.door.listIntents({ cwd: ROOT, limit: 9 })).toMatchObject([{ standing: 'dead' }])
  })

  test('another checkout of the repository is distinguished', async () => {
    await using world = await AgentApiSetup.open()
    world.directories.add(`${ROOT}#2`)
    await world.door.recordIntent({ cwd: `${ROOT}#2`, intent: 'x', files: ['a.ts'], sessionLabel: 'other' })
    expect(await world.door.findConflicts({ cwd: ROOT, files: ['a.ts'] })).toMatchObject([{ isSameWorktree: false }])
  })

  test('completing is once, keeps the first outcome, and refuses a session without any', async () => {
    await using world = await AgentApiSetup.open()
    const { door } = world
    const { intent } = await door.recordIntent({ cwd: ROOT, intent: 'x', files: ['a.ts'] })
    const { sessionLabel } = intent
    const done = await door.completeIntent({ cwd: ROOT, sessionLabel, outcome: 'it works' })
    world.time.advance(60_000)
    const again = await door.completeIntent({ cwd: ROOT, sessionLabel, outcome: 'no, it does not' })
    expect([done.completedNow, again.completedNow]).toEqual([1, 0])
    expect(again.intents).toEqual([{ ...intent, completedAt: intent.startedAt, outcome: 'it works' }])
    expect(await door.listIntents({ cwd: ROOT, limit: 9 })).toEqual([])
    await expect(door.completeIntent({ cwd: ROOT, sessionLabel: 'nobody' })).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  test('secrets are redacted before anything is stored', async () => {
    await using world = await AgentApiSetup.open()
    const said = { intent: `use ${world.secret}`, files: [`src/${world.secret}.ts`], sessionLabel: 's' }
    await world.door.recordIntent({ cwd: ROOT, ...said })
    await world.door.completeIntent({ cwd: ROOT, sessionLabel: 's', outcome: `used ${world.secret}` })
    const kept = await world.door.listIntents({ cwd: ROOT, includeCompleted: true, limit: 9 })
    expect(JSON.stringify(kept)).not.toContain(world.secret)
  })
})
