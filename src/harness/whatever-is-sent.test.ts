import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventId } from '../kernel/id.ts'
import { SessionEventSchema } from '../wire/event.ts'
import type { Connector, Arrival } from './contract/connector.ts'
import { isObject, type JsonObject, asObject, asText } from '../kernel/json-shape.ts'
import { connectors } from './registry.ts'

const arrival: Arrival = { id: EventId('arrival-1'), at: '2026-11-15T18:00:00.000Z', door: 'hook', pid: 42 }

interface Call {
  readonly hook: string
  readonly payload: JsonObject
}

/** As the recorder wrote it: the payload by itself, or under its name; the hook with what it put before it. */
function recordedOf(id: string): readonly Call[] {
  const folder = join(import.meta.dirname, id, 'fixtures')
  if (!existsSync(folder)) return []
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'))
  return files.toSorted().map((file) => {
    const written = asObject(JSON.parse(readFileSync(join(folder, file), 'utf8')))
    const own = file.split(/[\\/]/).at(-1)?.split(/[.@]/)[0] ?? ''
    const hook = asText(written.hook)?.replace(/^(?:event|internal|legacy):/, '') ?? own
    return { hook, payload: isObject(written.payload) ? written.payload : written }
  })
}

/** Names that payloads of every harness use for what matters; nearly right is worse than quite wrong. */
const NAMES = [
  ...['session_id', 'conversation_id', 'trajectory_id', 'session', 'sessionID', 'prompt', 'prompt_id', 'turn_id'],
  ...[
    'tool_name',
    'tool_input',
    'tool_response',
    'tool_output',
    'tool_use_id',
    'tool_info',
    'tool',
    'toolName',
    'params',
  ],
  ...['input', 'output', 'event', 'ctx', 'context', 'agent_id', 'agent', 'cwd', 'transcript_path', 'source', 'trigger'],
  ...[
    'id',
    'message',
    'parts',
    'properties',
    'info',
    'last',
    'result',
    'timestamp',
    'workspace_roots',
    'text',
    'reason',
  ],
]

/** Every place in a value, each as the names that lead there. */
function placesIn(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (!isObject(value) || at.length > 4) return [at]
  return [at, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...at, key]))]
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by
  return { ...asObject(value), [key]: replaced(asObject(value)[key], rest, by) }
}

const anything = fc.anything({ maxDepth: 3 })
const nearly = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.oneof(anything, fc.string(), fc.dictionary(fc.constantFrom(...NAMES), anything)),
)

function callsOf(connector: Connector): fc.Arbitrary<{ readonly hook: string; readonly payload: unknown }> {
  const { id, hooks } = connector
  const recorded = recordedOf(id)
  const known = [...new Set([...hooks.map(({ hook }) => hook), ...recorded.map(({ hook }) => hook), 'toString', ''])]
  const free = fc.record({ hook: fc.constantFrom(...known), payload: fc.oneof(anything, nearly) })
  if (recorded.length === 0) return free
  const broken = (calls: readonly Call[]) =>
    fc
      .tuple(fc.constantFrom(...calls), fc.nat(), anything, fc.dictionary(fc.string(), anything, { maxKeys: 3 }))
      .map(([{ hook, payload }, position, value, extra]) => {
        const places = placesIn(payload)
        const place = places[position % places.length] ?? []
        return { hook, payload: { ...extra, ...asObject(replaced(payload, place, value)) } }
      })
  const telling = recorded.filter(({ hook, payload }) => connector.readEvent(hook, payload, arrival) !== undefined)
  return fc.oneof(free, broken(recorded), broken(telling))
}

describe.each(connectors.map((connector) => ({ id: connector.id, connector })))('$id', ({ connector }) => {
  test('property: whatever is sent, it is an event as the log takes it, nothing, or refused as invalid input', () => {
    let events = 0
    fc.assert(
      fc.property(callsOf(connector), ({ hook, payload }) => {
        let event: ReturnType<Connector['readEvent']>
        try {
          event = connector.readEvent(hook, payload, arrival)
          connector.isTranscriptMoreComplete?.(hook, payload)
          connector.canInject(hook, payload)
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'invalid-input' })
          return
        }
        if (event === undefined) return
        events += 1
        expect(SessionEventSchema.safeParse(event).error?.issues ?? []).toEqual([])
        expect(event.harness).toBe(connector.id)
      }),
      { numRuns: 400, seed: 20_261_116 },
    )
    // A control: payloads that are all refused would prove nothing.
    if (recordedOf(connector.id).length > 0) expect(events).toBeGreaterThan(50)
  })

  test('a hook and a field that nobody knows yet do no harm', () => {
    expect(connector.readEvent('hook_from_the_future', { session_id: 's' }, arrival)).toBeUndefined()
    for (const { hook, payload } of recordedOf(connector.id)) {
      const told = (value: JsonObject) => connector.readEvent(hook, value, arrival)
      expect(told({ ...payload, brand_new: { deep: [1] } })).toEqual(told(payload))
    }
  })

  test('property: what is answered is well-formed, whatever the words are', () => {
    const hooks = [...connector.hooks.map(({ hook }) => hook), 'hook_from_the_future']
    fc.assert(
      fc.property(fc.constantFrom(...hooks), fc.string({ unit: 'binary', maxLength: 300 }), (hook, words) => {
        const answers = [
          connector.writeInjection(hook, words),
          connector.writeRefusal?.(hook, words),
          connector.writeStop?.(hook, words),
        ]
        for (const answer of answers) expect(answer?.isWellFormed() ?? true).toBe(true)
      }),
      { numRuns: 150, seed: 20_261_116 },
    )
  })
})

test('a control: recordings are found, and an event that the log would not take is noticed', () => {
  const counts = connectors.map(({ id }) => [id, recordedOf(id).length > 10])
  expect(counts.filter(([, isMany]) => isMany).map(([id]) => id)).toEqual([
    'claude-code',
    'codex',
    'gemini-cli',
    'opencode',
    'openclaw',
  ])
  expect(SessionEventSchema.safeParse({ kind: 'turn-ended', harness: 'codex' }).success).toBe(false)
})
