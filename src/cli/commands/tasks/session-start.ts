import { HoldfastError } from '../../../kernel/errors.ts'
import { lastingAncestor } from '../../../platform/process/ancestor.ts'
import { systemProcesses } from '../../../platform/process/processes.ts'
import { isSet, numberOption, sessionKey, textOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { colorsOf, oneLine, printable, printJson, printLine } from '../../shared/output.ts'
import { printSteps } from './task-output.ts'
import { harnessSessionOf, ritualsOf } from './task-ports.ts'

/** Whose end means that the session is over: the process that was named, else the one that lasts above this command. */
function processOf(options: CommandInput['options']) {
  const pid = numberOption(options, 'pid')
  if (pid === undefined) return lastingAncestor()
  const startedAt = systemProcesses.startedAt(pid)
  if (startedAt === undefined && !systemProcesses.isAlive({ pid }))
    throw new HoldfastError('invalid-input', `There is no process ${pid}.`)
  return { pid, ...(startedAt !== undefined && { startedAt }) }
}

export const sessionStartCommand: CliCommand = {
  name: 'session start',
  summary: 'start a session of a governed task: recall, progress, status, history, health check, announce',
  configure(command) {
    command
      .requiredOption('--task <slug>', 'the task')
      .option('--goal <text>', 'what this session is for')
      .option('--from-gate <gate>', 'start at this gate, when everything before it holds')
      .option('--resume', 'take the suspended session up again instead of starting one after it')
      .option('--parent <id>', 'the session it continues; the newest unless told', sessionKey)
      .option('--reviewed', 'after an emergency stop: you have read what it left')
      .option('--session <key>', "the harness session that does the work, by the harness's own id", sessionKey)
      .option('--pid <n>', 'the process whose end ends the session', wholeNumber(1, 0x7fff_ffff))
      .option('--agent <id>', 'who works')
      .addHelpText(
        'after',
        '\nThe health check runs `smokeCommand` of .agentic-governance/config.json, else the script test:smoke or smoke of\npackage.json, in this directory and without a shell. When it fails, nothing proceeds until it passes.',
      )
  },
  async run({ options, context }) {
    const { io } = context
    const isJson = isSet(options, 'json')
    const [goal, fromGate] = [textOption(options, 'goal'), textOption(options, 'fromGate')]
    const [agentId, parentSession] = [textOption(options, 'agent'), textOption(options, 'parent')]
    const harnessSession = await harnessSessionOf(context, textOption(options, 'session'))
    const behind =
      harnessSession === undefined || numberOption(options, 'pid') !== undefined ? processOf(options) : undefined
    const rituals = await ritualsOf(context)
    const started = await rituals.start({
      cwd: context.cwd,
      slug: textOption(options, 'task') ?? '',
      resume: isSet(options, 'resume'),
      isReviewed: isSet(options, 'reviewed'),
      ...(goal !== undefined && { goal }),
      ...(fromGate !== undefined && { fromGate }),
      ...(agentId !== undefined && { agentId }),
      ...(parentSession !== undefined && { parentSession }),
      ...(harnessSession !== undefined && { harnessSession }),
      ...(behind !== undefined && { process: behind }),
      ...(!isJson && { onLine: (line: string) => printLine(io, printable(line)) }),
    })
    if (isJson) {
      printJson(io, started)
      return started.isReady ? 0 : 1
    }
    const { red, yellow } = colorsOf(io)
    printSteps(io, started.steps)
    for (const change of started.changed) printLine(io, yellow(`  Changed: ${oneLine(change, 160)}`))
    if (!started.isReady) {
      printLine(io, red(`P0 regression: ${oneLine(started.health.detail, 400)}`))
      printLine(io, 'Nothing proceeds until the health check passes: fix it, then start again.')
      return 1
    }
    printLine(io, printable(started.opening))
    return 0
  },
}
