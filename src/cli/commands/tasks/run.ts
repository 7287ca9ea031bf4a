import { HoldfastError, messageOf } from '../../../kernel/errors.ts'
import { datedId } from '../../../kernel/id.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { systemEntropy } from '../../../platform/base/entropy.ts'
import type { RunReport } from '../../../tasks/supervisor/run-report.ts'
import { superviseTask } from '../../../tasks/supervisor/supervise-task.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import { builtFile } from '../../shared/built-files.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { deliverNow, findWebhook } from './outbox-ports.ts'
import { printJson } from '../../shared/output.ts'
import { createRunDisplay, renderReport } from './run-display.ts'
import { taskWorld } from './task-ports.ts'

const DELIVER_MS = 10_000

/** Asked once it ends in order; asked twice, at once: the guardian cleans up. */
function listenForEnd(onFirst: () => void): { isAsked: () => boolean; [Symbol.dispose](): void } {
  let asked = 0
  const onSignal = () => {
    asked += 1
    if (asked > 1) process.exit(1)
    onFirst()
  }
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const name of names) process.on(name, onSignal)
  return {
    isAsked: () => asked > 0,
    [Symbol.dispose]() {
      for (const name of names) process.off(name, onSignal)
    },
  }
}

/** What the run told goes out now rather than at the next `outbox deliver`; a receiver that is away keeps nobody. */
async function sendEvents({ context }: CommandInput, root: string, slug: string): Promise<string | undefined> {
  try {
    const url = findWebhook(context)
    if (url === undefined) return undefined
    const { pending, lastFailure } = await deliverNow(context, { root, slug, url, patienceMs: DELIVER_MS })
    return pending === 0
      ? undefined
      : `${pending} events wait for the webhook: ${lastFailure ?? 'another process is at it'}`
  } catch (thrown) {
    return `Events were not sent: ${messageOf(thrown)}`
  }
}

export const runCommand: CliCommand = {
  name: 'run',
  summary: 'supervise an agent across the sessions of a governed task',
  configure(command) {
    command
      .argument('<command...>', 'the agent and its arguments, after --')
      .usage('--task <slug> [options] -- <command...>')
      .requiredOption('--task <slug>', 'the governed task')
      .option('--goal <text>', 'what the sessions are for')
      .option('--from-gate <gate>', 'start from this gate, if the gates before it hold')
      .option('--once', 'one session, and further attempts only if it fails')
      .option('--max-iterations <n>', 'sessions in this run (default 12)', wholeNumber(1, 10_000))
      .option('--max-minutes <n>', 'time for the whole run (default 45)', wholeNumber(1, 100_000))
      .option('--max-tokens <n>', 'tokens for the whole run, where the agent prints its usage', wholeNumber(1, 1e12))
      .option('--reviewed', 'after an emergency stop: a person has read what it left')
      .option('-q, --quiet', 'do not show what the agent prints')
      .addHelpText(
        'after',
        `
The command is started without a shell: each word is one argument. {{opening}}, {{opening-file}}, {{session}} and
{{task}} in it are replaced; the environment has HOLDFAST_OPENING_FILE, HOLDFAST_SESSION_ID, HOLDFAST_TASK and more.
Ctrl-C ends it in order, a second one at once. The file .agentic-governance/STOP ends it within seconds.
Exit code: 0 the work is done, 1 it is not, 2 wrong usage. docs/run.md has the whole story.

Example:
  $ holdfast run --task feat-login -- claude -p '{{opening}}' --output-format stream-json --verbose`,
      )
  },
  async run(input) {
    const { args, options, context } = input
    const { io, home, env, cwd } = context
    if (process.platform === 'win32')
      throw new HoldfastError(
        'unsupported',
        'Supervising an agent needs process groups, which Windows does not have.',
        {
          hint: 'Run it in WSL.',
        },
      )
    const isJson = isSet(options, 'json')
    const display = createRunDisplay(io, { isSilent: isJson, isQuiet: isSet(options, 'quiet') })
    using signals = listenForEnd(() => display({ kind: 'note', text: 'Ending in order; once more ends it at once.' }))
    const slug = textOption(options, 'task') ?? ''
    const { report, root } = await superviseTask({
      runId: datedId('run', systemClock.now(), systemEntropy.bytes(10)),
      world: await taskWorld(context),
      at: { cwd, slug },
      home,
      env,
      pid: process.pid,
      guardian: builtFile('run-guardian.cjs'),
      random: Math.random,
      isInterrupted: signals.isAsked,
      isReviewed: isSet(options, 'reviewed'),
      tell: display,
      listSessions: async (root) =>
        (await context.continuity()).listSessions({ cwd: root, phases: ['idle', 'working'], limit: 50 }),
      limits: {
        maxIterations: numberOption(options, 'maxIterations'),
        maxMinutes: numberOption(options, 'maxMinutes'),
        maxTokens: numberOption(options, 'maxTokens'),
      },
      input: {
        argv: args,
        goal: textOption(options, 'goal'),
        fromGate: textOption(options, 'fromGate'),
        isOnce: isSet(options, 'once'),
      },
    })
    const problem = await sendEvents(input, root, slug)
    if (problem !== undefined) display({ kind: 'note', text: problem })
    tellReport(input, report, isJson)
    return report.outcome === 'complete' ? 0 : 1
  },
}

function tellReport({ context: { io } }: CommandInput, report: RunReport, isJson: boolean): void {
  if (isJson) printJson(io, report)
  else io.err(renderReport(report, io))
}
