// npm start: sets up what is missing, starts the daemon, and says where to go from there. Safe to run again at any time.
import { spawnSync } from 'node:child_process'
import { join, relative } from 'node:path'
import { ensureBuilt, ensureInstalled, main, SetupError } from './setup.mjs'
import { root } from './sources.mjs'

const holdfast = join(root, 'bin/holdfast')

/** How to type it from where the person stands. */
function shownCommand() {
  const from = process.env.INIT_CWD ?? process.cwd()
  const path = relative(from, holdfast)
  return path.startsWith('..') ? holdfast : path
}

function ask(...words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [holdfast, ...words, '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const reply = parse(stdout)
  if (status === 0 && reply) return reply
  const { message, hint } = reply?.error ?? { message: stderr.trim() || `holdfast ${words.join(' ')} failed.` }
  throw new SetupError([message, hint].filter(Boolean).join('\n'))
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    // Ended before it could answer: stderr says why.
    return undefined
  }
}

await main(() => {
  ensureInstalled()
  // One that still runs was made from older sources.
  if (ensureBuilt()) ask('daemon', 'stop')
  const daemon = ask('daemon', 'start')
  const { url } = ask('dashboard')
  const command = shownCommand()
  console.log(`
Holdfast ${daemon.version} is running (pid ${daemon.pid}).

  Dashboard           ${url}
                      opens once, within a minute; \`${command} dashboard\` gives a new link
  Connect Claude Code ${command} init --harness claude-code
  See it work         ${command} demo
  Type less           npm link puts \`holdfast\` on your path; \`npm unlink -g holdfast\` removes it
  Stop                ${command} daemon stop
                      it also ends by itself after 15 idle minutes, and comes back when a hook needs it
`)
})
