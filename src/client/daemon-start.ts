import { closeSync, constants, openSync, writeSync, readFileSync, statSync, unlinkSync } from 'node:fs'
import type { Processes } from '../kernel/ports/ports.ts'
import { ensurePrivateDir, writeFileAtomic } from '../platform/files/atomic-file.ts'
import { systemClock, wallMs } from '../platform/base/clock.ts'
import { cheapStartedAt, isAliveCheaply } from '../platform/process/proc-stat.ts'
import { type Home, withWholeHome } from '../platform/base/home.ts'
import { currentFolder, pathOutsideProjects } from '../platform/process/programs.ts'
import { isStartHeldBack } from './start-refusal.ts'
import { errnoOf, isDiskFull } from '../platform/base/errno.ts'

/** A daemon that has not come up in this time never will. Shorter than anybody waits for one, so that a stamp nobody can check costs one call some patience and no failure. */
const STALE_MS = 6_000

interface Starter {
  readonly pid: number
  readonly startedAt?: string
}

function parseStarter(text: string): Starter | undefined {
  const [pid, startedAt] = text.split('\n')
  if (pid === undefined || !/^\d{1,10}$/.test(pid)) return undefined
  return { pid: Number(pid), ...(startedAt ? { startedAt } : {}) }
}

function formatStarter({ pid, startedAt }: Starter): string {
  return `${pid}\n${startedAt ?? ''}\n`
}

type StampHome = Pick<Home, 'root' | 'runDir' | 'startStampFile'>
type LiveCheck = Pick<Processes, 'isAlive' | 'startedAt'>

function isFresh(file: string, processes: LiveCheck): boolean {
  const age = wallMs() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  // A stamp from the future says that the clock moved, not that somebody starts.
  if (age > STALE_MS || age < -STALE_MS) return false
  try {
    const starter = parseStarter(readFileSync(file, 'utf8'))
    // Just made and not yet written counts as fresh.
    return starter === undefined ? age < 1_000 : processes.isAlive(starter)
  } catch {
    return false
  }
}

function create(file: string, starter: Starter): boolean {
  let fd: number | undefined
  try {
    fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600)
    writeSync(fd, formatStarter(starter))
    return true
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return false
    // Reading what is kept needs a daemon on a full disk too, and the stamp is only advice.
    if (isDiskFull(thrown)) return true
    throw thrown
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/**
 * Whether we are the one to start the daemon. Only advice, so that fifty hooks at once do not start fifty processes: the truth about who
 * is the daemon is its kernel lock. Throws when the folder cannot be written.
 */
export function claimStart(home: StampHome, processes: LiveCheck): boolean {
  ensurePrivateDir(home.runDir, home.root)
  const startedAt = processes.startedAt(process.pid)
  const self = { pid: process.pid, ...(startedAt === undefined ? {} : { startedAt }) }
  if (create(home.startStampFile, self)) return true
  if (isFresh(home.startStampFile, processes)) return false
  try {
    unlinkSync(home.startStampFile)
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown
  }
  return create(home.startStampFile, self)
}

/** From now on the stamp lives as long as the daemon that was started, not as long as we do. */
export function passStampTo(home: StampHome, pid: number, processes: LiveCheck): void {
  const startedAt = processes.startedAt(pid)
  try {
    writeFileAtomic(home.startStampFile, formatStarter({ pid, ...(startedAt === undefined ? {} : { startedAt }) }))
  } catch (thrown) {
    if (!isDiskFull(thrown)) throw thrown
  }
}

/**
 * What the daemon may know of the environment it happens to be started from: never a harness's variables, tokens or flags for Node,
 * nor those of PostgreSQL's clients, which a project sets for a database of its own.
 */
const KEPT =
  /^(?:HOME|USER|LOGNAME|PATH|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|SystemRoot|APPDATA|LOCALAPPDATA|USERPROFILE|HOLDFAST_\w+)$/i
const HOOK_ONLY = /^HOLDFAST_(?:PID|EVENT_ID|TRIED|ELAPSED_MS|REST_FD|NODE)$/
/** What `holdfast run` gives to its agent: it speaks of one session, and the daemon serves them all. */
const RUN_ONLY =
  /^HOLDFAST_(?:TASK\w*|SESSION_ID|GATE|STEP|ATTEMPT|OPENING_FILE|HEARTBEAT_FILE|STOP_FILE|FAILURE_FILE)$/
const RUN_MARK = 'HOLDFAST_RUN_ID'
/** Settings that decide where the data of every project goes, and what is run on it. Named here because a hook cannot load the schema. */
const USER_SETTING = /^HOLDFAST_(?:STORE_URL|STORE_PERSON|OUTBOX_URL|SAFETY_PROBE)$/i
const ENV_FILES_SETTING = /^HOLDFAST_REDACTION_ENV_FILES$/i
/** Whether it counts for a PostgreSQL client. `holdfast daemon run` passes its whole environment on; there they count. */
const POSTGRES_SETTING = /^PG[A-Z]+$/i
const IS_TRUE = /^(?:true|1|yes|on)$/i

/** The variables that a daemon does not take from a harness: the repository in which that runs can set them, and the daemon serves all. */
function userSettingsIn(env: NodeJS.ProcessEnv): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) =>
    USER_SETTING.test(name) || (ENV_FILES_SETTING.test(name) && !IS_TRUE.test(value)) ? [name] : [],
  )
}

