import { HoldfastError } from '../../../kernel/errors.ts'
import { leaveSandbox } from '../../../tasks/context-safety/io/sandbox.ts'
import { readSafety, safetyPath } from '../../../tasks/context-safety/io/safety-record.ts'
import { getCurrentSession, openTask } from '../../../tasks/files/open-task.ts'
import { isSet, sessionKey, textOption, numberOption, wholeNumber } from '../../shared/arguments.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { oneLine, printJson, printLine, printable, getColors } from '../../shared/output.ts'
import { createTaskPorts, openRituals, findHarnessSession } from './task-ports.ts'
import { SESSION_OUTCOMES, type SessionOutcome } from '../../../tasks/model/task-session.ts'
import { addContentOptions, readCheckpointContent, printSteps } from './task-io.ts'
import { findLastingAncestor } from '../../../platform/process/ancestor.ts'
import { systemProcesses } from '../../../platform/process/processes.ts'

/** The process that the session is bound to: the one given with `--pid`, else the longest-lived ancestor of this command. */
function findProcess(options: CommandInput['options']) {
  const pid = numberOption(options, 'pid')
  if (pid === undefined) return findLastingAncestor()
  const startedAt = systemProcesses.startedAt(pid)
  if (startedAt === undefined && !systemProcesses.isAlive({ pid }))
    throw new HoldfastError('invalid-input', `Process ${pid} does not exist.`)
  return { pid, ...(startedAt !== undefined && { startedAt }) }
}

export const sessionStartCommand: CliCommand = {
  configure(command) {
    command
      .requiredOption('--task <slug>', 'the task')
      .option('--goal <text>', 'goal of the session')
      .option('--from-gate <gate>', 'start at this gate, if the gates before it are passed')
      .option('--resume', 'resume the suspended session instead of starting a new one')
      .option('--parent <id>', 'the session it continues (default: the newest)', sessionKey)
      .option('--reviewed', 'confirm that you have reviewed the state after an emergency stop')
      .option('--session <key>', 'id of the harness session that does the work', sessionKey)
      .option('--pid <n>', 'id of a process; the session ends when it exits', wholeNumber(1, 0x7fff_ffff))
      .option('--agent <id>', 'id of the agent')
      .addHelpText(
        'after',
        '\nThe health check runs `smokeCommand` from .agentic-governance/config.json, else\nthe script test:smoke or smoke from package.json, without a shell. If it fails,\nthe session does not start.',
      )
  },
  async run({ options, context }) {
    const { io } = context
    const isJson = isSet(options, 'json')
    const [goal, fromGate] = [textOption(options, 'goal'), textOption(options, 'fromGate')]
    const [agentId, parentSession] = [textOption(options, 'agent'), textOption(options, 'parent')]
    const harnessSession = await findHarnessSession(context, textOption(options, 'session'))
    const ownerProcess =
      harnessSession === undefined || numberOption(options, 'pid') !== undefined ? findProcess(options) : undefined
    const rituals = await openRituals(context)
    io.finishWhenClosed?.()
    const startedAt = systemProcesses.startedAt(process.pid)
    const started = await rituals.start({
      cwd: context.cwd,
      slug: textOption(options, 'task') ?? '',
      resume: isSet(options, 'resume'),
      starter: { pid: process.pid, ...(startedAt !== undefined && { startedAt }) },
      isReviewed: isSet(options, 'reviewed'),
      ...(goal !== undefined && { goal }),
      ...(fromGate !== undefined && { fromGate }),
      ...(agentId !== undefined && { agentId }),
      ...(parentSession !== undefined && { parentSession }),
      ...(harnessSession !== undefined && { harnessSession }),
      ...(ownerProcess !== undefined && { process: ownerProcess }),
      ...(!isJson && { onLine: (line: string) => printLine(io, printable(line)) }),
    })
    if (isJson) {
      printJson(io, started)
      return started.isReady ? 0 : 1
    }
    const { red, yellow } = getColors(io)
    printSteps(io, started.steps)
    for (const change of started.changed) printLine(io, yellow(`  Changed: ${oneLine(change, 160)}`))
    if (!started.isReady) {
      printLine(io, red(`P0 regression: ${oneLine(started.health.detail, 400)}`))
      printLine(io, 'The health check must pass first: fix it, then start again.')
      return 1
    }
    printLine(io, printable(started.opening))
    return 0
  },
}

function parseOutcome(text: string | undefined): SessionOutcome | undefined {
  if (text === undefined) return undefined
  const outcome = SESSION_OUTCOMES.find((known) => known === text)
  if (outcome !== undefined) return outcome
  throw new HoldfastError('invalid-input', `${JSON.stringify(text)} is not an outcome.`, {
    hint: `It is one of ${SESSION_OUTCOMES.join(', ')}.`,
  })
}

