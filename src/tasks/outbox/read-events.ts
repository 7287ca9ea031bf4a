import * as z from 'zod'
import type { CloudEvent } from '../model/cloud-event.ts'
import { readProjectFile } from '../../platform/files/project-file.ts'

const MAX_BYTES = 32_000_000

const Event = z.object({
  specversion: z.literal('1.0'),
  id: z.string().min(1).max(200),
  type: z.string().min(1),
  source: z.string(),
  subject: z.string(),
  time: z.string(),
  datacontenttype: z.literal('application/json'),
  data: z.record(z.string(), z.unknown()),
}) satisfies z.ZodType<CloudEvent>

export interface OutboxLocation {
  /** The checkout's root. */
  readonly root: string
  readonly slug: string
}

export interface OutboxEvents {
  /** In file order, each id once. */
  readonly events: readonly CloudEvent[]
  /** Invalid lines: incomplete after a crash, or conflict markers of a merge. */
  readonly unreadable: number
}

function parseLine(line: string): CloudEvent | undefined {
  try {
    return Event.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

export function readOutboxEvents({ root, slug }: OutboxLocation): OutboxEvents {
  const file = readProjectFile({ root, path: `tasks/${slug}/json/events.ndjson` }, MAX_BYTES)
  const lines = (file?.bytes.toString('utf8') ?? '').split('\n').filter((line) => line.trim() !== '')
  const events = new Map<string, CloudEvent>()
  let unreadable = 0
  for (const line of lines) {
    const event = parseLine(line)
    if (event === undefined) unreadable += 1
    else if (!events.has(event.id)) events.set(event.id, event)
  }
  return { events: [...events.values()], unreadable }
}
