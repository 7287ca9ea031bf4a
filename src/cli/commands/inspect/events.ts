import { shortKey, SessionKey } from '../../../kernel/id.ts'
import type { SessionEvent } from '../../../kernel/event.ts'
import type { EventQuery } from '../../../kernel/ports/store-queries.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { isSet, numberOption, sessionKey, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import {
  count,
  formatAge,
  getColors,
  oneLine,
  printableName,
  printJson,
  printLine,
  table,
} from '../../shared/output.ts'

const DEFAULT_LIMIT = 20

async function createQuery({ options, context }: CommandInput): Promise<EventQuery> {
  const continuity = await context.continuity()
  const limit = numberOption(options, 'limit') ?? DEFAULT_LIMIT
  const afterSeq = numberOption(options, 'after')
  const key = textOption(options, 'session')
  if (key !== undefined) {
    const session = await continuity.getSession(SessionKey(key))
    return { sessionId: session.id, limit, ...(afterSeq !== undefined && { afterSeq }) }
  }
  // Sequence numbers have no gaps, so the count is the newest one.
  const { events } = await continuity.counts()
  return { afterSeq: afterSeq ?? Math.max(0, events - limit), limit }
}

function describeEvent(event: SessionEvent): string {
  switch (event.kind) {
    case 'prompt-submitted':
      return event.prompt
    case 'tool-started':
    case 'tool-finished':
      return [event.tool.name, event.tool.command ?? event.tool.files[0]?.path ?? event.tool.query ?? ''].join(' ')
    case 'turn-ended':
    case 'subagent-finished':
      return event.lastMessage ?? ''
    case 'session-started':
      return event.source
    case 'session-ended':
      return event.reason
    case 'compaction-started':
      return event.trigger
    case 'digest-written':
      return event.summary
    case 'remembered':
      return event.content
    case 'gate-changed':
      return `${event.task} ${event.to}`
    case 'task-session-changed':
      return `${event.task} ${event.taskSession} ${event.state}`
    case 'decision-made':
      return event.decision
    case 'error-recovered':
      return event.error
    case 'compaction-finished':
    case 'subagent-started':
      return ''
  }
}

export const eventsListCommand: CliCommand = {
  configure(command) {
    command
      .option('--session <key>', 'only of this session', sessionKey)
      .option('--after <seq>', 'only after this sequence number', wholeNumber(0, Number.MAX_SAFE_INTEGER))
      .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 1_000))
  },
  async run(input) {
    const { options, context } = input
    const continuity = await context.continuity()
    const events = await continuity.listEvents(await createQuery(input))
    if (isSet(options, 'json')) {
      printJson(context.io, events)
    } else if (events.length === 0) {
      printLine(context.io, 'No events.')
    } else {
      const { dim } = getColors(context.io)
      const now = systemClock.now()
      context.io.out(
        table(
          events.map(({ seq, event }) => [
            String(seq),
            dim(formatAge(event.at, now)),
            shortKey(printableName(event.sessionKey)),
            event.kind,
            oneLine(describeEvent(event), 90),
          ]),
        ),
      )
    }
    return 0
  },
}

const REMOVALS_PAGE = 1_000

export const eventsRemovedCommand: CliCommand = {
  configure(command) {
    command.addHelpText(
      'after',
      '\nCounts the marks that redaction left in the stored events. No value is stored\nanywhere.',
    )
  },
  async run({ options, context }) {
    const continuity = await context.continuity()
    const counts = new Map<string, { day: string; kind: string; session: string; count: number }>()
    let scanned = 0
    for (let beforeSeq: number | undefined; ; ) {
      const page = await continuity.listRemovals({
        limit: REMOVALS_PAGE,
        ...(beforeSeq !== undefined && { beforeSeq }),
      })
      scanned += page.scanned
      for (const { at, sessionKey: session, kinds } of page.removals) {
        const day = at.slice(0, 10)
        for (const { kind, count: more } of kinds) {
          const key = `${day} ${kind} ${session}`
          counts.set(key, { day, kind, session, count: (counts.get(key)?.count ?? 0) + more })
        }
      }
      if (page.next === undefined) break
      beforeSeq = page.next
    }
    const removed = [...counts.values()]
    if (isSet(options, 'json')) printJson(context.io, { scanned, removed })
    else if (removed.length === 0) printLine(context.io, `Nothing was removed from ${count(scanned, 'event')}.`)
    else
      context.io.out(
        table(removed.map((one) => [one.day, one.kind, shortKey(SessionKey(one.session)), String(one.count)])),
      )
    return 0
  },
}
