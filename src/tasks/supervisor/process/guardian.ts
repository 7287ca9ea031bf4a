import { systemClock } from '../../../platform/base/clock.ts'
import { RunProcesses, endProcesses, readGuardianLines } from './run-processes.ts'

// A separate process in its own session. When the supervisor is gone, the pipe on stdin ends, and the guardian ends
// everything that the supervisor started.

const GRACE_MS = 1_000

const runId = process.argv[2] ?? ''
if (!/^[\w-]{8,80}$/.test(runId)) {
  process.stderr.write('holdfast: the guardian is started by `holdfast run`.\n')
  process.exit(2)
}

const processes = new RunProcesses({ runId, except: () => [process.pid] })

// A closing terminal or `killall` must not end the process that cleans up.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined)

let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk: string) => {
  const { lines, rest: open } = readGuardianLines(rest + chunk)
  rest = open
  for (const { kind, ...seen } of lines) {
    if (kind === 'leader') processes.addLeader(seen)
    else processes.addKnown(seen)
  }
})
const finish = () => {
  void endProcesses(processes, { clock: systemClock, graceMs: GRACE_MS }).then((left) =>
    process.exit(left.length === 0 ? 0 : 1),
  )
}
process.stdin.once('end', finish).once('error', finish)
