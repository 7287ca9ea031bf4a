import { HoldfastError, getErrorMessage } from '../../../kernel/errors.ts'
import { datedId } from '../../../kernel/id.ts'
import { systemClock } from '../../../platform/base/clock.ts'
import { systemEntropy } from '../../../platform/base/crypto.ts'
import type { RunReport } from '../../../tasks/supervisor/run-state.ts'
import { superviseTask } from '../../../tasks/supervisor/supervise-task.ts'
import { isSet, numberOption, textOption, wholeNumber } from '../../shared/arguments.ts'
import { builtFile } from '../../shared/built-files.ts'
import type { CliCommand, CommandInput } from '../../shared/command.ts'
import { deliverNow, findWebhook } from './outbox.ts'
import { printJson } from '../../shared/output.ts'
import { createRunDisplay, renderReport } from './run-display.ts'
import { createTaskPorts } from './task-ports.ts'

const DELIVER_MS = 10_000

/** The first signal ends the run in order; a second one exits at once and leaves the cleanup to the guardian. */
function listenForSignals(onFirst: () => void): { isAsked: () => boolean; [Symbol.dispose](): void } {
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

/** Sends the events of the run now; a failure is only reported. */
async function sendEvents({ context }: CommandInput, root: string, slug: string): Promise<string | undefined> {
  try {
    const url = findWebhook(context)
    if (url === undefined) return undefined
    const { pending, lastFailure } = await deliverNow(context, { root, slug, url, patienceMs: DELIVER_MS })
    return pending === 0
      ? undefined
      : `${pending} events wait for the webhook: ${lastFailure ?? 'another process is delivering them'}`
  } catch (thrown) {
    return `Events were not sent: ${getErrorMessage(thrown)}`
  }
}

export const runCommand: CliCommand = {
  configure(command) {
    command
      .argument('<command...>', 'the agent and its arguments, after --')
      .usage('--task <slug> [options] -- <command...>')
      .requiredOption('--task <slug>', 'the governed task')
      .option('--goal <text>', 'goal of the sessions')
      .option('--from-gate <gate>', 'start from this gate, if the gates before it are passed')
      .option('--once', 'run one session; retry only if it fails')
      .option('--max-iterations <n>', 'maximum number of sessions (default 12)', wholeNumber(1, 10_000))
      .option('--max-minutes <n>', 'time limit of the run (default 45)', wholeNumber(1, 100_000))
      .option('--max-tokens <n>', 'token limit of the run, if the agent prints its usage', wholeNumber(1, 1e12))
      .option('--reviewed', 'confirm that you have reviewed the state after an emergency stop')
      .option('-q, --quiet', "hide the agent's output")
      .addHelpText(
        'after',
        `
The command runs without a shell: each word is one argument. {{opening}},
{{opening-file}}, {{session}} and {{task}} are replaced in it; the environment
has HOLDFAST_OPENING_FILE, HOLDFAST_SESSION_ID, HOLDFAST_TASK and more.
Ctrl-C ends the run in order, a second Ctrl-C at once. Creating the file
.agentic-governance/STOP ends it within seconds.
Exit code: 0 done, 1 not done, 2 wrong usage. See docs/run.md.

Example:
  $ holdfast run --task feat-login -- claude -p '{{opening}}' \\
      --output-format stream-json --verbose`,
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
    using signals = listenForSignals(() =>
      display({ kind: 'note', text: 'Ending the run; press Ctrl-C again to stop at once.' }),
    )
    const slug = textOption(options, 'task') ?? ''
    const { report, root } = await superviseTask({
      runId: datedId('run', systemClock.now(), systemEntropy.bytes(10)),
      ports: await createTaskPorts(context),
      at: { cwd, slug },
      home,
      env,
      pid: process.pid,
      guardian: builtFile('run-guardian.cjs'),
      random: Math.random,
      isInterrupted: signals.isAsked,
      isReviewed: isSet(options, 'reviewed'),
      report: display,
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
    printReport(input, report, isJson)
    return report.outcome === 'complete' ? 0 : 1
  },
}

function printReport({ context: { io } }: CommandInput, report: RunReport, isJson: boolean): void {
  if (isJson) printJson(io, report)
  else io.err(renderReport(report, io))
}
