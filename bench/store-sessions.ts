import { performance } from 'node:perf_hooks'
import type { EventId } from '../src/kernel/id.ts'
import type { Store } from '../src/kernel/ports/ports.ts'
import { aPlace, aPrompt, aStart, CADENCE, idOf } from '../test/contracts/store-examples.ts'

export interface SessionsResult {
  readonly sessions: number
  readonly acked: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Acknowledged and not in the log. */
  readonly lost: number
  /** In the log of a session that did not send them, or out of the order it sent them in. */
  readonly mixed: number
}

async function runSession(
  store: Store,
  name: string,
  events: number,
  latencies: number[],
): Promise<readonly EventId[]> {
  const place = aPlace()
  const sent: EventId[] = []
  for (let number = 0; number < events; number += 1) {
    const event =
      number === 0 ? aStart(name) : aPrompt(name, { prompt: `Prompt ${number} of ${name}. ${'x'.repeat(600)}` })
    const started = performance.now()
    await store.append([{ event, location: place }], CADENCE)
    latencies.push(performance.now() - started)
    sent.push(event.id)
  }
  return sent
}

/** A closed loop: every session sends its next event once the last one is durable. Then everything is read back. */
export async function runSessions(store: Store, sessions: number, events: number): Promise<SessionsResult> {
  const names = Array.from({ length: sessions }, (_, index) => `bench-${index}`)
  const latencies: number[] = []
  await runSession(store, 'warm-up', 20, [])
  const started = performance.now()
  const sent = await Promise.all(names.map((name) => runSession(store, name, events, latencies)))
  const seconds = (performance.now() - started) / 1_000
  let lost = 0
  let mixed = 0
  for (const [index, name] of names.entries()) {
    const expected = sent[index] ?? []
    const stored = (await store.listEvents({ sessionId: idOf(name), limit: events * 2 })).map(({ event }) => event.id)
    lost += expected.filter((id) => !stored.includes(id)).length
    mixed += stored.filter((id, position) => id !== expected[position]).length
  }
  if ((await store.verify()).length > 0) throw new Error('The log does not verify.')
  const sorted = latencies.toSorted((a, b) => a - b)
  return {
    sessions,
    acked: latencies.length,
    seconds,
    p50Ms: sorted[Math.floor(sorted.length / 2)] ?? 0,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    lost,
    mixed,
  }
}
