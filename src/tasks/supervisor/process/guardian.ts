import { systemClock } from '../../../platform/base/clock.ts'
import { Belongings } from './run-processes.ts'
import { endProcesses } from './end-processes.ts'
import { readGuardianLines } from './guardian-line.ts'

// A process of its own, in a session of its own, that does nothing until the supervisor is gone, however it went: the
// pipe on stdin then ends, and so does everything that the supervisor had started.

const GRACE_MS = 1_000

const runId = process.argv[2] ?? ''
if (!/^[\w-]{8,80}$/.test(runId)) {
  process.stderr.write('holdfast: the guardian is started by `holdfast run`.\n')
  process.exit(2)
}

const belongings = new Belongings({ runId, except: () => [process.pid] })

// A terminal that closes, or a person who ends everything by name, must not end the last one who cleans up.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined)

let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk: string) => {
  const { lines, rest: open } = readGuardianLines(rest + chunk)
  rest = open
  for (const { kind, ...seen } of lines) {
    if (kind === 'leader') belongings.addLeader(seen)
    else belongings.addKnown(seen)
  }
})
const finish = () => {
  void endProcesses(belongings, { clock: systemClock, graceMs: GRACE_MS }).then((left) =>
    process.exit(left.length === 0 ? 0 : 1),
  )
}
process.stdin.once('end', finish).once('error', finish)
