import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EventId } from '../kernel/id.ts'
import { advance, type Session } from '../kernel/session.ts'
import { resolveHome } from '../platform/base/home.ts'
import { claudeCode } from './claude-code/index.ts'
import { setup as claudeCodeSetup } from './claude-code/setup.ts'
import { setup as codexSetup } from './codex/setup.ts'
import type { Arrival } from './contract/connector.ts'
import { cursor } from './cursor/index.ts'
import { geminiCli } from './gemini-cli/index.ts'
import { type JsonObject, asObject, asText } from '../kernel/json-shape.ts'
import { setup as openClawSetup } from './openclaw/setup.ts'
import type { HarnessSetup, SetupPorts } from '../install/contract/setup.ts'
import { windsurf } from './windsurf/index.ts'

// Each test is named after what a harness does that would lead us astray; those about payloads alone stand beside their reader.

const PACKAGE = join(import.meta.dirname, '..', '..')
const cadence = { promptInterval: 10, timeIntervalMs: 900_000 }
const ports: SetupPorts = {
  env: { HOME: '/home/me', PATH: '', HOLDFAST_HOME: '/home/me/kept' },
  cwd: '/srv/project',
  home: resolveHome({ HOLDFAST_HOME: '/home/me/kept' }),
  distDir: join(PACKAGE, 'dist'),
  skillsDir: join(PACKAGE, 'skills'),
  platform: 'linux',
  nodePath: '/usr/bin/node',
}

let receipts = 0
/** As they come: each with a arrival of its own. */
const arrival = (): Arrival => {
  receipts += 1
  return { id: EventId(`arrival-${receipts}`), at: '2026-11-15T18:00:00.000Z', door: 'hook' }
}

function recorded(name: string): JsonObject {
  const text = readFileSync(join(import.meta.dirname, 'claude-code', 'fixtures', `${name}@2.1.325.json`), 'utf8')
  return asObject(asObject(JSON.parse(text)).payload ?? JSON.parse(text))
}

function play(calls: readonly (readonly [hook: string, payload: JsonObject])[]): Session {
  const events = calls.flatMap(([hook, payload]) => claudeCode.readEvent(hook, payload, arrival()) ?? [])
  const session = events.reduce<Session | undefined>(
    (before, event, index) => advance(before, event, { seq: index + 1, cadence }).session,
    undefined,
  )
  if (session === undefined) throw new Error('none of these is an event')
  return session
}

function entryText(setup: HarnessSetup, id: string, http?: { readonly port: number; readonly token: string }): string {
  const piece = setup.edits(ports, 'user', http).find((one) => one.id === id)
  return piece?.shape === 'entry' ? piece.add('').text : ''
}

