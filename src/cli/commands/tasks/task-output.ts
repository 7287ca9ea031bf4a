import { gateLabel } from '../../../tasks/model/gate.ts'
import type { RitualStep } from '../../../tasks/rituals.ts'
import type { TaskView, TimelineEntry, WrittenCheckpoint } from '../../../tasks/tasks.ts'
import type { CliIo } from '../../shared/command.ts'
import { colorsOf, oneLine, printLine, table } from '../../shared/output.ts'

export function printTask(
  io: CliIo,
  { definition, status, gates_open: wanting, active_session: active }: TaskView,
): void {
  const { dim } = colorsOf(io)
  printLine(io, `${definition.task_slug}  ${status.status}  ${gateLabel(status.current_gate)}  ${dim(definition.flow)}`)
  printLine(io, `  ${oneLine(definition.title, 100)}`)
  if (wanting.length > 0) printLine(io, `  Open gates: ${wanting.join(', ')}`)
  if (active !== null) printLine(io, `  Under way: ${active.session_id}`)
  for (const blocker of status.blockers) printLine(io, `  Blocked: ${oneLine(blocker, 160)}`)
  for (const next of status.next_steps) printLine(io, `  Next: ${oneLine(next, 160)}`)
}

export function printCheckpoint(io: CliIo, { checkpoint, line, mirrored }: WrittenCheckpoint): void {
  const { yellow } = colorsOf(io)
  printLine(io, line)
  if (checkpoint.missing.length > 0)
    printLine(io, yellow(`  It does not tell: ${oneLine(checkpoint.missing.join(', '), 300)}`))
  if (mirrored !== true) printLine(io, yellow(`  Not among the memories: ${oneLine(mirrored, 200)}`))
}

export function printSteps(io: CliIo, steps: readonly RitualStep[]): void {
  const { dim } = colorsOf(io)
  io.out(
    table(steps.map(({ name, durationMs, detail }) => [`  ${name}`, dim(`${durationMs} ms`), oneLine(detail, 110)])),
  )
}

function told(entry: TimelineEntry): readonly [string, string] {
  switch (entry.kind) {
    case 'session':
      return [entry.session_id, entry.change]
    case 'checkpoint': {
      const follows = entry.follows.length === 0 ? '' : `  ← ${entry.follows.join(', ')}`
      return [entry.checkpoint_id, `${entry.gate} ${entry.type}: ${entry.summary}${follows}`]
    }
    case 'gate':
      return [entry.checkpoint_id, `${entry.from === null ? '' : `${entry.from} → `}${gateLabel(entry.gate)}`]
    case 'incident':
      return [entry.session_id ?? '', `${entry.incident}: ${entry.detail}`]
  }
}

export function printTimeline(io: CliIo, entries: readonly TimelineEntry[]): void {
  const { dim, red, bold } = colorsOf(io)
  io.out(
    table(
      entries.map((entry) => {
        const [subject, text] = told(entry)
        const kind = entry.kind === 'incident' ? red(entry.kind) : entry.kind === 'gate' ? bold(entry.kind) : entry.kind
        return [dim(entry.at), kind, subject, oneLine(text, 140)]
      }),
    ),
  )
}
