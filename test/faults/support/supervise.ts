// A supervisor to be killed: starts the stubborn agent as `holdfast run` does, says when it is ready, and stays.
import { systemClock } from '../../../src/platform/base/clock.ts'
import { GuardedProcesses } from '../../../src/tasks/supervisor/process/guarded-processes.ts'
import { runCommand } from '../../../src/tasks/supervisor/process/run-command.ts'

const [, , runId = '', guardian = '', agent = '', readyFile = ''] = process.argv
const guard = new GuardedProcesses({ runId, script: guardian, env: process.env })
await runCommand({
  argv: [process.execPath, agent, 'agent', runId, readyFile],
  cwd: process.cwd(),
  env: process.env,
  runId,
  guard,
  clock: systemClock,
  limits: { maxMs: 600_000, silenceMs: 600_000, graceMs: 1_000 },
  stopReason: () => undefined,
  onPulse: ({ rows }) => process.stdout.write(`pulse ${rows.length}\n`),
})