/** A harness's environment for the daemon or its stand-in, without what only the user may set. */
export function harnessDaemonEnv(env: NodeJS.ProcessEnv, cwd?: string): NodeJS.ProcessEnv {
  const ignored = userSettingsIn(env)
  return daemonEnv(Object.fromEntries(Object.entries(env).filter(([name]) => !ignored.includes(name))), cwd)
}

/** `cwd`: where it is started from, whose programs are no more the daemon's than its variables. */
export function daemonEnv(env: NodeJS.ProcessEnv, cwd?: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => KEPT.test(name) && !HOOK_ONLY.test(name) && !RUN_ONLY.test(name))
  // Started from a run, and of no run: a supervisor ends what carries its mark, and takes an empty one for this.
  const own = Object.fromEntries(kept.map(([name, value]) => [name, name === RUN_MARK ? '' : value]))
  return env.PATH === undefined ? own : { ...own, PATH: pathOutsideProjects({ env, cwd }) }
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

/** Written as the daemon's log writes its lines, without loading it: an agent waits for the MCP pipe. Names only; a value may be a password. */
function logIgnored(log: number | 'ignore', level: 'warn' | 'info', message: string, names: readonly string[]): void {
  if (log === 'ignore' || names.length === 0) return
  const line = JSON.stringify({ at: systemClock.now(), level, message, variables: names })
  try {
    writeSync(log, `${line}\n`)
  } catch {
    // A full disk does not keep the daemon from starting.
  }
}

function logIgnoredOf(env: NodeJS.ProcessEnv, log: number | 'ignore', isHarnessEnv: boolean): void {
  const harness = 'variables of the harness ignored: set them in config.json of the Holdfast home'
  if (isHarnessEnv) logIgnored(log, 'warn', harness, userSettingsIn(env))
  const postgres = 'variables of PostgreSQL ignored: the store is reached by `store.url` of config.json alone'
  const names = Object.keys(env).filter((name) => POSTGRES_SETTING.test(name))
  logIgnored(log, 'info', postgres, names)
}

export interface DaemonStart {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  /** The daemon's bundle. */
  readonly script: string
  /** Whether a harness made the environment, as for a hook and for the MCP pipe, and not the user's own shell. */
  readonly isHarnessEnv?: boolean
}

/** Asked without starting `ps`: good enough to tell who is starting, and a hook has no time for more. */
const CHEAP: Pick<Processes, 'isAlive' | 'startedAt'> = { isAlive: isAliveCheaply, startedAt: cheapStartedAt }

// A daemon is idle most of its life: collecting young garbage in small steps keeps a busy hour from leaving it large.
const NODE_FLAGS = ['--max-semi-space-size=2']

/**
 * Starts the daemon unless somebody just did; false then. Does not wait for it. Throws when it cannot be started. For a harness, none
 * is started for a while after one refused for a reason that stays; a person who runs a command may have done something about it.
 */
export function startDaemon({ home, env, script, isHarnessEnv = false }: DaemonStart): boolean {
  if (isHarnessEnv && isStartHeldBack(home, script)) return false
  if (!claimStart(home, CHEAP)) return false
  const log = openLog(home)
  logIgnoredOf(env, log, isHarnessEnv)
  try {
    // Loaded only here: node:child_process costs every hook 3 ms, and hardly any starts a daemon.
    const child = process.getBuiltinModule('node:child_process').spawn(process.execPath, [...NODE_FLAGS, script], {
      cwd: '/',
      env: withWholeHome((isHarnessEnv ? harnessDaemonEnv : daemonEnv)(env, currentFolder())),
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
