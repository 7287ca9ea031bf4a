import { isatty } from 'node:tty'
import type { Decision } from '../../../tasks/retry/strategy.ts'
import type { RunReport } from '../../../tasks/supervisor/run-report.ts'
import type { RunNews } from '../../../tasks/supervisor/run-ports.ts'
import type { CliIo } from '../../shared/command.ts'
import { colorsOf, count, duration, oneLine, rawOf } from '../../shared/output.ts'

const STDERR = 2

export interface DisplayOptions {
  /** Nothing at all until the end: one JSON document. */
  readonly isSilent: boolean
  /** Without what the agent prints. */
  readonly isQuiet: boolean
  readonly isWatched?: boolean
}

function nextStep(decision: Decision): string {
  switch (decision.action) {
    case 'retry':
      return `again in ${duration(decision.waitMs)}`
    case 'diagnose-and-retry':
      return 'again, with the failure to look into'
    case 'wait-and-retry':
      return `again in ${duration(decision.waitMs)}, with larger limits`
    case 'rollback-and-replan':
      return 'back to where the session began, and another plan'
    case 'escalate':
      return `a person is needed. ${decision.why}`
  }
}

/** A run before a person's eyes: what the agent prints as it is, ours on stderr beside it. */
export function createRunDisplay(io: CliIo, options: DisplayOptions): (news: RunNews) => void {
  const { dim, red, yellow, cyan } = colorsOf(io)
  const isWatched = options.isWatched ?? isatty(STDERR)
  let shown = 0
  const clear = () => {
    if (shown > 0) rawOf(io).err(`\r${' '.repeat(shown)}\r`)
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
        return news.stream === 'out' ? rawOf(io).out(news.text) : rawOf(io).err(news.text)
      case 'failed':
        say(red(`✗ ${news.failure.kind}: ${oneLine(news.failure.reason, 200)}`))
        return say(`  ${oneLine(nextStep(news.decision), 300)}`)
      case 'note':
        return say(yellow(`  ${oneLine(news.text, 400)}`))
      case 'pulse': {
        if (!isWatched || !options.isQuiet) return
        const tokens = news.tokens === undefined ? '' : `, ${count(news.tokens, 'token')}`
        const line = `${duration(news.elapsedMs)}, ${count(news.processes, 'process', 'processes')}${tokens}`
        clear()
        io.err(dim(line))
        shown = line.length
      }
    }
  }
}

/** The last words. */
export function renderReport(report: RunReport, io: CliIo): string {
  const { green, red, yellow } = colorsOf(io)
  const mark = {
    complete: green('✓'),
    partial: yellow('…'),
    interrupted: yellow('…'),
    escalated: red('✗'),
    stopped: red('■'),
  }
  const lines = [
    `${mark[report.outcome]} ${report.task}: ${report.outcome}. ${oneLine(report.reason, 400)}`,
    `  ${count(report.sessions.length, 'session')} in ${duration(report.duration_ms)}, at ${report.position}`,
    ...(report.escalation === null ? [] : [`  Read ${report.escalation}`]),
  ]
  return `${lines.join('\n')}\n`
}