describe('Claude Code 2.1.325', () => {
  const hooks = () =>
    asObject(asObject(JSON.parse(entryText(claudeCodeSetup, 'hooks', { port: 4_747, token: 't' }))).hooks)
  const entriesOf = (hook: string) =>
    (Array.isArray(hooks()[hook]) ? [hooks()[hook]].flat() : []).flatMap((group) => {
      const { hooks: inner } = asObject(group)
      return Array.isArray(inner) ? inner.map(asObject) : []
    })

  test('http hooks are skipped for SessionStart with only a debug line, and the server is gone at SessionEnd: both are commands', () => {
    const types = ['SessionStart', 'SessionEnd', 'PostToolUse'].map((hook) => entriesOf(hook).map(({ type }) => type))
    expect(types).toEqual([['command'], ['command'], ['http']])
  })

  test('SessionEnd is cancelled after about 1.5 s unless the hook names a timeout: ours does', () => {
    const commands = Object.keys(hooks())
      .flatMap(entriesOf)
      .filter(({ type }) => type === 'command')
    expect(commands.length).toBeGreaterThan(3)
    expect(commands.filter(({ timeout }) => Number(timeout) < 5)).toEqual([])
  })

  test('additionalContext at Stop continues the turn: nothing is said there', () => {
    expect(['Stop', 'SubagentStop'].map((hook) => claudeCode.writeInjection(hook, 'Where you were'))).toEqual([
      undefined,
      undefined,
    ])
  })

  test('PreCompact fires, bails out without a PostCompact, and fires again: one compaction is counted, and none is left open', () => {
    const [start, pre, post] = ['SessionStart.startup', 'PreCompact.auto', 'PostCompact.auto'].map(recorded)
    const [stop] = ['Stop'].map(recorded)
    const before = [
      ['SessionStart', start ?? {}],
      ['PreCompact', pre ?? {}],
      ['PreCompact', pre ?? {}],
    ] as const
    expect(play([...before, ['PostCompact', post ?? {}]])).toMatchObject({ compactionCount: 1, phase: 'working' })
    expect(play([...before, ['Stop', stop ?? {}]])).toMatchObject({ compactionCount: 0, phase: 'idle' })
  })

  test('/compact ends a subagent that has no type: that is the compaction itself, and nobody’s subagent', () => {
    const fork = recorded('SubagentStop.compaction_fork')
    expect(fork.agent_type).toBe('')
    expect(claudeCode.readEvent('SubagentStop', fork, arrival())).toBeUndefined()
  })

  test('SessionStart has no model on resume and clear: the one that is known stays', () => {
    const [start, resume] = ['SessionStart.startup', 'SessionStart.resume'].map(recorded)
    const sameSession = { ...resume, session_id: start?.session_id }
    expect(resume?.model).toBeUndefined()
    const session = play([
      ['SessionStart', start ?? {}],
      ['SessionStart', sameSession],
    ])
    expect([session.model, session.source]).toEqual([start?.model, 'resume'])
  })

  test('/clear ends the session and begins another under a new id', () => {
    const [end, start] = ['SessionEnd.clear', 'SessionStart.clear'].map(recorded)
    expect(end?.session_id).not.toBe(start?.session_id)
    expect(play([['SessionEnd', end ?? {}]])).toMatchObject({ phase: 'ended', endReason: 'clear' })
    expect(play([['SessionStart', start ?? {}]])).toMatchObject({ phase: 'idle', source: 'clear' })
  })
})

test('Codex 0.166: an MCP server does not inherit the environment, so its entry names the home', () => {
  expect(entryText(codexSetup, 'mcp')).toMatch(/HOLDFAST_HOME\s*=\s*"\/home\/me\/kept"/)
})

test('Gemini CLI 0.61: plain text on stdout is not allowed, so all that is ever printed is JSON', () => {
  for (const { hook } of geminiCli.hooks)
    for (const text of [
      geminiCli.writeInjection(hook, 'Where you were'),
      geminiCli.writeRefusal?.(hook, 'No.'),
      geminiCli.writeStop?.(hook, 'No.'),
      geminiCli.emptyReply,
    ])
      if (text !== undefined) expect(() => JSON.parse(text)).not.toThrow()
})

test('OpenClaw 2026.9.6: without allowConversationAccess a plugin sees no prompts, so the entry gives it', () => {
  const { plugins } = asObject(JSON.parse(entryText(openClawSetup, 'plugin-entry')))
  expect(asObject(asObject(asObject(plugins).entries).holdfast).hooks).toEqual({ allowConversationAccess: true })
  const off = '{"plugins":{"entries":{"holdfast":{"hooks":{"allowConversationAccess":false}}}}}'
  expect(openClawSetup.findDisablingSetting(off, 'openclaw.json')).toContain('allowConversationAccess')
})

describe('Cursor (SDK 1.0.32)', () => {
  test('what stop and subagentStop say becomes a follow-up, up to five times: nothing is said there', () => {
    expect(['stop', 'subagentStop'].filter((hook) => cursor.canInject(hook, {}))).toEqual([])
  })

  test('preCompact takes a message for the user alone: nothing is put before the agent there', () => {
    expect(cursor.writeInjection('preCompact', 'Where you were')).toBeUndefined()
    expect(cursor.capabilities.compactionHint).toBeUndefined()
  })
})

test('Windsurf: a pre-hook can block what it announces, so ours run afterwards, except for the prompt', () => {
  expect(windsurf.hooks.map(({ hook }) => hook).filter((hook) => hook.startsWith('pre_'))).toEqual(['pre_user_prompt'])
  expect(asText(windsurf.emptyReply)).toBe('')
})
