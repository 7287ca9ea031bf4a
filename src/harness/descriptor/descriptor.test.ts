import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventId } from '../../kernel/id.ts'
import type { Arrival } from '../contract/connector.ts'
import { connectors } from '../registry.ts'
import { createGeneric } from '../generic/index.ts'
import { type HarnessDescriptor, parseDescriptor, readDescriptor, DESCRIPTOR_FIELDS } from './descriptor.ts'

const arrival: Arrival = { id: EventId('arrival-1'), at: '2026-11-15T18:00:00.000Z', door: 'hook' }
const doc = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'generic-harness.md'), 'utf8')
const written: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(doc)?.[1] ?? '')
const typist: HarnessDescriptor = parseDescriptor(written, 'docs/generic-harness.md')
const connector = createGeneric((name) => (name === 'typist' ? typist : undefined))
const read = (hook: string, payload: unknown) => connector.readEvent(hook, payload, arrival)

const minimal = { name: 'typist', mcp: { file: '~/.typist/servers.json' } }
const faultsOf = (page: object) => readDescriptor({ ...minimal, ...page }).faults

describe('the page in docs/generic-harness.md', () => {
  test('says what the harness’s payloads mean', () => {
    const chat = { id: 's-17', folder: '/w' }
    const told = [
      read('typist.session-started.Boot', { chat, why: 'again' }),
      read('typist.prompt-submitted.Ask', { chat, text: 'Fix it.', message_id: 'm1' }),
      read('typist.tool-finished.AfterTool', {
        chat,
        call_id: 'c1',
        tool: 'bash',
        arguments: { command: 'npm test' },
        result: { status: 1, lines: ['boom'] },
      }),
      read('typist.tool-finished.ToolFailed', {
        chat,
        tool: 'edit',
        arguments: { path: 'a.ts' },
        result: 'no such file',
      }),
      read('typist.turn-ended.Reply', { chat, text: 'Done.', message_id: 'm2' }),
      read('typist.session-ended.Quit', { chat }),
    ]
    expect(told).toMatchObject([
      { kind: 'session-started', sessionKey: 'typist:s-17', source: 'resume', cwd: '/w' },
      { id: 'generic/typist:s-17/prompt-submitted/m1', prompt: 'Fix it.' },
      {
        id: 'generic/typist:s-17/tool-finished/c1',
        tool: { kind: 'shell', command: 'npm test' },
        outcome: { ok: false, exitStatus: 1, output: '{"status":1,"lines":["boom"]}' },
      },
      { tool: { kind: 'edit', files: [{ path: 'a.ts', action: 'edited' }] }, outcome: { ok: false } },
      { kind: 'turn-ended', lastMessage: 'Done.' },
      { kind: 'session-ended', reason: 'other' },
    ])
  })

  test('says how the harness is answered, and where it is not', () => {
    expect(connector.writeInjection('typist.session-started.Boot', 'Where you were')).toBe(
      '{"addToContext":"Where you were"}',
    )
    expect(connector.writeInjection('typist.turn-ended.Reply', 'Where you were')).toBeUndefined()
    expect(connector.writeRefusal?.('typist.tool-started.BeforeTool', 'Not here.')).toBe(
      '{"allow":false,"why":"Not here."}',
    )
    expect(connector.writeStop?.('typist.prompt-submitted.Ask', 'Enough.')).toBe('{"stop":true,"why":"Enough."}')
    expect(connector.writeRefusal?.('tool-started', 'Not here.')).toBeUndefined()
  })

  test('and its table name every entry that there is', () => {
    const table = doc.slice(doc.indexOf('| entry | means |'), doc.indexOf('## One call for each event'))
    const names = ['name', 'title', 'hooks.file', 'hooks.projectFile', 'hooks.style', 'hooks.entry', 'hooks.events']
    const parts = ['fields', 'values', 'answers', 'refusals', 'stops', 'mcp', 'instructions', 'skills', 'at', 'form']
    expect([...names, ...parts].filter((name) => !table.includes(`\`${name}\``))).toEqual([])
    const fields = doc.slice(doc.indexOf('| field |'), doc.indexOf('## What comes back'))
    expect(DESCRIPTOR_FIELDS.filter((field) => !fields.includes(`\`${field.split('.')[0]}\``))).toEqual([])
  })
})

describe('a page that is wrong is refused with what is wrong in it', () => {
  test.each([
    [{ name: 'Typist 2' }, 'name: must be lower-case letters, digits and hyphens, at most 40.'],
    [{ name: 'codex' }, 'name: is the name of a harness that Holdfast has code for.'],
    [{ hoks: {} }, 'hoks: unknown entry.'],
    [{ hooks: { events: {} } }, 'hooks.events: must name at least one hook.'],
    [{ hooks: { events: { 'A b': 'turn-ended' } } }, 'hooks.events.A b: must be letters, digits, _ and -.'],
    [{ hooks: { file: '../x.json', events: { A: 'turn-ended' } } }, 'hooks.file: must begin with ~/ or be absolute.'],
    [{ mcp: { projectFile: 'a/../../x.json' } }, 'mcp.projectFile: must not contain ...'],
    [{ mcp: { projectFile: '/etc/x.json' } }, 'mcp.projectFile: must be relative to the project.'],
    [{ instructions: { file: '~/.bashrc' } }, 'instructions.file: must be a .md, .mdc or .txt file.'],
    [{ answers: { 'session-started': { a: 1 } } }, 'must contain "$text": the place for the injected text.'],
  ])('%j', (page, fault) => {
    expect(faultsOf(page).join('\n')).toContain(fault)
  })

  test('every fault is reported at once, with the allowed words', () => {
    const faults = faultsOf({ hooks: { events: { A: 'prompt' } }, fields: { promt: 'text' }, extra: 1 })
    expect(faults).toHaveLength(3)
    expect(faults.join('\n')).toMatch(/prompt-submitted[\s\S]*exitStatus|exitStatus[\s\S]*prompt-submitted/)
    expect(readDescriptor({ name: 'typist' }).faults).toEqual([
      'the descriptor: it has no hooks, mcp, instructions or skills.',
    ])
    expect(readDescriptor([]).faults).toHaveLength(1)
    expect(() => parseDescriptor({}, 'typist.json')).toThrow(/typist\.json is not a valid harness descriptor/)
  })

  test('the names of our own connectors are taken', () => {
    expect(connectors.filter(({ id }) => faultsOf({ name: id }).length === 0)).toEqual([])
  })
})

test('whatever a harness sends by a page, it is read, found silent or refused, and never breaks', () => {
  const words = Object.entries(typist.hooks?.events ?? {}).map(
    ([hook, told]) => `typist.${typeof told === 'string' ? told : told.event}.${hook}`,
  )
  const anything = fc.anything({ maxDepth: 3 })
  const payload = fc.oneof(
    anything,
    fc.record({
      chat: fc.record({ id: fc.string(), folder: anything }),
      text: anything,
      tool: anything,
      result: anything,
    }),
  )
  const hook = fc.oneof(
    fc.constantFrom(...words),
    fc.constantFrom('typist.', '.', 'nobody.turn-ended.X', '__proto__.a.b'),
  )
  fc.assert(
    fc.property(hook, payload, (name, value) => {
      try {
        read(name, value)
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'invalid-input' })
      }
    }),
    { numRuns: 400, seed: 5 },
  )
})
