import { closeSync, constants, openSync } from 'node:fs'
import type { Processes } from '../core/ports.ts'
import { ensurePrivateDir } from '../platform/atomic-file.ts'
import { cheapStartedAt, isAliveCheaply } from '../platform/proc-stat.ts'
import { type Home, withWholeHome } from '../platform/home.ts'
import { claimStart, passStampTo } from './start-stamp.ts'

/** What the daemon may know of the environment it happens to be started from: never a harness's variables, tokens or flags for Node. */
const KEPT =
  /^(?:HOME|USER|LOGNAME|PATH|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|PG\w+|SystemRoot|APPDATA|LOCALAPPDATA|USERPROFILE|HOLDFAST_\w+)$/i
const HOOK_ONLY = /^HOLDFAST_(?:PID|EVENT_ID|TRIED|ELAPSED_MS|NODE)$/
/** What `holdfast run` gives to its agent: it speaks of one session, and the daemon serves them all. */
const RUN_ONLY =
  /^HOLDFAST_(?:TASK\w*|SESSION_ID|GATE|STEP|ATTEMPT|OPENING_FILE|HEARTBEAT_FILE|STOP_FILE|FAILURE_FILE)$/
const RUN_MARK = 'HOLDFAST_RUN_ID'

export function daemonEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => KEPT.test(name) && !HOOK_ONLY.test(name) && !RUN_ONLY.test(name))
  // Started from a run, and of no run: a supervisor ends what carries its mark, and takes an empty one for this.
  return Object.fromEntries(kept.map(([name, value]) => [name, name === RUN_MARK ? '' : value]))
}

function openLog(home: Pick<Home, 'root' | 'logDir' | 'daemonLog'>): number | 'ignore' {
  try {
    ensurePrivateDir(home.logDir, home.root)
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
    return openSync(home.daemonLog, flags, 0o600)
  } catch {
    // A daemon without a log is better than none.
    return 'ignore'
  }
}

export interface DaemonStart {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  /** The daemon's bundle. */
  readonly script: string
}

/** Asked without starting `ps`: good enough to tell who is starting, and a hook has no time for more. */
const CHEAP: Pick<Processes, 'isAlive' | 'startedAt'> = { isAlive: isAliveCheaply, startedAt: cheapStartedAt }

// A daemon is idle most of its life: collecting young garbage in small steps keeps a busy hour from leaving it large.
const NODE_FLAGS = ['--max-semi-space-size=2']

/** Starts the daemon unless somebody just did; false then. Does not wait for it. Throws when it cannot be started. */
export function startDaemon({ home, env, script }: DaemonStart): boolean {
  if (!claimStart(home, CHEAP)) return false
  const log = openLog(home)
  try {
    // Loaded only here: node:child_process costs every hook 3 ms, and hardly any starts a daemon.
    const child = process.getBuiltinModule('node:child_process').spawn(process.execPath, [...NODE_FLAGS, script], {
      cwd: '/',
      env: withWholeHome(daemonEnv(env)),
      detached: true,
      stdio: ['ignore', log, log],
      windowsHide: true,
    })
    // Without a listener a failed start would be an uncaught exception; the caller finds nobody listening.
    child.on('error', () => undefined)
    child.unref()
    if (child.pid !== undefined) passStampTo(home, child.pid, CHEAP)
    return child.pid !== undefined
  } finally {
    if (typeof log === 'number') closeSync(log)
  }
}
