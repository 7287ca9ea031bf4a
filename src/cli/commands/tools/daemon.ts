import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pathOutsideProjects } from '../../../platform/process/programs.ts'
import { isSet, numberOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand } from '../../shared/command.ts'
import { builtFile } from '../../shared/built-files.ts'
import { printJson, printable, printLine, count, table } from '../../shared/output.ts'
import { lastLines, newLines, parseLogLine, showLogLine } from './log-file.ts'
import { findHealth, ensureRunning } from '../../shared/daemon-access.ts'
import { stopDaemon } from '../../shared/daemon-stop.ts'
import { HoldfastError } from '../../../kernel/errors.ts'
import { formatDuration } from '../../../kernel/text/text.ts'

export const daemonStartCommand: CliCommand = {
  configure: () => undefined,
  async run({ options, context }) {
    const { home, io } = context
    const before = await findHealth(home)
    if (before === undefined) await ensureRunning(context)
    const health = before ?? (await findHealth(home))
    if (health === undefined) {
      throw new HoldfastError('daemon-unavailable', 'The daemon started and exited again.', {
        hint: `See \`holdfast daemon logs\` (${home.daemonLog}).`,
      })
    }
    const { pid, version, startedAt } = health
    if (isSet(options, 'json')) printJson(io, { pid, version, startedAt, wasRunning: before !== undefined })
    else
      printLine(
        io,
        before === undefined ? `The daemon was started (pid ${pid}).` : `The daemon is already running (pid ${pid}).`,
      )
    return 0
  },
}

export const daemonStopCommand: CliCommand = {
  configure: () => undefined,
  async run({ options, context: { home, io } }) {
    const health = await stopDaemon(home)
    if (isSet(options, 'json')) printJson(io, { wasRunning: health !== undefined, pid: health?.pid })
    else
      printLine(io, health === undefined ? 'The daemon is not running.' : `The daemon was stopped (pid ${health.pid}).`)
    return 0
  },
}

export const daemonStatusCommand: CliCommand = {
  configure(command) {
    command.addHelpText('after', '\nExit code: 0 if it is running and healthy, 1 otherwise.')
  },
  async run({ options, context: { home, io } }) {
    const health = await findHealth(home)
    const isHealthy = health?.status === 'ok'
    if (isSet(options, 'json')) {
      printJson(io, { isRunning: health !== undefined, ...health })
    } else if (health === undefined) {
      printLine(io, 'The daemon is not running. Hooks and commands start it when needed.')
    } else {
      io.out(
        table([
          ['status', health.status],
          ['pid', String(health.pid)],
          ['version', health.version],
          ['uptime', formatDuration(health.uptimeMs)],
          ['store', health.store],
          ['running', count(health.liveSessions, 'session')],
          ['waiting', count(health.spoolBacklog, 'event')],
        ]),
      )
    }
    return isHealthy ? 0 : 1
  },
}

const DEFAULT_LINES = 50

export const daemonLogsCommand: CliCommand = {
  configure(command) {
    command
      .option('-n, --lines <n>', `number of lines (default: ${DEFAULT_LINES})`, wholeNumber(0, 100_000))
      .option('-f, --follow', 'print new lines until interrupted')
  },
  async run({ options, context: { home, io } }) {
    const { lines, endOffset } = await lastLines(home.daemonLog, numberOption(options, 'lines') ?? DEFAULT_LINES)
    if (isSet(options, 'json') && !isSet(options, 'follow')) {
      printJson(io, lines.map(parseLogLine))
      return 0
    }
    for (const line of lines) printLine(io, printable(showLogLine(line)))
    if (!isSet(options, 'follow')) return 0
    for await (const line of newLines(home.daemonLog, endOffset)) printLine(io, printable(showLogLine(line)))
    return 0
  },
}

/** Runs in its own process: only the daemon's bundle contains the database code. */
export const daemonRunCommand: CliCommand = {
  configure: () => undefined,
  async run({ options, context: { env: given, io, cwd } }) {
    const env = { ...given, PATH: pathOutsideProjects({ env: given, cwd }) }
    const child = spawn(process.execPath, [builtFile('daemon.js')], { stdio: ['ignore', 'inherit', 'inherit'], env })
    const forward = (signal: NodeJS.Signals) => child.kill(signal)
    process.on('SIGINT', forward).on('SIGTERM', forward)
    const [code]: readonly unknown[] = await once(child, 'exit')
    if (isSet(options, 'json')) printJson(io, { exitCode: code })
    return code === 0 ? 0 : 1
  },
}
