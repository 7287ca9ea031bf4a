import { formatGate } from '../../../tasks/model/gate.ts'
import type { RitualStep } from '../../../tasks/rituals.ts'
import type { TaskView, TimelineEntry, CheckpointResult } from '../../../tasks/tasks.ts'
import type { CliIo, CommandInput } from '../../shared/command.ts'
import { getColors, oneLine, printLine, table } from '../../shared/output.ts'
import type { Command } from 'commander'
import { HoldfastError } from '../../../kernel/errors.ts'
import { type CheckpointContent, parseFileChange, type TestCounts } from '../../../tasks/model/task-checkpoint.ts'
import { collect, listOption, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'

/** The options of every command that writes a checkpoint. */
export function addContentOptions(command: Command): Command {
  return command
    .option('--summary <text>', 'what was done')
    .option('--decision <text>', 'a decision (repeatable)', collect)
    .option('--rationale <text>', 'its reason; one per decision, in order', collect)
    .option('--alternative <text>', 'a rejected alternative (repeatable)', collect)
    .option('--file <path>', 'created:src/a.ts, modified:… or deleted:… (repeatable)', collect)
    .option('--error <text>', 'an error (repeatable)', collect)
    .option('--resolution <text>', 'its resolution; one per error, in order', collect)
    .option('--tests <p/f/p>', 'test counts passing/failing/pending: 12/0/2')
    .option('--blocker <text>', 'a blocker (repeatable)', collect)
    .option('--next <text>', 'a next step (repeatable)', collect)
    .option('--step <n>', 'the step within the gate', wholeNumber(0, 10_000))
    .option('--instructions <text>', 'how to resume')
}

function parseTestCounts(text: string): TestCounts {
  const [, passing, failing, pending] = /^(\d{1,7})\/(\d{1,7})\/(\d{1,7})$/.exec(text) ?? []
  if (pending === undefined)
    throw new HoldfastError('invalid-input', `${JSON.stringify(text)} is not a test status.`, {
      hint: 'Use passing/failing/pending: --tests 12/0/2',
    })
  return { passing: Number(passing), failing: Number(failing), pending: Number(pending) }
}

export function readCheckpointContent(options: CommandInput['options']): CheckpointContent {
  const rationales = listOption(options, 'rationale')
  const alternatives = listOption(options, 'alternative')
  const resolutions = listOption(options, 'resolution')
  const decisions = listOption(options, 'decision').map((decision, n) => ({
    decision,
    rationale: rationales[n] ?? '',
    alternatives_considered: alternatives,
  }))
  const errors = listOption(options, 'error').map((error, n) => ({ error, resolution: resolutions[n] ?? '' }))
  const files = listOption(options, 'file').map(parseFileChange)
  const [blockers, nextSteps] = [listOption(options, 'blocker'), listOption(options, 'next')]
  const tests = textOption(options, 'tests')
  return {
    summary: textOption(options, 'summary'),
    resumeInstructions: textOption(options, 'instructions'),
    step: numberOption(options, 'step'),
    ...(decisions.length > 0 && { decisions }),
    ...(errors.length > 0 && { errors }),
    ...(files.length > 0 && { files }),
    ...(blockers.length > 0 && { blockers }),
    ...(nextSteps.length > 0 && { nextSteps }),
    ...(tests !== undefined && { tests: parseTestCounts(tests) }),
  }
}

export function printTask(
  io: CliIo,
  { definition, status, gates_open: openGates, active_session: active }: TaskView,
): void {
  const { dim } = getColors(io)
  printLine(
    io,
    `${definition.task_slug}  ${status.status}  ${formatGate(status.current_gate)}  ${dim(definition.flow)}`,
  )
  printLine(io, `  ${oneLine(definition.title, 100)}`)
  if (openGates.length > 0) printLine(io, `  Gates still to enter: ${openGates.map(formatGate).join(', ')}`)
  if (active !== null) printLine(io, `  Current session: ${active.session_id}`)
  for (const blocker of status.blockers) printLine(io, `  Blocked: ${oneLine(blocker, 160)}`)
  for (const next of status.next_steps) printLine(io, `  Next: ${oneLine(next, 160)}`)
}

export function printCheckpoint(io: CliIo, { checkpoint, line, mirrored }: CheckpointResult): void {
  const { yellow } = getColors(io)
  printLine(io, line)
  if (checkpoint.missing.length > 0) printLine(io, yellow(`  Missing: ${oneLine(checkpoint.missing.join(', '), 300)}`))
  if (mirrored !== true) printLine(io, yellow(`  Not stored as a memory: ${oneLine(mirrored, 200)}`))
}

export function printSteps(io: CliIo, steps: readonly RitualStep[]): void {
  const { dim } = getColors(io)
  io.out(
    table(steps.map(({ name, durationMs, detail }) => [`  ${name}`, dim(`${durationMs} ms`), oneLine(detail, 110)])),
  )
}

function describeEntry(entry: TimelineEntry): readonly [string, string] {
  switch (entry.kind) {
    case 'session':
      return [entry.session_id, entry.change]
    case 'checkpoint': {
      const follows = entry.follows.length === 0 ? '' : `  ← ${entry.follows.join(', ')}`
      return [entry.checkpoint_id, `${entry.gate} ${entry.type}: ${entry.summary}${follows}`]
    }
    case 'gate':
      return [entry.checkpoint_id, `${entry.from === null ? '' : `${entry.from} → `}${formatGate(entry.gate)}`]
    case 'incident':
      return [entry.session_id ?? '', `${entry.incident}: ${entry.detail}`]
  }
}

export function printTimeline(io: CliIo, entries: readonly TimelineEntry[]): void {
  const { dim, red, bold } = getColors(io)
  io.out(
    table(
      entries.map((entry) => {
        const [subject, text] = describeEntry(entry)
        const kind = entry.kind === 'incident' ? red(entry.kind) : entry.kind === 'gate' ? bold(entry.kind) : entry.kind
        return [dim(entry.at), kind, subject, oneLine(text, 140)]
      }),
    ),
  )
}