export const sessionEndCommand: CliCommand = {
  configure(command) {
    command
      .requiredOption('--task <slug>', 'the task')
      .option('--outcome <outcome>', `${SESSION_OUTCOMES.join(', ')} (default: partial)`)
      .option('--id <session>', 'the task session (default: the current one)', sessionKey)
      .option('--hint <text>', 'the first step of the next session')
    addContentOptions(command).addHelpText(
      'after',
      '\nUncommitted work is saved as a verified patch in tasks/<slug>/work/patches/. It\nis committed only if `autoCommit` is set in .agentic-governance/config.json.\nFiles with secrets are left out of the patch and listed.',
    )
  },
  async run({ options, context }) {
    const { io } = context
    const isJson = isSet(options, 'json')
    const outcome = parseOutcome(textOption(options, 'outcome'))
    const [sessionId, hint] = [textOption(options, 'id'), textOption(options, 'hint')]
    const rituals = await openRituals(context)
    io.finishWhenClosed?.()
    const ended = await rituals.end({
      cwd: context.cwd,
      slug: textOption(options, 'task') ?? '',
      content: readCheckpointContent(options),
      ...(outcome !== undefined && { outcome }),
      ...(sessionId !== undefined && { sessionId }),
      ...(hint !== undefined && { hint }),
      ...(!isJson && { onLine: (line: string) => printLine(io, printable(line)) }),
    })
    if (isJson) printJson(io, ended)
    else printSteps(io, ended.steps)
    return 0
  },
}

/** A command that records a person's decision about a session that is not active. */
function createClosingCommand(act: 'reopen' | 'giveUp', describe: (id: string, slug: string) => string): CliCommand {
  return {
    configure(command) {
      command
        .requiredOption('--task <slug>', 'the task')
        .requiredOption('--reason <text>', 'why; recorded in the chain of checkpoints')
        .option('--id <session>', 'the task session (default: the newest)', sessionKey)
    },
    async run({ options, context }) {
      const slug = textOption(options, 'task') ?? ''
      const rituals = await openRituals(context)
      const session = await rituals[act]({
        cwd: context.cwd,
        slug,
        sessionId: textOption(options, 'id'),
        reason: textOption(options, 'reason') ?? '',
      })
      if (isSet(options, 'json')) printJson(context.io, session)
      else printLine(context.io, describe(session.session_id, slug))
      return 0
    },
  }
}

export const sessionReopenCommand = createClosingCommand(
  'reopen',
  (id, slug) => `${id} is suspended; continue it with \`holdfast session start --task ${slug} --resume\`.`,
)

export const sessionGiveUpCommand = createClosingCommand('giveUp', (id) => `${id} is terminated.`)

export const sessionSandboxCommand: CliCommand = {
  configure(command) {
    command
      .requiredOption('--task <slug>', 'the task')
      .option('--session <id>', 'the task session (default: the current one)', sessionKey)
      .option('--leave', 'unlock the session after a review')
      .option('--reason <text>', 'reason for unlocking; written to the log')
  },
  async run({ options, context }) {
    const { io } = context
    const slug = textOption(options, 'task') ?? ''
    const ports = await createTaskPorts(context)
    const task = await openTask(ports, { cwd: context.cwd, slug })
    const { session_id: sessionId } = getCurrentSession(task.folder, textOption(options, 'session'))
    const reason = textOption(options, 'reason')
    if (isSet(options, 'leave') && reason === undefined)
      throw new HoldfastError('invalid-input', '`--leave` needs `--reason`.', {
        hint: `Say what you reviewed: \`holdfast session sandbox --task ${slug} --leave --reason "…"\`.`,
      })
    const record =
      isSet(options, 'leave') && reason !== undefined
        ? await leaveSandbox(ports, task, { sessionId, reason })
        : readSafety(task.folder, sessionId)
    if (isSet(options, 'json')) {
      printJson(io, record)
      return 0
    }
    const { sandbox, meter, tokens_source: source } = record
    printLine(
      io,
      sandbox === null
        ? `${sessionId} is not read-only.`
        : `${sessionId} has been read-only since ${sandbox.since}: ${oneLine(sandbox.reason, 300)}`,
    )
    if (source !== null) printLine(io, `Context: ${meter.tokens} tokens, ${source}.`)
    const log = safetyPath(sessionId)
    if (task.folder.bytes(log) !== undefined) printLine(io, `Log: ${task.folder.resolvePath(log)}`)
    return 0
  },
}
