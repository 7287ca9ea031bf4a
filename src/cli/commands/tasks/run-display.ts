import { isatty } from 'node:tty'
import type { RetryDecision } from '../../../tasks/retry/retry-policy.ts'
import { type RunReport, SESSION_SUCCEEDED } from '../../../tasks/supervisor/run-state.ts'
import type { RunProgress } from '../../../tasks/supervisor/run-ports.ts'
import type { CliIo } from '../../shared/command.ts'
import { getColors, count, oneLine, getRawIo } from '../../shared/output.ts'
import { formatDuration } from '../../../kernel/text/text.ts'

const STDERR = 2

export interface DisplayOptions {
  /** Prints nothing: the result is one JSON document. */
  readonly isSilent: boolean
  /** Hides the agent's output. */
  readonly isQuiet: boolean
  readonly isTerminal?: boolean
}

function nextStep(decision: RetryDecision): string {
  switch (decision.action) {
    case 'retry':
      return `retrying in ${formatDuration(decision.waitMs)}`
    case 'diagnose-and-retry':
      return 'retrying with the failure as context'
    case 'wait-and-retry':
      return `retrying in ${formatDuration(decision.waitMs)} with larger limits`
    case 'rollback-and-replan':
      return 'rolling back to the start of the session and planning again'
    case 'escalate':
      return `needs a person. ${decision.why}`
  }
}

/** Shows a run: the agent's output unchanged, Holdfast's own lines on stderr. */
export function createRunDisplay(io: CliIo, options: DisplayOptions): (news: RunProgress) => void {
  const { dim, red, yellow, cyan } = getColors(io)
  const isTerminal = options.isTerminal ?? isatty(STDERR)
  let shown = 0
  const clear = () => {
    if (shown > 0) getRawIo(io).err(`\r${' '.repeat(shown)}\r`)
    shown = 0
  }
  const say = (line: string) => {
    clear()
    io.err(`${line}\n`)
  }
  if (options.isSilent) return () => undefined
  return (news) => {
    switch (news.kind) {
      case 'line':
        return say(oneLine(news.text, 400))
      case 'session':
        return say(cyan(`▶ session ${news.sessionId}${news.attempt === 1 ? '' : `, attempt ${news.attempt}`}`))
      case 'output':
        if (options.isQuiet) return
        clear()
        return news.stream === 'out' ? getRawIo(io).out(news.text) : getRawIo(io).err(news.text)
      case 'failed':
        say(red(`✗ ${news.failure.kind}: ${oneLine(news.failure.reason, 200)}`))
        return say(`  ${oneLine(nextStep(news.decision), 300)}`)
      case 'note':
        return say(yellow(`  ${oneLine(news.text, 400)}`))
      case 'pulse': {
        if (!isTerminal || !options.isQuiet) return
        const tokens = news.tokens === undefined ? '' : `, ${count(news.tokens, 'token')}`
        const line = `${formatDuration(news.elapsedMs)}, ${count(news.processes, 'process', 'processes')}${tokens}`
        clear()
        io.err(dim(line))
        shown = line.length
      }
    }
  }
}

/** The summary at the end of a run. */
export function renderReport(report: RunReport, io: CliIo): string {
  const { green, red, yellow } = getColors(io)
  const mark = {
    complete: green('✓'),
    partial: yellow('…'),
    interrupted: yellow('…'),
    escalated: red('✗'),
    stopped: red('■'),
  }
  const isOneSession = report.reason === SESSION_SUCCEEDED
  const outcome = isOneSession
    ? 'the session succeeded. The task is not complete.'
    : `${report.outcome}. ${oneLine(report.reason, 400)}`
  const lines = [
    `${mark[report.outcome]} ${report.task}: ${outcome}`,
    `  ${count(report.sessions.length, 'session')} in ${formatDuration(report.duration_ms)}, at ${report.position}`,
    ...(report.escalation === null ? [] : [`  Read ${report.escalation}`]),
  ]
  return `${lines.join('\n')}\n`
}
