import { describe, expect, test } from 'vitest'
import { anEvent } from '../../test/support/events.ts'
import type { FileTouch, SessionEvent } from '../kernel/event.ts'
import { createRedactor } from './redactor.ts'
import { redactEvent } from './redact-event.ts'

/** A value that no rule recognizes, under a name without a keyword. */
const TEXT = 'SERVICE=swordfish-of-the-day'

function toolOn(file: FileTouch): SessionEvent {
  return anEvent('tool-finished', {
    tool: { name: 'Edit', kind: 'edit', files: [file], fragment: TEXT, names: ['swordfishOfTheDay'] },
    outcome: {
      ok: true,
      output: TEXT,
      names: ['swordfishOfTheDay'],
      paths: ['src/swordfish.ts'],
      hits: { 'src/swordfish.ts': 2 },
      plan: '# Swordfish\n- [ ] swordfish\n- [ ] x',
    },
  })
}

describe('tool output of an env file', () => {
  test.each(['.env', '/project/packages/api/.env', '.env.local', 'C:\\app\\.env.production'])(
    '%s is not stored',
    (path) => {
      const kept = redactEvent(toolOn({ path, action: 'edited' }), createRedactor())
      expect(kept).toMatchObject({
        kind: 'tool-finished',
        tool: { files: [{ path, action: 'edited' }] },
        outcome: { ok: true },
      })
      expect(JSON.stringify(kept)).not.toMatch(/swordfish/i)
    },
  )

  test.each(['.env.example', 'src/env.ts', '.envrc.md'])('%s is not an env file', (path) => {
    const event = toolOn({ path, action: 'edited' })
    expect(JSON.stringify(redactEvent(event, createRedactor()))).toBe(JSON.stringify(event))
  })
})

describe('output of a command', () => {
  const run = (command: string): SessionEvent =>
    anEvent('tool-finished', {
      tool: { name: 'Bash', kind: 'shell', files: [], command },
      outcome: { ok: true, output: TEXT, names: ['swordfishOfTheDay'] },
    })

  test.each(['git show HEAD:.env', 'git cat-file -p HEAD:app/.env.local', 'cat .env*', 'cat ./.env{,.local}'])(
    '%s: is not stored where it is an env file',
    (command) => {
      const kept = redactEvent(run(command), createRedactor())
      expect(kept).toMatchObject({ tool: { command }, outcome: { ok: true } })
      expect(JSON.stringify(kept)).not.toMatch(/swordfish/i)
    },
  )

  test.each(['ls .env*', 'cat .env.example', 'git show HEAD:src/env.ts'])('%s: is stored', (command) => {
    expect(redactEvent(run(command), createRedactor())).toMatchObject({ outcome: { output: TEXT } })
  })
})

test('a plan is stored without its secrets', () => {
  const secret = `ghp_${'a1B2c3D4'.repeat(5)}`.slice(0, 40)
  const tool = { name: 'Plan', kind: 'other', files: [], plan: `1. call it with ${secret}` } as const
  const kept = redactEvent(anEvent('tool-started', { tool }), createRedactor())
  expect(kept).toMatchObject({ tool: { plan: '1. call it with [REDACTED:github-token]' } })
})

test('names and paths that are secrets themselves are left out', () => {
  const secret = `ghp_${'a1B2c3D4'.repeat(5)}`.slice(0, 40)
  const event = anEvent('tool-finished', {
    tool: { name: 'Write', kind: 'edit', files: [], names: [secret, 'readRuns'] },
    outcome: {
      ok: true,
      names: ['openStore', secret],
      paths: ['src/store.ts', `out/${secret}.json`],
      hits: { [`out/${secret}.json`]: 3 },
      plan: `- [ ] use ${secret}\n- [ ] store it`,
    },
  })
  const kept = redactEvent(event, createRedactor())
  expect(kept).toMatchObject({ tool: { names: ['readRuns'] } })
  expect(kept).toMatchObject({ outcome: { names: ['openStore'], paths: ['src/store.ts'] } })
  expect(kept).toMatchObject({ outcome: { plan: '- [ ] use [REDACTED:github-token]\n- [ ] store it' } })
  expect(JSON.stringify(kept)).not.toContain(secret)
})

test('names that are pieces of a value of the project are left out', () => {
  const redactor = createRedactor({ extraValues: ['correctHorse+batteryStaple/9'] })
  const names = ['correctHorse', 'readRuns', 'batteryStaple']
  const event = anEvent('tool-finished', {
    tool: { name: 'Write', kind: 'edit', files: [], names },
    outcome: { ok: true, names: names.toReversed() },
  })
  expect(redactEvent(event, redactor)).toMatchObject({
    tool: { names: ['readRuns'] },
    outcome: { names: ['readRuns'] },
  })
  expect(redactEvent(event, createRedactor())).toMatchObject({ tool: { names } })
})
