import type { SessionEvent } from '../../../src/kernel/event.ts'
import { EventId, SessionKey } from '../../../src/kernel/id.ts'
import { record } from './daemon.ts'
import type { Sent } from './log-check.ts'
import type { Random } from './random.ts'

function aPromptOf(writer: number, number: number, cwd: string): SessionEvent {
  return {
    kind: 'prompt-submitted',
    id: EventId(`writer-${writer}-event-${number}`),
    harness: 'claude-code',
    sessionKey: SessionKey(`writer-${writer}`),
    at: new Date().toISOString(),
    door: 'api',
    cwd,
    prompt: `Step ${number} of writer ${writer}. ${'x'.repeat((number * 37) % 2_000)}`,
  }
}

export interface Writers {
  readonly sent: Sent
  /** No new requests; resolves when the last one was answered or cut off. */
  stop(): Promise<void>
}

interface WritersOptions {
  readonly home: string
  readonly cwd: string
  readonly count: number
  readonly random: Random
}

/** Sends events without pause, each writer one request at a time. One that was cut off is sent again, as a client would. */
export function startWriters({ home, cwd, count, random }: WritersOptions): Writers {
  const acknowledged = new Map<string, number>()
  const attempted = new Set<string>()
  const stopping = new AbortController()
  const isStopped = () => stopping.signal.aborted

  async function write(writer: number): Promise<void> {
    let number = 0
    while (!isStopped()) {
      const size = random.chance(0.3) ? random.int(2, 8) : 1
      const events = Array.from({ length: size }, (_, index) => aPromptOf(writer, number + index, cwd))
      number += size
      for (const { id } of events) attempted.add(id)
      let seqs = await record(home, events)
      while (seqs === undefined && !isStopped()) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        seqs = await record(home, events)
      }
      seqs?.forEach((seq, index) => acknowledged.set(events[index]?.id ?? '', seq))
    }
  }

  const running = Array.from({ length: count }, (_, writer) => write(writer))
  return {
    sent: { acknowledged, attempted },
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
