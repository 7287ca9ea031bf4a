// An agent that does everything an agent should not: children, children that leave for a session of their own with and
// without its environment, no ear for SIGTERM, and no end.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'

// The mark in every process's words: by it a test counts them, whatever became of their environment.
const [, , role = 'agent', mark = '', readyFile = ''] = process.argv
const stay = () => setInterval(() => undefined, 1_000)

for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => undefined)

if (role === 'agent') {
  const again = (args, options) =>
    spawn(process.execPath, [import.meta.filename, ...args], { stdio: ['ignore', 'pipe', 'ignore'], ...options })
  const children = [
    again(['child', mark]),
    // Double fork: its parent ends at once, so that it belongs to init.
    again(['forker', mark], { detached: true }),
    // Without our environment, and in a session of its own: found because it was seen while its parent lived.
    again(['child', mark], { detached: true, env: {} }),
  ]
  await Promise.all(children.map(({ stdout }) => new Promise((resolve) => stdout.once('data', resolve))))
  console.log('ready')
  if (readyFile !== '') writeFileSync(readyFile, 'ready')
  stay()
} else if (role === 'forker') {
  const grandchild = spawn(process.execPath, [import.meta.filename, 'child', mark], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  grandchild.stdout.once('data', () => {
    process.stdout.write('started\n', () => process.exit(0))
  })
} else {
  console.log('started')
  stay()
}
